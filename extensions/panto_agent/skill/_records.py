"""What reading skills gives: the skills, and what was wrong with those that were not taken as they stand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

_YES = frozenset({"true", "yes", "on"})


class WarningCode(StrEnum):
    """Why a skill, or a part of it, was not taken as declared."""

    NO_SKILL_FILE = "no_skill_file"
    NO_FRONTMATTER = "no_frontmatter"
    MISSING_NAME = "missing_name"
    INVALID_NAME = "invalid_name"
    NAME_MISMATCH = "name_mismatch"
    MISSING_DESCRIPTION = "missing_description"
    DESCRIPTION_TOO_LONG = "description_too_long"
    ATTACHMENT_SKIPPED = "attachment_skipped"
    READ_FAILED = "read_failed"
    OUTSIDE_ROOT = "outside_root"


class Problem(NamedTuple):
    """What is wrong with one skill, before a policy decides what to do about it.

    ``line`` counts from 1 in ``SKILL.md``; None where no line is to blame.
    """

    code: WarningCode
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SkillWarning:
    """One diagnostic. Safe to log: it names fields, files and lines, and holds nothing of what they contain.

    ``skill`` is the name of the skill's directory, ``file`` the file to look into, ``line`` its line (from 1) where one
    is to blame, and ``detail`` says what is wrong and what was done about it.
    """

    code: WarningCode
    skill: str
    detail: str
    file: Path
    line: int | None = None


class SkillFile(NamedTuple):
    """A text file that comes with a skill; ``path`` is relative to the skill's directory, with ``/``."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A whole skill. A tool list is None when it isn't given, and empty when it is given without entries."""

    name: str
    description: str
    body: str
    allowed_tools: list[str] | None
    disallowed_tools: list[str] | None
    files: list[SkillFile]


@dataclass(frozen=True, slots=True)
class SkillHeader:
    """What a skill says of itself in its front matter; its body and its files are not read yet.

    ``fields`` holds the other keys that have a text, as written. ``warnings`` tells what breaks the format and was
    let pass.
    """

    path: Path
    name: str
    description: str
    allowed_tools: list[str] | None
    disallowed_tools: list[str] | None
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[SkillWarning, ...] = ()

    @property
    def directory(self) -> Path:
        """Where the skill's relative paths start."""
        return self.path.parent

    def flag(self, key: str) -> bool:
        """Whether an optional field says yes (``true``, ``yes`` or ``on``, in any case); no when it is absent."""
        return self.fields.get(key, "").partition(" #")[0].strip(" \t").lower() in _YES


class SkillVerdict(NamedTuple):
    """What the strict loader says of one directory: whether its skill loads, and all that it warns of."""

    skill: str
    file: Path
    loaded: bool
    warnings: tuple[SkillWarning, ...]


class FrontMatterError(Exception):
    """Front matter that is not read, rather than read wrong: why, and the line (from 1) where it shows, if any."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class SkillError(Exception):
    """A skill that could be listed can't be read any more; ``warning`` says why."""

    def __init__(self, warning: SkillWarning) -> None:
        super().__init__(f"{warning.file}: {warning.detail}")
        self.warning = warning


def shown(name: str, longest: int = 200) -> str:
    """A key or a path, fit for a log line: one line, nothing that steers a terminal, of bounded length."""
    safe = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in name[:longest])
    return f"{safe}…" if len(name) > longest else safe


def shown_key(key: str) -> str:
    """A key as details name it."""
    return f"`{shown(key, 60)}`"
