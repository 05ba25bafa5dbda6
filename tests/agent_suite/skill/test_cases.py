"""Every recorded case, to the letter."""

from pathlib import Path

import pytest

from panto_agent.skill import SkillHeader, SkillWarning, load_skills_directory, read_skill_body, read_skill_header
from panto_agent.skill._loader import DEFAULT_ATTACHMENT_BYTES
from tests.agent_suite.skill.cases import Case, as_expected, check_warnings, load_cases, materialize, trimmed

CASES = load_cases()
LOADING = [case for case in CASES if case["expected"].get("skills")]
BROKEN = [case for case in CASES if any(w["code"] == "no_frontmatter" for w in case["expected"].get("warnings", []))]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_strict_loader(case: Case, tmp_path: Path) -> None:
    materialize(case["files"], tmp_path)
    options = case["options"]
    contain = tmp_path / options["contain_within"] if "contain_within" in options else None
    budget = options.get("max_attachment_bytes", DEFAULT_ATTACHMENT_BYTES)
    silent = options.get("no_sink", False)
    warnings: list[SkillWarning] = []

    def load() -> list[dict[str, object]]:
        skills = load_skills_directory(
            tmp_path / case["root"],
            contain_within=contain,
            max_attachment_bytes=budget,
            on_warning=None if silent else warnings.append,
        )
        return [dict(skill) for skill in as_expected(skills)]

    expected = case["expected"]
    if expected.get("throws"):
        with pytest.raises(OSError, match=r"."):
            load()
        return
    wanted = expected.get("skills", [])
    assert load() == [
        {**skill, "description": trimmed(skill["description"]), "body": trimmed(skill["body"])} for skill in wanted
    ]
    if not silent:
        check_warnings(expected.get("warnings", []), warnings)


@pytest.mark.parametrize("case", LOADING, ids=[case["id"] for case in LOADING])
def test_the_lenient_reader_takes_what_the_strict_one_takes(case: Case, tmp_path: Path) -> None:
    materialize(case["files"], tmp_path)
    for skill in case["expected"].get("skills", []):
        path = tmp_path / case["root"] / skill["name"] / "SKILL.md"
        header = read_skill_header(path)
        assert isinstance(header, SkillHeader), header
        assert header.warnings == ()
        assert (header.name, header.allowed_tools) == (skill["name"], skill["allowed_tools"])
        assert header.disallowed_tools == skill["disallowed_tools"]
        # a plain description that goes on over further lines is folded here, and cut there
        assert header.description.startswith(trimmed(skill["description"]))
        assert trimmed(read_skill_body(path)) == trimmed(skill["body"])


@pytest.mark.parametrize("case", BROKEN, ids=[case["id"] for case in BROKEN])
def test_the_lenient_reader_refuses_broken_front_matter_too(case: Case, tmp_path: Path) -> None:
    materialize(case["files"], tmp_path)
    for warning in case["expected"].get("warnings", []):
        if warning["code"] == "no_frontmatter":
            refused = read_skill_header(tmp_path / case["root"] / warning["skill"] / "SKILL.md")
            assert isinstance(refused, SkillWarning)
            assert refused.code == "no_frontmatter"
            assert refused.line is not None
