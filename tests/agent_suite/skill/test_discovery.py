"""Discovery: the recorded cases, what can't be read, and the strict policy."""

import json
import os
from pathlib import Path
from typing import TypedDict, cast

import pytest

from panto import LayerDirectory
from panto.json_values import array_at
from panto_agent import skill
from panto_agent.skill._catalogue import Catalogue, Root, SkillsSettings, discover, roots
from tests.agent_suite.skill.cases import CASES, Case, Content, ExpectedWarning, load_cases, materialize
from tests.agent_suite.skill.staging import put_skill
from tests.support.extension_host import on_stage

PLACES = {"data": "home/.local/share", "config": "home/.config", "proj": "shop", "home": "home"}
"""Where the cases' directories are on a stage."""


class Discovered(TypedDict):
    """A skill that is found."""

    name: str
    description: str
    dir: str


class Expected(TypedDict):
    """What comes of a discovery."""

    tool_registered: bool
    skills: list[Discovered]
    warnings: list[ExpectedWarning]


class DiscoverCase(TypedDict):
    """One recorded case."""

    id: str
    kind: str
    files: dict[str, str | Content]
    expected: Expected


def discover_cases() -> list[DiscoverCase]:
    """The cases for discovery."""
    lines = CASES.read_text(encoding="utf-8").split("\n")
    cases = [cast("DiscoverCase", json.loads(line)) for line in lines if line]
    return [case for case in cases if case["kind"] == "discover"]


def staged(path: str) -> str:
    """A path of a case as it is on a stage."""
    top, _, rest = path.partition("/")
    return f"{PLACES[top]}/{rest}"


def found(root: Path, *, strict: bool = False) -> Catalogue:
    """What is discovered in one root."""
    return discover([Root("project", root)], strict=strict)


DISCOVER = discover_cases()


@pytest.mark.parametrize("case", DISCOVER, ids=[case["id"] for case in DISCOVER])
async def test_recorded_cases(case: DiscoverCase, project: Path, home_dir: Path) -> None:
    top = project.parent
    materialize({staged(path): content for path, content in case["files"].items()}, top)
    expected = case["expected"]
    async with on_stage(skill, project, home_dir) as stage:
        catalogue = discover(roots(stage.host.layers, home_dir, project, SkillsSettings()))
        tool = stage.shell.tools.get("agent.skill")
        assert (tool is not None) == expected["tool_registered"]
        assert [
            (name, entry.header.description, entry.header.directory) for name, entry in catalogue.skills.items()
        ] == [(entry["name"], entry["description"], top / staged(entry["dir"])) for entry in expected["skills"]]
        if tool is not None:
            names = array_at(tool.schema.parameters, "properties", "name", "enum")
            assert names == [entry["name"] for entry in expected["skills"]]
        refused = [(refused.warning.code, refused.warning.skill) for refused in catalogue.refused]
        assert refused == [(entry["code"], entry["skill"]) for entry in expected["warnings"]]
        await stage.bus.settle()
        assert stage.faults == []
        for entry in expected["warnings"]:
            assert any(entry["code"] in notice and entry["skill"] in notice for notice in stage.notices)


async def test_hundreds_of_skills_and_of_refusals(project: Path, home_dir: Path) -> None:
    root = project / ".panto/skills"
    for number in range(300):
        put_skill(root / f"good-{number:03}", f"good-{number:03}")
        put_skill(root / f"bad-{number:03}", '""')
    async with on_stage(skill, project, home_dir) as stage:
        tool = stage.shell.tools.get("agent.skill")
        assert tool is not None
        assert len(array_at(tool.schema.parameters, "properties", "name", "enum")) == 300
        assert len(stage.shell.offers.commands.all()) == 301
        await stage.bus.settle()
        assert len(stage.notices) == 11
        assert "290 more" in stage.notices[-1]


async def test_a_root_that_is_no_directory_is_told_and_the_rest_is_found(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/a", "a")
    (project / ".agents").mkdir()
    (project / ".agents/skills").write_text("a file")
    (project / ".agent").mkdir()
    (project / ".agent/skills").symlink_to("skills")
    os.mkfifo(project / "pipe")
    tables: dict[str, dict[str, object]] = {"skills": {"paths": ["pipe", "x\0y", "~nobody\0/x", ""]}}
    async with on_stage(skill, project, home_dir, tables) as stage:
        assert stage.shell.tools.get("agent.skill") is not None
        await stage.bus.settle()
        assert stage.faults == []
        for place in (".agents/skills", ".agent/skills", "pipe", "x\0y"):
            assert any(f"{project / place} can't be read" in notice for notice in stage.notices), place


def test_links_that_lead_nowhere_or_around_are_refused_and_the_rest_is_found(tmp_path: Path) -> None:
    put_skill(tmp_path / "good", "good")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/SKILL.md").symlink_to("SKILL.md")
    (tmp_path / "directory/SKILL.md").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe/SKILL.md")
    (tmp_path / "other").symlink_to("good")
    (tmp_path / "a-file").write_text("x")
    (tmp_path / "nothing").mkdir()
    catalogue = found(tmp_path)
    assert list(catalogue.skills) == ["good"]
    refused = {refused.warning.skill: refused.warning.code for refused in catalogue.refused}
    assert refused == dict.fromkeys(("gone", "loop", "inner", "directory", "pipe"), "read_failed")


def test_names_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    place = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    put_skill(place, "a")
    catalogue = found(tmp_path)
    assert catalogue.skills["a"].header.directory == place
    (warning,) = catalogue.skills["a"].header.warnings
    assert warning.skill == "\\udcff"


def test_a_directory_that_is_two_roots_is_one(project: Path) -> None:
    """As where the project is the home directory; then its skills are the project's."""
    put_skill(project / ".agents/skills/a", "a")
    (project / "again").symlink_to(".agents/skills")
    settings = SkillsSettings(paths=("again",))
    layers = [LayerDirectory(name, project / f".{name}", project) for name in ("base", "user", "project")]
    places = roots(layers, project, project, settings)
    found = discover(places).skills["a"]
    assert found.shadowed == ()
    assert found.root.label == "configured"
    assert not found.root.is_users


STRICT = [case for case in load_cases() if not case["options"] and not case["expected"].get("throws")]


@pytest.mark.parametrize("case", STRICT, ids=[case["id"] for case in STRICT])
def test_strictly_what_the_loader_refuses_is_refused(case: Case, tmp_path: Path) -> None:
    materialize(case["files"], tmp_path)
    expected = case["expected"]
    catalogue = found(tmp_path / case["root"], strict=True)
    loaded = [entry["name"] for entry in expected.get("skills", [])]
    assert sorted(entry.header.directory.name for entry in catalogue.skills.values()) == sorted(loaded)
    refused = {
        (warning["code"], warning["skill"])
        for warning in expected.get("warnings", [])
        if warning["code"] not in ("attachment_skipped", "no_skill_file")
    }
    assert {(str(each.warning.code), each.warning.skill) for each in catalogue.refused} == refused


async def test_the_strict_setting_refuses_with_file_line_and_reason(project: Path, home_dir: Path) -> None:
    file = put_skill(project / ".panto/skills/directory", "identity")
    put_skill(project / ".panto/skills/good", "good")
    async with on_stage(skill, project, home_dir, {"skills": {"strict": True}}) as stage:
        tool = stage.shell.tools.get("agent.skill")
        assert tool is not None
        assert array_at(tool.schema.parameters, "properties", "name", "enum") == ["good"]
        await stage.bus.settle()
        (notice,) = stage.notices
        assert f"{file}:2: name_mismatch" in notice
        assert "`.panto/skills/directory/SKILL.md`:2: name_mismatch" in (await stage.command("skills")).text


def test_strictly_too_attachments_are_not_read(tmp_path: Path) -> None:
    file = put_skill(tmp_path / "a", "a")
    os.mkfifo(file.with_name("pipe"))
    file.with_name("binary").write_bytes(b"\xff\0")
    catalogue = found(tmp_path, strict=True)
    assert list(catalogue.skills) == ["a"]
    assert catalogue.refused == ()
