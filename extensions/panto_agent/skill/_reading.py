"""The lenient reader: what a skill says of itself, from its front matter alone, for listing many skills quickly.

It reads as the strict loader does, and differs in the policy: a name or a description that breaks the format's limits
is a warning, and a plain description that goes on over indented lines is folded as YAML folds it, not cut. Front matter
that can't be read whole is refused by both.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from panto_agent.skill._entries import Entry
from panto_agent.skill._fences import find_fences, read_block
from panto_agent.skill._files import read_whole
from panto_agent.skill._frontmatter import FrontMatter, read_front_matter
from panto_agent.skill._lines import BLANKS, is_empty, is_item, key_line
from panto_agent.skill._policy import field_problems, problem_of, stripped, warning_of
from panto_agent.skill._records import FrontMatterError, Problem, SkillError, SkillHeader, SkillWarning, WarningCode
from panto_agent.skill._value import ValueKind, content_row, open_value

_REFUSED_FOR = frozenset({WarningCode.MISSING_NAME, WarningCode.MISSING_DESCRIPTION})


def read_skill_header(path: str | os.PathLike[str]) -> SkillHeader | SkillWarning:
    """Read the front matter of one ``SKILL.md``, and nothing behind it.

    Gives the header, with warnings for what breaks the format but does no harm, or the one warning for which the skill
    is refused: it can't be read, its front matter can't be read whole, or it has no name or no description.
    """
    where = path if isinstance(path, Path) else Path(path)
    try:
        front = read_front_matter(read_block(where).decode())
        description = _take_description(front)
    except (OSError, UnicodeDecodeError, FrontMatterError) as error:
        return _warning(where, problem_of(error), "skill skipped")
    problems = list(field_problems(front, description, _directory_name(where)))
    for problem in problems:
        if problem.code in _REFUSED_FOR:
            return _warning(where, problem, "skill skipped")
    return SkillHeader(
        path=where,
        name=stripped(front.texts.pop("name")),
        description=stripped(description),
        allowed_tools=front.allowed_tools,
        disallowed_tools=front.disallowed_tools,
        fields=front.texts,
        warnings=tuple(_warning(where, problem, "loaded all the same") for problem in problems) if problems else (),
    )


def read_skill_body(path: str | os.PathLike[str]) -> str:
    """The Markdown behind the closing fence of a ``SKILL.md``, as it stands.

    Raises SkillError when the file can't be read, is no UTF-8 text, or has no front matter between fences.
    """
    where = Path(path)
    try:
        data = read_whole(where)
        return data[find_fences(data).body :].decode()
    except (OSError, UnicodeDecodeError, FrontMatterError) as error:
        raise SkillError(_warning(where, problem_of(error), "nothing of it was read")) from None


def _take_description(front: FrontMatter) -> str | None:
    """Take the description out of the texts, folded where it is a plain text that goes on over further lines."""
    text = front.texts.pop("description", None)
    entry = front.entries.get("description")
    if entry is None or not entry.rest or (text is not None and text != entry.first.strip(BLANKS)):
        return text  # there are no further lines, or it is decoded already
    lines = entry.lines
    value = open_value(lines, 0, entry.key, entry.line)
    if value.is_text:
        return text
    if value.kind is ValueKind.NOTHING:
        return _text_below(entry)
    return _folded(lines if value.kind is ValueKind.PLAIN else lines[: value.rows])


def _text_below(entry: Entry) -> str | None:
    """The text that starts on the line below its key; None when a list, a mapping or nothing stands there."""
    lines = entry.lines[1:]
    row = content_row(lines)
    if row is None:
        return None
    lines = [lines[row].strip(BLANKS), *lines[row + 1 :]]
    if is_item(lines[0]) or key_line(lines[0]):
        return None
    value = open_value(lines, 0, entry.key, entry.line + row + 1)
    if value.kind is not ValueKind.PLAIN:
        return value.text if value.is_text else None
    nested = any(key_line(line.strip(BLANKS)) for line in lines if not is_empty(line))
    return None if nested else _folded(lines)


def _folded(lines: Sequence[str]) -> str:
    """Lines as YAML folds them: a line break is a blank, n blank lines are n breaks. Comment lines fall away."""
    parts: list[str] = []
    breaks = 0
    for line in lines:
        text = line.strip(BLANKS)
        if not text:
            breaks += 1
        elif text[0] != "#":
            parts.extend(("\n" * breaks or " ", text) if parts else (text,))
            breaks = 0
    return "".join(parts)


def _warning(path: Path, problem: Problem, done: str) -> SkillWarning:
    return warning_of(problem, _directory_name(path), path, done)


def _directory_name(path: Path) -> str:
    parts = path.parts
    return parts[-2] if len(parts) > 1 else path.absolute().parent.name
