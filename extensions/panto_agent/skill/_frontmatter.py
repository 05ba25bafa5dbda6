"""Front matter: a closed subset of YAML, read line by line, and refused where reading on would lose something.

Keys stand flush left. Each value takes its own lines and no more, and every line that no value takes is judged here: a
line that opens a key where YAML reads none refuses the block, since what stands behind it would be lost.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from panto_agent.skill._block import read_usual_block
from panto_agent.skill._entries import FIRST_LINE, Entry, cut_entries
from panto_agent.skill._flow import Flow, keys_of, scan_flow
from panto_agent.skill._lines import (
    BLANKS,
    PROPERTIES,
    TOOL_KEYS,
    is_empty,
    is_item,
    key_line,
    opened_key,
    tool_key_in,
    without_comment,
)
from panto_agent.skill._quoted import unquoted
from panto_agent.skill._records import FrontMatterError, shown_key
from panto_agent.skill._toollist import read_tool_list
from panto_agent.skill._value import Value, ValueKind, open_value

ALLOW, DENY, DENY_ALIAS = "allowed-tools", "disallowed-tools", "disallowedTools"

_USUAL_FLOW = re.compile(r"\[[^\[\]{}\"'#\\]*\]|\{[^\[\]{}\"'#\\]*\}")
"""A flow collection on one line with none in it, and nothing quoted."""
_INDENTED = re.compile(r"(?:[ \t].*\n|\n)*+")
_OPENING = frozenset("\"'[{|>&!#")
"""Characters that make of a value more than the text on its line, or might."""


class FrontMatter(NamedTuple):
    """All that a block of front matter says.

    ``entries`` are the keys that are no tool lists, and ``texts`` the texts of those that have one: a null and a nested
    block are none.
    """

    entries: dict[str, Entry]
    texts: dict[str, str]
    allowed_tools: list[str] | None
    disallowed_tools: list[str] | None

    def line(self, key: str) -> int | None:
        """The line of a key in the file."""
        entry = self.entries.get(key)
        return entry.line if entry else None


def read_front_matter(block: str) -> FrontMatter:
    """Read the text between the fences.

    Raises FrontMatterError, with the line, for a block that can't be read to its end or would lose a part of it.
    """
    if "\r" in block:
        block = block.replace("\r\n", "\n")
    entries, before = cut_entries(block if block.endswith("\n") else f"{block}\n")
    if before:
        _judge_lines(before, 0, FIRST_LINE, None)
    allowed = _tool_list(entries, ALLOW)
    disallowed = _tool_list(entries, DENY)
    if disallowed is None:
        disallowed = _tool_list(entries, DENY_ALIAS)
    texts: dict[str, str] = {}
    for key, entry in entries.items():
        text = _text(entry)
        if text is not None:
            texts[key] = text
    return FrontMatter(entries, texts, allowed, disallowed)


def _tool_list(entries: dict[str, Entry], key: str) -> list[str] | None:
    """Take a tool list out of the entries and read it; None when it is absent or null."""
    entry = entries.pop(key, None)
    return read_tool_list(entry) if entry else None


def _text(entry: Entry) -> str | None:
    """Read a key that is no tool list: its value as written on its line, or one quoted or block scalar, decoded."""
    first = entry.first.strip(BLANKS)
    if not entry.rest and (first[:1] not in _OPENING or ("llowed" not in first and _USUAL_FLOW.fullmatch(first))):
        return first or None
    if not first and _is_harmless(entry.rest):
        return None
    usual = read_usual_block(first, entry.rest)
    if usual is not None:
        return usual
    value = open_value(entry.lines, 0, entry.key, entry.line)
    if value.kind is ValueKind.NOTHING:
        _judge_nested(entry)
        return None
    if value.kind is ValueKind.PLAIN:
        _judge_properties(entry)
    elif not value.is_text:
        _refuse_tool_key(entry, value)
    _judge_lines(entry.lines, value.rows, entry.line, entry.key)
    return value.text if value.is_text else first


def _is_harmless(nested: str) -> bool:
    """Whether a nested block holds no tool list's key, seen at a glance: its lines are indented, and neither the keys'
    common letters nor the escapes to write them with occur."""
    return "llowed" not in nested and "\\" not in nested and _INDENTED.fullmatch(nested) is not None


def _refuse_tool_key(entry: Entry, value: Value) -> None:
    """A tool list's key in a flow collection, or behind a closing quote or bracket, is a list that would be lost."""
    row = value.rows - 1
    _refuse_inner(entry, row, keys_of(value.flow) if value.flow else ())
    if not value.ends_clean:
        _refuse_inner(entry, row, (tool_key_in(value.tail),))
        if value.flow is None and key_line(f"key{value.tail}") is not None:
            _refuse_inner(entry, row, (value.text,))


def _judge_properties(entry: Entry) -> None:
    """An anchor or a tag is kept as text, yet a flow mapping behind it may hold a tool list's key all the same."""
    line = entry.lines[0]
    start = len(line) - len(line.lstrip(BLANKS))
    properties = PROPERTIES.match(line, start)
    if (
        properties is not None
        and properties.end() > start
        and line[properties.end() : properties.end() + 1] in ("[", "{")
    ):
        _refuse_inner(entry, 0, keys_of(scan_flow(entry.lines, 0, properties.end())))


def _judge_lines(lines: Sequence[str], taken: int, first: int, above: str | None) -> None:
    """Judge the lines that a value does not take. ``first`` is the number of the first of all the lines."""
    for row in range(taken, len(lines)):
        line = lines[row]
        if is_empty(line):
            continue
        if line[0] not in BLANKS:
            raise FrontMatterError("a flush-left line that is neither a key nor a comment", first + row)
        key = opened_key(line).key or tool_key_in(line)
        if key is not None:
            where = f"under {shown_key(above)}, whose value is no nested block" if above else "before the first key"
            raise FrontMatterError(f"the key {shown_key(key)} is indented {where}", first + row)


def _judge_nested(entry: Entry) -> None:
    """Go over the nested block below a key. Nothing in it is read, and so no tool list may stand in it."""
    lines = entry.lines
    scan = _NestedFlows(lines)
    explicit = False
    for row in range(1, len(lines)):
        line = lines[row]
        if is_empty(line):
            continue
        if line[0] not in BLANKS and not is_item(line) and not scan.covers(row):
            raise FrontMatterError("a flush-left line that is neither a key nor a comment", entry.line + row)
        opened = opened_key(line)
        explicit = explicit or opened.explicit
        if opened.key is None and explicit:
            _refuse_inner(entry, row, (unquoted(without_comment(line[opened.value_at :])),))
        _refuse_inner(entry, row, (opened.key,))
        flow = scan.flow_in(row, opened.value_at)
        if flow is not None:
            _refuse_inner(entry, row, keys_of(flow))


class _NestedFlows:
    """Finds the flow collections in a nested block, reading no line more than twice."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._covered = 0
        self._all_close = True

    def covers(self, row: int) -> bool:
        """Whether the line belongs to a collection that opened further up."""
        return row < self._covered

    def flow_in(self, row: int, column: int) -> Flow | None:
        """The collection that opens in a line at a value's column, unless one from further up covers the line."""
        line = self.lines[row]
        while column < len(line) and line[column] in BLANKS:
            column += 1
        properties = PROPERTIES.match(line, column)
        column = properties.end() if properties else column
        if self.covers(row) or line[column : column + 1] not in ("[", "{"):
            return None
        if not self._all_close:  # once one runs on to the block's end, the others are looked at in their own line
            return scan_flow([line], 0, column)
        flow = scan_flow(self.lines, row, column)
        self._all_close = flow.closed
        self._covered = flow.row + 1 if flow.closed else 0
        return flow


def _refuse_inner(entry: Entry, row: int, keys: Iterable[str | None]) -> None:
    for key in keys:
        if key in TOOL_KEYS:
            raise FrontMatterError(
                f"the tool list {shown_key(key)} stands within {shown_key(entry.key)}; it is read flush left only",
                entry.line + row,
            )
