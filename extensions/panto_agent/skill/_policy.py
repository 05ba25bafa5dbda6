"""What a skill must say of itself. The strict and the lenient reader share these rules and differ in what follows."""

import re
from collections.abc import Iterator
from pathlib import Path

from panto_agent.skill._files import SKILL_FILE, reason_of
from panto_agent.skill._frontmatter import FrontMatter
from panto_agent.skill._records import FrontMatterError, Problem, SkillWarning, WarningCode, shown_key

SkillFileError = OSError | UnicodeDecodeError | FrontMatterError
"""All that reading a ``SKILL.md`` may raise."""

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SPACE = " \t\r\n"


def stripped(text: str | None) -> str:
    """A text without the blanks and line ends around it; empty for none. Other kinds of space are text."""
    return (text or "").strip(_SPACE)


def field_problems(front: FrontMatter, description: str | None, directory: str) -> Iterator[Problem]:
    """What is wrong with the name, then with the description (1 to 1024 characters as decoded) of a skill.

    ``directory`` is the name of the skill's directory, which its name must equal.
    """
    name, line = front.texts.get("name", ""), front.line("name")
    if not stripped(name):
        yield Problem(WarningCode.MISSING_NAME, "`name` is missing", line)
    else:
        if len(name) > LONGEST_NAME:
            yield Problem(WarningCode.INVALID_NAME, f"`name` has more than {LONGEST_NAME} characters", line)
        elif not _NAME.fullmatch(name):
            reason = "`name` may hold a-z, 0-9 and single hyphens between them, nothing else"
            yield Problem(WarningCode.INVALID_NAME, reason, line)
        if name != directory:
            reason = f"`name` differs from the name of its directory, {shown_key(directory)}"
            yield Problem(WarningCode.NAME_MISMATCH, reason, line)
    line = front.line("description")
    if not stripped(description):
        yield Problem(WarningCode.MISSING_DESCRIPTION, "`description` is missing", line)
    elif (length := _length(description)) > LONGEST_DESCRIPTION:
        reason = f"`description` has {length} characters, {LONGEST_DESCRIPTION} is the most"
        yield Problem(WarningCode.DESCRIPTION_TOO_LONG, reason, line)


def _length(text: str | None) -> int:
    """Characters of a decoded text, without the line ends that close a block scalar."""
    return len((text or "").rstrip("\r\n"))


def problem_of(error: SkillFileError, what: str = SKILL_FILE) -> Problem:
    """The problem that an error in reading a ``SKILL.md``, or what leads to it, amounts to."""
    match error:
        case FrontMatterError():
            return Problem(WarningCode.NO_FRONTMATTER, error.reason, error.line)
        case UnicodeDecodeError():
            return Problem(WarningCode.READ_FAILED, f"{what}: it is no UTF-8 text")
        case OSError():
            return Problem(WarningCode.READ_FAILED, f"{what}: {reason_of(error)}")


def warning_of(problem: Problem, skill: str, file: Path, done: str) -> SkillWarning:
    """The warning about a problem. ``skill`` is the directory's name, ``done`` what became of the skill or the file."""
    at = f"{SKILL_FILE} line {problem.line}: " if problem.line else ""
    label = skill.encode("utf-8", "backslashreplace").decode()
    return SkillWarning(problem.code, label, f"{at}{problem.reason}; {done}", file, problem.line)
