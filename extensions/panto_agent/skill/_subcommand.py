"""``panto-py skills``: what is discovered here, and what the strict loader says of a directory."""

import asyncio
import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from panto import JSONObject, Subcommand, SubcommandError
from panto_agent.skill._catalogue import Catalogue, Found, Refused
from panto_agent.skill._files import reason_of
from panto_agent.skill._listing import Places, one_line, reason
from panto_agent.skill._loader import check_skills
from panto_agent.skill._records import SkillVerdict, SkillWarning, shown

_NAME = 80
_DESCRIPTION = 120


def skills_subcommand(catalogue: Catalogue, project: Path, places: Places) -> Subcommand:
    """The subcommand for the skills of a project; a directory to check is relative to it."""

    async def run(given: Namespace, say: Callable[[str], None]) -> int:
        as_json = bool(given.json)
        if given.action == "list":
            entries = [_entry(state, item) for state, item in _states(catalogue)]
            lines = [_json(entries)] if as_json else list(_listed(catalogue, places))
            say("\n".join(lines))
            return 0
        return await _check(project, str(given.directory), say, as_json=as_json)

    return Subcommand("skills", "list the skills found here, or check a directory of skills", _arguments, run)


def _arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="every skill that is found, and what is shadowed or refused")
    check = actions.add_parser("check", help="what the format's strict reading says; exit 1 if it refuses a skill")
    check.add_argument("directory", metavar="DIR", help="a directory of skills, or one skill's own")
    for action in (listing, check):
        action.add_argument("--json", action="store_true", help="print one JSON array")


async def _check(project: Path, directory: str, say: Callable[[str], None], *, as_json: bool) -> int:
    try:
        verdicts = await asyncio.to_thread(_checked, project / directory)
    except (OSError, ValueError) as error:  # ValueError: no system can have such a path
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        raise SubcommandError(f"{shown(directory)} can't be listed ({why})") from None
    if as_json:
        say(_json([_verdict(verdict) for verdict in verdicts]))
    else:
        lines = [line for verdict in verdicts for line in _judged(verdict)]
        say("\n".join(lines) or f"no skills in {shown(directory)}")
    return 0 if all(verdict.loaded for verdict in verdicts) else 1


def _checked(directory: Path) -> list[SkillVerdict]:
    """The verdicts on a directory, which goes by its own name also where it is written as ``..``. Raises OSError."""
    return check_skills(os.path.abspath(directory))  # noqa: PTH100 - links stay as they are


def _judged(verdict: SkillVerdict) -> Iterator[str]:
    name = shown(verdict.skill, _NAME)
    if verdict.loaded:
        yield f"ok  {name}"
    state = "warning" if verdict.loaded else "refused"
    yield from (f"{state}  {name}  {_place('SKILL.md', warning)}  {_why(warning)}" for warning in verdict.warnings)


def _verdict(verdict: SkillVerdict) -> JSONObject:
    warnings = [
        {"code": warning.code.value, "detail": warning.detail, "line": warning.line} for warning in verdict.warnings
    ]
    return {"skill": verdict.skill, "file": str(verdict.file), "loaded": verdict.loaded, "warnings": warnings}


def _states(catalogue: Catalogue) -> Iterator[tuple[str, Found | Refused]]:
    """All that was found, each with what became of it."""
    for found in catalogue.skills.values():
        yield "offered" if found.is_offered else "not offered", found
        yield from (("shadowed", other) for other in found.shadowed)
    yield from (("refused", refused) for refused in catalogue.refused)


def _entry(state: str, item: Found | Refused) -> JSONObject:
    if isinstance(item, Refused):
        warning = item.warning
        return {
            "name": warning.skill,
            "state": state,
            "layer": item.root.label,
            "path": str(warning.file),
            "line": warning.line,
            "code": warning.code.value,
            "detail": warning.detail,
        }
    header = item.header
    return {
        "name": header.name,
        "state": state,
        "layer": item.root.label,
        "path": str(header.path),
        "description": header.description,
        "allowed_tools": header.allowed_tools,
        "disallowed_tools": header.disallowed_tools,
    }


def _listed(catalogue: Catalogue, places: Places) -> Iterator[str]:
    """A line for each: state, name, layer, path, and the description or the reason."""
    empty = True
    for state, item in _states(catalogue):
        empty = False
        if isinstance(item, Refused):
            name, file, text = shown(item.warning.skill, _NAME), item.warning.file, _why(item.warning)
            path = _place(places.short(file), item.warning)
        else:
            name, text = one_line(item.header.name, _NAME), one_line(item.header.description, _DESCRIPTION)
            path = places.short(item.header.path)
        yield f"{state:<11}  {name}  {item.root.label}  {path}  {text}"
    if empty:
        yield "no skills here"


def _place(path: str, warning: SkillWarning) -> str:
    return path if warning.line is None else f"{path}:{warning.line}"


def _why(warning: SkillWarning) -> str:
    return f"{warning.code.value}  {reason(warning)}"


def _json(items: Sequence[JSONObject]) -> str:
    return json.dumps(items, indent=2)
