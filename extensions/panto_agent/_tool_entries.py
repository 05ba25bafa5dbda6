"""One entry of a tool list: which calls it means.

Lists are written for several programs. So a tool goes by its name here (``std.read``), by how that looks on the wire
(``std_read``), or by the name it has elsewhere (``Read``), all in any case; a glob (``std.*``, ``*``) means every tool
of such a name. A pattern in parentheses narrows an entry down, as permission rules do: ``Bash(git *)`` and
``Bash(git:*)`` are git with or without arguments, ``Read(src/**)`` is reading below ``src``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path

from panto import Need, Rule, RuleError, ToolCallEvent, parse_rule

SKILL_TOOL = "agent.skill"


@dataclass(frozen=True)
class _Known:
    """A tool here: what it is called elsewhere, and the ability that a pattern behind its name speaks of."""

    elsewhere: tuple[str, ...]
    ability: str = ""


_TOOLS: Mapping[str, _Known] = {
    "std.read": _Known(("Read",), "fs.read"),
    "std.write": _Known(("Write",), "fs.write"),
    "std.edit": _Known(("Edit", "MultiEdit"), "fs.write"),
    "std.glob": _Known(("Glob",), "fs.read"),
    "std.grep": _Known(("Grep",), "fs.read"),
    "std.list": _Known(("LS",), "fs.read"),
    "std.shell": _Known(("Bash",), "command.run"),
    SKILL_TOOL: _Known(("Skill",)),
}
_NO_WIRE = re.compile(r"[^a-z0-9_-]")
_GLOB = re.compile(r"[*?\[]")
_DOTTED = re.compile(r"[\w*?-]+(?:\.[\w*?-]+)+")


class Cover(IntEnum):
    """Whether an entry covers a call. Unsure: a command that begins as the pattern has it may hold another one."""

    NO = 0
    UNSURE = 1
    YES = 2


@dataclass(frozen=True)
class Entry:
    """An entry, as read. ``rules`` is what its pattern comes to; None means every call of the tool."""

    text: str
    tool: str
    is_known: bool
    rules: tuple[Rule, ...] | None = None

    def covers(self, event: ToolCallEvent, project: Path) -> Cover:
        """Whether it allows a call: with a pattern, each thing that the call needs must fall under it."""
        if not self.is_known or not _is_called(event.call.name, self.tool):
            return Cover.NO
        if self.rules is None:
            return Cover.YES
        return min((_cover(self.rules, need, project) for need in event.needs), default=Cover.NO)

    def denies(self, event: ToolCallEvent, project: Path) -> bool:
        """Whether it denies a call. With a pattern it denies what falls under that, whichever tool does it.

        One that is not known denies a tool that is called so, should there be one.
        """
        if self.rules is None:
            return _is_called(event.call.name, self.tool)
        return any(_denied(rule, need, project) for rule in self.rules for need in event.needs)


def read_entry(text: str, *, denies: bool) -> Entry:
    """Read an entry. One that is not known stands for nothing: no tool is called so, or it knows no such pattern.

    ``denies``: it stands in a list that rules tools out. There a pattern that can't be read rules out the whole tool.
    """
    name, parenthesis, rest = text.strip().partition("(")
    tool = _tool_named(name.strip())
    if not parenthesis:
        return Entry(text, tool, _is_tool(tool))
    ability = _TOOLS[tool].ability if tool in _TOOLS else ""
    if not ability:
        return Entry(text, tool, is_known=False, rules=())
    try:
        rules = tuple(map(parse_rule, _rules(ability, rest, denies=denies)))
    except RuleError:
        return Entry(text, tool, is_known=False, rules=None if denies else ())
    return Entry(text, tool, is_known=True, rules=rules)


def _tool_named(name: str) -> str:
    """The tool here that a name means; the name itself for one that may be a tool's all the same."""
    folded = name.casefold()
    for tool, known in _TOOLS.items():
        if folded in (tool, _wire(tool), *(other.casefold() for other in known.elsewhere)):
            return tool
    return folded


def _is_tool(name: str) -> bool:
    """Whether tools may be called so. Those of other extensions come and go: their whole names stand for themselves."""
    if _DOTTED.fullmatch(name):
        return True
    suites = {tool.partition(".")[0] for tool in _TOOLS}
    return name.partition("_")[0] in suites or any(_is_called(tool, name) for tool in _TOOLS)


def _is_called(tool: str, name: str) -> bool:
    spellings = (tool.casefold(), _wire(tool.casefold()))
    return any(fnmatchcase(spelling, name) for spelling in spellings) if _GLOB.search(name) else name in spellings


def _wire(tool: str) -> str:
    """A tool's name as models see it."""
    return _NO_WIRE.sub("_", tool)


def _rules(ability: str, rest: str, *, denies: bool) -> list[str]:
    """The permission rules that a pattern comes to; ``rest`` is what follows its opening parenthesis.

    Who may write a file may read it, but who may not write it may read it still. Raises `RuleError`.
    """
    pattern = rest.removesuffix(")").strip()
    if not rest.endswith(")") or not pattern.isprintable():
        raise RuleError(f"({rest} is no pattern")
    if ability == "command.run":
        return [f"{ability}({each})" for each in _commands(pattern)]
    also = ("fs.read",) if ability == "fs.write" and not denies else ()
    return [f"{each}({pattern.removeprefix('./')})" for each in (ability, *also)]


def _commands(pattern: str) -> tuple[str, ...]:
    """The patterns for command lines: one that ends in ``:*`` or a blank and ``*`` holds without arguments too."""
    for end in (":*", " *"):
        command = pattern.removesuffix(end).rstrip()
        if pattern.endswith(end) and command:
            return (command, f"{command} *")
    return ("*",) if pattern == ":*" else (pattern,)


def _cover(rules: tuple[Rule, ...], need: Need, project: Path) -> Cover:
    usable = [rule for rule in rules if rule.ability == need.ability]
    if any(rule.allows(need, project) for rule in usable):
        return Cover.YES
    unsure = need.ability == "command.run" and any(rule.covers(need, project) for rule in usable)
    return Cover.UNSURE if unsure else Cover.NO


def _denied(rule: Rule, need: Need, project: Path) -> bool:
    return rule.ability == need.ability and rule.covers(need, project)
