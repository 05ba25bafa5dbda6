"""``/commands``: all commands as Markdown, of which nothing that a file says is a part."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from panto import markdown_code, markdown_plain
from panto_agent.commands._catalogue import Found
from panto_agent.commands._walk import LONGEST_PATH, Fault
from panto_agent.skill._records import shown


def listing(commands: Iterable[Found], refused: Iterable[Fault]) -> str:
    """Every command with what it is for and where it is, what it stands in front of, and what was refused and why."""
    lines = [line for found in commands for line in _described(found)]
    faults = [f"- refused: {_place(fault)}: {markdown_plain(fault.reason)}" for fault in refused]
    return "\n".join((*lines, *faults)) or "No commands: no Markdown file in any of the places looked into."


def _described(found: Found) -> Iterator[str]:
    hint = f" {markdown_plain(found.hint)}" if found.hint else ""
    description = f": {markdown_plain(found.description)}" if found.description else ""
    yield f"- **/{markdown_plain(found.name)}**{hint} ({found.root.label}){description}"
    yield f"  {_code(found.path)}"
    yield from (f"  shadows {_code(path)}" for path in found.shadowed)


def _place(fault: Fault) -> str:
    line = "" if fault.line is None else f", line {fault.line}"
    return f"{_code(fault.path)}{line}"


def _code(path: Path) -> str:
    """A path as code, whatever it holds."""
    return markdown_code(shown(str(path), LONGEST_PATH))
