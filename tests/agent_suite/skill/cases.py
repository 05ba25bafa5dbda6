"""The recorded cases: directories of skills, and what the strict loader makes of them."""

import base64
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from panto_agent.skill import Skill, SkillWarning

CASES = Path(__file__).parents[2] / "data/skills/cases.jsonl"


class Repeated(TypedDict):
    """A text some times over."""

    repeat: str
    count: int


class Content(TypedDict, total=False):
    """A file that is no plain text: one of these."""

    base64: str
    symlink: str
    dir: bool
    fifo: bool
    parts: list[str | Repeated]


class ExpectedFile(TypedDict):
    """An attachment, with its size in bytes of UTF-8."""

    path: str
    bytes: int


class ExpectedSkill(TypedDict):
    """A skill that loads."""

    name: str
    description: str
    body: str
    allowed_tools: list[str] | None
    disallowed_tools: list[str] | None
    files: list[ExpectedFile]


class ExpectedWarning(TypedDict):
    """A warning, what its detail must mention, and what it must not."""

    code: str
    skill: str
    mentions: NotRequired[list[str]]
    excludes: NotRequired[list[str]]


class Outcome(TypedDict, total=False):
    """What comes of a load."""

    throws: bool
    skills: list[ExpectedSkill]
    warnings: list[ExpectedWarning]


class Options(TypedDict, total=False):
    """What the loader is called with."""

    contain_within: str
    max_attachment_bytes: int
    no_sink: bool


class Case(TypedDict):
    """One recorded case."""

    id: str
    kind: str
    rules: list[str]
    files: dict[str, str | Content]
    root: str
    options: Options
    expected: Outcome


def load_cases() -> list[Case]:
    """The cases for the strict loader."""
    lines = CASES.read_text(encoding="utf-8").split("\n")
    cases = [cast("Case", json.loads(line)) for line in lines if line]
    return [case for case in cases if case["kind"] == "load"]


def materialize(files: Mapping[str, str | Content], top: Path) -> None:
    """Make the files, and then the links."""
    links: list[tuple[Path, str]] = []
    for name, value in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, str):
            path.write_bytes(value.encode())
        elif "symlink" in value:
            links.append((path, value["symlink"].replace("@ROOT@", str(top))))
        elif "dir" in value:
            path.mkdir(exist_ok=True)
        elif "fifo" in value:
            os.mkfifo(path)
        elif "base64" in value:
            path.write_bytes(base64.b64decode(value["base64"]))
        else:
            parts = value.get("parts", [])
            text = (part if isinstance(part, str) else part["repeat"] * part["count"] for part in parts)
            path.write_bytes("".join(text).encode())
    for path, target in links:
        path.symlink_to(target)


def trimmed(text: str) -> str:
    """A text as the cases compare it."""
    return text.replace("\r\n", "\n").strip(" \t\r\n")


def as_expected(skills: Sequence[Skill]) -> list[ExpectedSkill]:
    """Skills in the shape of the cases."""
    return [
        {
            "name": skill.name,
            "description": trimmed(skill.description),
            "body": trimmed(skill.body),
            "allowed_tools": skill.allowed_tools,
            "disallowed_tools": skill.disallowed_tools,
            "files": [{"path": file.path, "bytes": len(file.content.encode())} for file in skill.files],
        }
        for skill in skills
    ]


def check_warnings(expected: Sequence[ExpectedWarning], warnings: Sequence[SkillWarning]) -> None:
    """Compare the warnings as a set, and what their details mention."""
    assert {(item["code"], item["skill"]) for item in expected} == {(str(w.code), w.skill) for w in warnings}, warnings
    for item in expected:
        details = "\n".join(w.detail for w in warnings if (w.code, w.skill) == (item["code"], item["skill"]))
        assert [word for word in item.get("mentions", []) if word not in details] == [], details
        assert [word for word in item.get("excludes", []) if word in details] == [], details
