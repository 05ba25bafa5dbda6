"""The list of skills on screen, as Markdown in which nothing of a skill's is markup."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from panto import markdown_code, markdown_plain
from panto_agent.skill._catalogue import Catalogue, Found, Refused
from panto_agent.skill._records import SkillWarning, shown

_LONGEST_DESCRIPTION = 160
_MOST_ENTRIES = 20


class Places:
    """Where paths are shown from: relative to the project, else with ``~`` for the home directory."""

    def __init__(self, project: Path, home: Path) -> None:
        self._project = project
        self._home = home

    def short(self, path: Path) -> str:
        """A path for people, on one line."""
        if path.is_relative_to(self._project):
            path = path.relative_to(self._project)
        elif path.is_relative_to(self._home):
            path = "~" / path.relative_to(self._home)
        return shown(os.fspath(path), longest=4096)


def listing(catalogue: Catalogue, places: Places) -> str:
    """Every skill with where it comes from, what it stands in front of and may use; then what was refused, and why."""
    if not catalogue.skills and not catalogue.refused:
        return "No skills: no SKILL.md in any of the places looked into."
    lines = [_counts(catalogue), ""]
    lines.extend(line for found in catalogue.skills.values() for line in _skill(found, places))
    if catalogue.refused:
        lines.extend(("", "Refused:", ""))
        lines.extend(f"- {_refused(refused, places)}" for refused in catalogue.refused)
    return "\n".join(lines)


def reason(warning: SkillWarning) -> str:
    """What is wrong, without the place that stands beside it."""
    return shown(warning.detail.removeprefix(f"SKILL.md line {warning.line}: "), longest=400)


def one_line(text: str, longest: int) -> str:
    """A text on one line, cut to a length."""
    line = shown(" ".join(text.split()), longest=longest * 2)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def _counts(catalogue: Catalogue) -> str:
    skills = catalogue.skills.values()
    offered = sum(found.is_offered for found in skills)
    counts = {
        "not offered to the model": len(skills) - offered,
        "shadowed": sum(len(found.shadowed) for found in skills),
        "refused": len(catalogue.refused),
    }
    more = [f", {number} {what}" for what, number in counts.items() if number]
    return f"{len(skills)} skill{'' if len(skills) == 1 else 's'}: {offered} offered to the model{''.join(more)}."


def _skill(found: Found, places: Places) -> Iterator[str]:
    header = found.header
    hidden = "" if found.is_offered else ", not offered to the model"
    by_hand = "" if found.is_for_users else ", not to be loaded by hand"
    description = markdown_plain(one_line(header.description, _LONGEST_DESCRIPTION))
    yield f"- **{markdown_plain(one_line(header.name, 80))}** ({found.root.label}{hidden}{by_hand}): {description}"
    yield f"  - {markdown_code(places.short(header.path))}"
    yield from (f"  - {line}" for line in _tools(header.allowed_tools, header.disallowed_tools))
    yield from (
        f"  - shadows {markdown_code(places.short(other.header.path))} ({other.root.label})" for other in found.shadowed
    )
    yield from (f"  - {_warning(warning, places)}" for warning in header.warnings)


def _tools(allowed: Sequence[str] | None, disallowed: Sequence[str] | None) -> Iterator[str]:
    if allowed is not None:
        yield f"tools while it is active: {_entries(allowed) or 'none'}"
    if disallowed:
        yield f"tools it rules out: {_entries(disallowed)}"


def _entries(entries: Sequence[str]) -> str:
    more = [f"and {len(entries) - _MOST_ENTRIES} more"] if len(entries) > _MOST_ENTRIES else []
    return ", ".join([*(markdown_code(one_line(entry, 80)) for entry in entries[:_MOST_ENTRIES]), *more])


def _refused(refused: Refused, places: Places) -> str:
    return f"{_warning(refused.warning, places)} ({refused.root.label})"


def _warning(warning: SkillWarning, places: Places) -> str:
    line = "" if warning.line is None else f":{warning.line}"
    return f"{markdown_code(places.short(warning.file))}{line}: {warning.code.value}: {markdown_plain(reason(warning))}"
