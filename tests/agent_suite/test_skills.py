"""``agent.skill``: what is found, what the model is told, and what it gets."""

from pathlib import Path

import pytest

from panto import Assistant, SessionStart, ToolCall, ToolError, ToolMessage, ToolOutput
from panto.json_values import array_at
from panto_agent import skill
from panto_agent.skill._tool import described
from tests.agent_suite.skill.staging import call, put_skill
from tests.support.extension_host import on_stage

ROOTS = (
    "home/.local/share/panto/agent/skills",
    "home/.config/panto/skills",
    "home/.claude/skills",
    "home/.agents/skills",
    "home/.agent/skills",
    "shop/.claude/skills",
    "shop/.agents/skills",
    "shop/.panto/skills",
    "shop/.agent/skills",
)
"""Lowest priority first."""


async def test_s7_without_skills_there_is_no_tool(project: Path, home_dir: Path) -> None:
    async with on_stage(skill, project, home_dir) as stage:
        assert stage.shell.tools.get("agent.skill") is None


async def test_s1_every_root_is_looked_into(project: Path, home_dir: Path) -> None:
    for number, root in enumerate(ROOTS):
        put_skill(project.parent / root / f"s{number}", f"s{number}")
    async with on_stage(skill, project, home_dir) as stage:
        tool = stage.shell.tools.get("agent.skill")
        assert tool is not None
        names = array_at(tool.schema.parameters, "properties", "name", "enum")
        assert names == [f"s{number}" for number in range(len(ROOTS))]


@pytest.mark.parametrize("lower", range(len(ROOTS) - 1))
async def test_s4_later_roots_shadow_earlier_ones(project: Path, home_dir: Path, lower: int) -> None:
    put_skill(project.parent / ROOTS[lower] / "same", "same", body="lower")
    put_skill(project.parent / ROOTS[lower + 1] / "same", "same", body="higher")
    async with on_stage(skill, project, home_dir) as stage:
        assert "higher" in (await call(stage, "same", project)).text
        listed = await stage.command("skills")
        hidden = ROOTS[lower].replace("home/", "~/").replace("shop/", "")
        assert f"shadows `{hidden}/same/SKILL.md`" in listed.text


async def test_s3_the_name_in_the_front_matter_counts(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/directory", "identity")
    async with on_stage(skill, project, home_dir) as stage:
        assert "Do it." in (await call(stage, "identity", project)).text


async def test_s5_names_and_descriptions_are_in_the_tools_description(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/beta", "beta", "Sorts parcels.")
    put_skill(project / ".panto/skills/alpha", "alpha", "Weighs: parcels.")
    async with on_stage(skill, project, home_dir) as stage:
        tool = stage.shell.tools.get("agent.skill")
        assert tool is not None
        assert tool.description.endswith("\n- alpha: Weighs: parcels.\n- beta: Sorts parcels.")


async def test_s6_a_call_gives_the_body_behind_a_preamble_with_the_directory(project: Path, home_dir: Path) -> None:
    directory = project / ".panto/skills/alpha"
    put_skill(directory, "alpha", body="Read references/more.md first.\n---\nThen go.\n")
    (directory / "references").mkdir()
    (directory / "references/more.md").write_text("more")
    async with on_stage(skill, project, home_dir) as stage:
        text = (await call(stage, "alpha", project)).text
    assert f"Relative paths in this skill are relative to {directory}." in text
    assert "Read references/more.md first.\n---\nThen go." in text
    assert "description:" not in text
    assert "- references/more.md (4 bytes)" in text


async def test_a_second_call_says_that_it_is_loaded_until_a_new_session(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/alpha", "alpha", body="LONG TEXT")
    async with on_stage(skill, project, home_dir) as stage:
        assert "LONG TEXT" in (await call(stage, "alpha", project)).text
        assert "LONG TEXT" not in (await call(stage, "alpha", project)).text
        await stage.bus.emit(SessionStart("s2", "new"))
        assert "LONG TEXT" in (await call(stage, "alpha", project)).text


async def test_a_resumed_session_knows_what_is_loaded(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/alpha", "alpha", body="LONG TEXT")
    history = (
        Assistant((ToolCall("1", "agent.skill", {"name": "alpha"}),)),
        ToolMessage((ToolOutput("1", "agent.skill", "LONG TEXT"),)),
    )
    async with on_stage(skill, project, home_dir) as stage:
        await stage.bus.emit(SessionStart("s", "resume", history))
        assert "LONG TEXT" not in (await call(stage, "alpha", project)).text


async def test_a_skill_that_is_gone_is_an_error_for_the_model(project: Path, home_dir: Path) -> None:
    file = put_skill(project / ".panto/skills/alpha", "alpha")
    async with on_stage(skill, project, home_dir) as stage:
        file.unlink()
        with pytest.raises(ToolError, match=r"SKILL\.md"):
            await call(stage, "alpha", project)


async def test_a_refused_skill_is_told_with_file_and_line_and_the_rest_load(project: Path, home_dir: Path) -> None:
    broken = put_skill(project / ".panto/skills/broken", "broken", '"never closed')
    put_skill(project / ".panto/skills/alpha", "alpha")
    async with on_stage(skill, project, home_dir) as stage:
        await call(stage, "alpha", project)
        await stage.bus.settle()
        assert len(stage.notices) == 1
        assert f"{broken}:3: no_frontmatter" in stage.notices[0]


async def test_a_skill_that_models_may_not_call_is_not_offered(project: Path, home_dir: Path) -> None:
    file = put_skill(project / ".panto/skills/alpha", "alpha")
    file.write_text(file.read_text().replace("name:", "disable-model-invocation: true\nname:"))
    async with on_stage(skill, project, home_dir) as stage:
        assert stage.shell.tools.get("agent.skill") is None


async def test_the_claude_directories_can_be_left_out_and_a_missing_path_is_told(project: Path, home_dir: Path) -> None:
    put_skill(home_dir / ".claude/skills/alpha", "alpha")
    extra = project.parent / "extra"
    put_skill(extra / "beta", "beta")
    settings: dict[str, dict[str, object]] = {"skills": {"compat": False, "paths": [str(extra), "/no/such/place"]}}
    async with on_stage(skill, project, home_dir, settings) as stage:
        tool = stage.shell.tools.get("agent.skill")
        assert tool is not None
        assert array_at(tool.schema.parameters, "properties", "name", "enum") == ["beta"]
        await stage.bus.settle()
        assert any("/no/such/place" in notice for notice in stage.notices)


async def test_switched_off_nothing_is_left(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/alpha", "alpha")
    async with on_stage(skill, project, home_dir) as stage:
        stage.host.close()
        assert len(stage.shell.tools) == 0
        assert stage.shell.offers.commands.all() == []


def test_over_the_budget_all_keep_a_share_and_short_ones_stay_whole() -> None:
    lines, shortened = described({"a": "x" * 500, "b": "y" * 500, "c": "short"}, 205)
    assert shortened
    assert lines[2] == "- c: short"
    assert [len(line) for line in lines[:2]] == [105, 105]
    assert all(line.endswith("…") for line in lines[:2])


def test_within_the_budget_nothing_is_cut() -> None:
    assert described({"a": "x" * 500, "b": "y"}, 501) == ([f"- a: {'x' * 500}", "- b: y"], False)
