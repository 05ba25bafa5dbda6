"""What people see of skills: ``/skills``, and ``panto-py skills``."""

import json
import os
from argparse import ArgumentParser
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from markdown_it.tree import SyntaxTreeNode

from panto import SubcommandError
from panto.config.diagnostics import visible
from panto.tui.transcript.parser import parse
from panto_agent import skill
from panto_agent.skill import SkillHeader, SkillWarning, WarningCode
from panto_agent.skill._catalogue import Catalogue, Found, Refused, Root
from panto_agent.skill._listing import Places, listing, one_line
from tests.agent_suite.skill.staging import put_skill
from tests.support.extension_host import Stage, on_stage


async def panto_skills(stage: Stage, *arguments: str) -> tuple[int, str]:
    """Run ``panto-py skills`` as the command line would: the exit status, and what it printed."""
    found = stage.shell.offers.subcommands.get("skills")
    assert found is not None
    parser = ArgumentParser()
    found.arguments(parser)
    said: list[str] = []
    status = await found.run(parser.parse_args(arguments), said.append)
    return status, "\n".join(said)


async def test_skills_are_listed_with_all_there_is_to_know(project: Path, home_dir: Path) -> None:
    put_skill(home_dir / ".agents/skills/totals", "totals", "lower")
    put_skill(
        project / ".panto/skills/totals",
        "totals",
        "How totals are rounded. " * 20,
        more="allowed-tools: Read Bash(git *)\ndisallowed-tools: Write",
    )
    put_skill(project / ".panto/skills/none", "none", more="allowed-tools: []")
    put_skill(project / ".panto/skills/other", "hidden", "For people.", more="disable-model-invocation: true")
    put_skill(project / ".agents/skills/broken", "broken", '"never closed')
    async with on_stage(skill, project, home_dir) as stage:
        lines = (await stage.command("skills")).text.split("\n")
    assert lines[0] == "3 skills: 2 offered to the model, 1 not offered to the model, 1 shadowed, 1 refused."
    described = next(line for line in lines if line.startswith("- **totals**"))
    assert described.startswith("- **totals** (project): How totals are rounded. How")
    assert described.endswith("…")
    assert len(described) < 200
    at = lines.index(described)
    assert lines[at + 1 : at + 5] == [
        "  - `.panto/skills/totals/SKILL.md`",
        "  - tools while it is active: `Read`, `Bash(git *)`",
        "  - tools it rules out: `Write`",
        "  - shadows `~/.agents/skills/totals/SKILL.md` (~/.agents)",
    ]
    assert "- **hidden** (project, not offered to the model): For people." in lines
    assert "  - tools while it is active: none" in lines
    assert any(line.startswith("  - `.panto/skills/other/SKILL.md`:2: name_mismatch: ") for line in lines)
    assert any(
        line.startswith("- `.agents/skills/broken/SKILL.md`:3: no_frontmatter: ") and "project .agents" in line
        for line in lines
    )


async def test_without_skills_the_list_says_so(project: Path, home_dir: Path) -> None:
    async with on_stage(skill, project, home_dir) as stage:
        assert (await stage.command("skills")).text.startswith("No skills")
        assert await panto_skills(stage, "list") == (0, "no skills here")
        assert await panto_skills(stage, "list", "--json") == (0, "[]")


def header(text: str, number: int) -> SkillHeader:
    """A skill all of whose words are the same hostile text."""
    return SkillHeader(Path(f"/shop/{text}/{number}/SKILL.md"), text, text, [text] * 3, [text], {})


def texts(node: SyntaxTreeNode) -> str:
    """What is left of a piece of Markdown when it is read."""
    return "".join(node.content for node in node.walk() if node.type in ("text", "code_inline"))


HOSTILE = st.text(st.characters() | st.sampled_from("`*_[]()<>&#|~$\\\n-+!: 1.=\t"), min_size=1)


@given(st.lists(HOSTILE, min_size=1, max_size=3))
def test_no_text_of_a_skill_is_markup_or_breaks_the_list(words: list[str]) -> None:
    skills = {
        str(number): Found(header(text, number), Root("project", Path("/shop"))) for number, text in enumerate(words)
    }
    warnings = (SkillWarning(WarningCode.READ_FAILED, text, text, Path(f"/shop/{text}"), 1) for text in words)
    refused = tuple(Refused(warning, Root("user", Path("/home"))) for warning in warnings)
    shown = listing(Catalogue(skills, refused), Places(Path("/shop"), Path("/home")))
    assert all(line.isprintable() for line in shown.split("\n"))
    tree = parse(shown, {})
    assert [child.type for child in tree.children] == ["paragraph", "bullet_list", "paragraph", "bullet_list"]
    own, left_out = tree.children[1], tree.children[3]
    assert [len(own.children), len(left_out.children)] == [len(words), len(words)]
    kinds = {node.type for node in tree.walk()}
    assert kinds <= {"root", "paragraph", "inline", "text", "bullet_list", "list_item", "strong", "code_inline"}
    for text, item in zip(words, own.children, strict=True):
        assert [child.type for child in item.children] == ["paragraph", "bullet_list"]
        assert len(item.children[1].children) == 3
        if one_line(text, 80):
            assert one_line(text, 80) in texts(item.children[0])


async def test_check_says_a_line_for_each_skill_and_exits_1_if_one_is_refused(project: Path, home_dir: Path) -> None:
    put_skill(project / "library/good", "good").with_name("binary").write_bytes(b"\xff\0")
    put_skill(project / "library/wrong", "other")
    put_skill(project / "library/open", "open", '"never closed')
    (project / "library/empty").mkdir()
    (project / "library/a-file").write_text("x")
    async with on_stage(skill, project, home_dir) as stage:
        status, text = await panto_skills(stage, "check", "library")
        assert status == 1
        lines = text.split("\n")
        assert lines[0] == "refused  empty  SKILL.md  no_skill_file  the directory holds no SKILL.md; skill skipped"
        assert lines[1] == "ok  good"
        assert lines[2].startswith("warning  good  SKILL.md  attachment_skipped  binary: ")
        assert lines[3].startswith("refused  open  SKILL.md:3  no_frontmatter  ")
        assert lines[4].startswith("refused  wrong  SKILL.md:2  name_mismatch  ")
        assert len(lines) == 5

        status, text = await panto_skills(stage, "check", "--json", "library")
        assert status == 1
        empty, good, opened, wrong = json.loads(text)
        assert list(empty) == ["skill", "file", "loaded", "warnings"]
        assert (good["skill"], good["loaded"], good["file"]) == ("good", True, str(project / "library/good/SKILL.md"))
        assert [warning["code"] for warning in good["warnings"]] == ["attachment_skipped"]
        assert not opened["loaded"]
        (warning,) = wrong["warnings"]
        assert list(warning) == ["code", "detail", "line"]
        assert (warning["code"], warning["line"]) == ("name_mismatch", 2)


async def test_check_exits_0_if_all_are_taken_and_looks_at_a_single_skill(project: Path, home_dir: Path) -> None:
    directory = put_skill(project / "library/good", "good").parent
    directory.joinpath("binary").write_bytes(b"\xff")
    (directory / "inner").mkdir()
    (project / "bare").mkdir()
    async with on_stage(skill, project, home_dir) as stage:
        for place in ("library", "./library/", str(project / "library"), "library/good", "library/good/inner/.."):
            status, text = await panto_skills(stage, "check", place)
            assert (status, text.split("\n")[0]) == (0, "ok  good"), place
        assert await panto_skills(stage, "check", "bare") == (0, "no skills in bare")
        assert await panto_skills(stage, "check", "bare", "--json") == (0, "[]")


@pytest.mark.parametrize("place", ["nowhere", "a-file", "loop", "x\0y", "new\nline"])
@pytest.mark.parametrize("flags", [[], ["--json"]])
async def test_check_says_so_in_one_line_if_there_is_nothing_to_list(
    project: Path, home_dir: Path, place: str, flags: list[str]
) -> None:
    (project / "a-file").write_text("x")
    (project / "loop").symlink_to("loop")
    async with on_stage(skill, project, home_dir) as stage:
        with pytest.raises(SubcommandError) as raised:
            await panto_skills(stage, "check", place, *flags)
    assert "\n" not in str(raised.value)
    assert "can't be listed (" in str(raised.value)


async def test_the_command_line_lists_all_that_was_found(project: Path, home_dir: Path) -> None:
    put_skill(home_dir / ".agents/skills/totals", "totals", "lower")
    put_skill(project / ".panto/skills/totals", "totals", "How totals are rounded.", more="allowed-tools: Read")
    put_skill(project / ".panto/skills/hidden", "hidden", more="disable-model-invocation: true")
    broken = put_skill(project / ".panto/skills/broken", "broken", '"never closed')
    async with on_stage(skill, project, home_dir) as stage:
        status, text = await panto_skills(stage, "list")
        as_json = json.loads((await panto_skills(stage, "list", "--json"))[1])
    assert status == 0
    lines = text.split("\n")
    assert lines[:3] == [
        "not offered  hidden  project  .panto/skills/hidden/SKILL.md  What it does.",
        "offered      totals  project  .panto/skills/totals/SKILL.md  How totals are rounded.",
        "shadowed     totals  ~/.agents  ~/.agents/skills/totals/SKILL.md  lower",
    ]
    assert lines[3].startswith("refused      broken  project  .panto/skills/broken/SKILL.md:3  no_frontmatter  ")
    assert len(lines) == 4
    assert [(entry["name"], entry["state"], entry["layer"]) for entry in as_json] == [
        ("hidden", "not offered", "project"),
        ("totals", "offered", "project"),
        ("totals", "shadowed", "~/.agents"),
        ("broken", "refused", "project"),
    ]
    assert as_json[1]["description"] == "How totals are rounded."
    assert as_json[1]["path"] == str(project / ".panto/skills/totals/SKILL.md")
    assert as_json[1]["allowed_tools"] == ["Read"]
    assert (as_json[3]["path"], as_json[3]["line"], as_json[3]["code"]) == (str(broken), 3, "no_frontmatter")


async def test_hostile_names_make_one_line_each_and_their_json_is_whole(project: Path, home_dir: Path) -> None:
    odd = os.fsdecode(b"x\n\x1b[31m\xff")
    put_skill(project / "library" / odd, '"a\\nb\\e[31m"', '"one\\ntwo\\u2028three\\e]0;x"')
    put_skill(project / ".panto/skills" / odd, '"a\\nb\\e[31m"', '"one\\ntwo\\u2028three\\e]0;x"')
    async with on_stage(skill, project, home_dir) as stage:
        status, checked = await panto_skills(stage, "check", "library")
        assert status == 1
        listed = (await panto_skills(stage, "list"))[1]
        for text in (checked, listed):
            assert text.isprintable()
            assert visible(text) == text
        assert "one two three" in listed
        for arguments in (("check", "--json", "library"), ("list", "--json")):
            text = (await panto_skills(stage, *arguments))[1]
            assert text.isascii()
            (entry,) = json.loads(text)
            assert odd in (entry.get("path") or entry["file"])
