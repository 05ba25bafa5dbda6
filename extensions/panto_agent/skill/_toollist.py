"""Tool lists, ``allowed-tools`` and ``disallowed-tools``: read whole, in every spelling YAML has for them, or refused.

A list that lost an entry would be a looser skill than the one its author wrote, so there is no reading in part. YAML's
structure is YAML's, inside a rule's parentheses too; the text that it leaves is then cut into entries at blanks, tabs
and commas outside parentheses, which are counted by depth.
"""

import re
from collections.abc import Sequence

from panto_agent.skill._entries import Entry
from panto_agent.skill._flow import Flow, Token, TokenKind, keys_of
from panto_agent.skill._lines import (
    BLANKS,
    TOOL_KEYS,
    holds_mapping,
    indentation,
    is_empty,
    is_item,
    opened_key,
    starts_plain,
    tool_key_in,
    without_comment,
)
from panto_agent.skill._records import FrontMatterError, shown_key
from panto_agent.skill._value import Value, ValueKind, content_row, open_value

# What nearly every list is, and a glance is enough to read: rules of letters that no syntax gives a meaning to, in a
# plain scalar or a flow sequence on one line, or in a block sequence with an item a line.
_LETTER = r"[^ \t\n,()#\[\]{}\"'\\]"
_RULE = rf"[A-Za-z0-9_]{_LETTER}*+(?:\((?:{_LETTER}|[ \t])*+\))?(?=[ \t\n,\"\]]|\Z)"
_RULES = rf"(?:{_RULE}(?:[ \t,]++|(?=\n)|\Z))++"
_USUAL_RULE = re.compile(_RULE)
_USUAL_PLAIN = re.compile(rf"[ \t]*{_RULES}")
_USUAL_FLOW = re.compile(rf'[ \t]*\[[ \t]*(?:(?:"{_RULE}"|{_RULE})[ \t]*(?:,[ \t]*|(?=\])))++\][ \t]*')
_USUAL_ITEMS = re.compile(rf'(?:[ \t]*-[ \t]+(?:"{_RULE}"[ \t]*|{_RULES})\n)++')
_COLON_THAT_COUNTS = re.compile(r":(?=[ \t\n,\"\]]|\Z)")

_NULL = frozenset({"~", "null", "Null", "NULL"})
_SEPARATORS = frozenset(" \t,")


def read_tool_list(entry: Entry) -> list[str] | None:
    """The entries as the author wrote them, without a change; None for null, which is as good as no list.

    Raises FrontMatterError when any part of the value can't be read as entries of a list.
    """
    return usual_list(entry) or any_list(entry)


def usual_list(entry: Entry) -> list[str] | None:
    """The entries of a list that is read at a glance, as nearly all are; None for any other, readable or not."""
    if not entry.rest:
        text, usual = entry.first, _USUAL_FLOW if "[" in entry.first else _USUAL_PLAIN
    elif not entry.first and _is_even(entry.rest):
        text, usual = entry.rest, _USUAL_ITEMS
    else:
        return None
    if not usual.fullmatch(text) or _COLON_THAT_COUNTS.search(text):
        return None
    entries: list[str] = _USUAL_RULE.findall(text)
    return entries if _NULL.isdisjoint(entries) else None


def _is_even(rest: str) -> bool:
    """Whether every line has its dash at one indentation."""
    dash = rest[: rest.find("-") + 1]
    return rest.startswith(dash) and rest.count(f"\n{dash}") == rest.count("\n") - 1


def any_list(entry: Entry) -> list[str] | None:
    """The entries of a list, however it is written."""
    reader = _Reader(entry)
    if not is_empty(entry.lines[0]):
        return reader.whole(entry.lines, 0)
    row = content_row(entry.lines[1:])
    if row is None:
        return None
    row += 1
    line = entry.lines[row]
    indent = indentation(line)
    if is_item(line[len(indent) :]):
        return reader.items(row, indent)
    if not indent:
        raise reader.error("is followed by a flush-left line that is no key", row)
    return reader.whole(entry.lines[row:], row)


def cut(text: str) -> list[str]:
    """The entries of a text, each line of it by itself. Raises ValueError, with the reason, for what spells no rule."""
    entries: list[str] = []
    for line in text.split("\n"):
        _cut_line(line, entries)
    return entries


def _cut_line(line: str, entries: list[str]) -> None:
    start: int | None = None
    depth = 0
    complete = False  # the entry's group has closed, so nothing more may follow in it
    for at, char in enumerate(line):
        if depth == 0 and char in _SEPARATORS:
            if start is not None:
                entries.append(line[start:at])
            start, complete = None, False
        elif complete:
            raise ValueError("has an entry with text behind its parentheses")
        elif char == ")":
            depth -= 1
            if depth < 0:
                raise ValueError("has an entry that closes a parenthesis it does not open")
            complete = depth == 0
        elif char == "(":
            if start is None:
                raise ValueError("has a rule in parentheses with no tool name before it")
            depth += 1
        elif start is None:
            start = at
    if depth:
        raise ValueError("has an entry that opens a parenthesis it does not close")
    if start is not None:
        entries.append(line[start:])


class _Reader:
    """Reads the value of one entry; rows count from the entry's first line."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry

    def error(self, reason: str, row: int, inner: str | None = None) -> FrontMatterError:
        """The refusal; ``inner`` is another tool list's key that the value holds."""
        holds = f" (it holds the key {shown_key(inner)}, which belongs flush left)" if inner else ""
        return FrontMatterError(f"the tool list {shown_key(self.entry.key)} {reason}{holds}", self.entry.line + row)

    def whole(self, lines: Sequence[str], row: int) -> list[str] | None:
        """The list that is one node: a flow sequence, or a scalar to cut."""
        value = self._open(lines, 0, row)
        if value.flow is not None:
            self._check_tail(value, row)
            self._check_rest(lines, value.rows, row)
            return self._flow(value.flow, row)
        text = self._scalar(value, lines, row)
        return None if text is None else self._cut(text, row)

    def items(self, row: int, indent: str) -> list[str]:
        """The list that is a block sequence, with all its items at one indentation, be it blanks or tabs."""
        lines = self.entry.lines
        entries: list[str] = []
        while row < len(lines):
            line = lines[row]
            if is_empty(line):
                row += 1
                continue
            text = line[len(indent) :]
            if indentation(line) != indent or not is_item(text):
                key = opened_key(line).key
                raise self.error(
                    f"goes on with {shown_key(key)}, which is no item" if key else "goes on with what is no item", row
                )
            end = row + 1
            while end < len(lines) and (is_empty(lines[end]) or _is_deeper(lines[end], indent)):
                end += 1
            entries.extend(self._item([text[1:], *lines[row + 1 : end]], len(indent), row))
            row = end
        return entries

    def _item(self, lines: Sequence[str], base: int, row: int) -> list[str]:
        skipped = content_row(lines)
        if skipped is None:
            raise self.error("has an empty item", row)
        lines, row = lines[skipped:], row + skipped
        value = self._open(lines, base, row)
        if value.flow is not None or (skipped and is_item(lines[0].lstrip(BLANKS))):
            raise self.error("has a list or a mapping as an item", row, _inner_key(value.flow))
        text = self._scalar(value, lines, row)
        entries = [] if text is None else self._cut(text, row)
        if not entries:
            raise self.error("has an empty item", row)
        return entries

    def _open(self, lines: Sequence[str], base: int, row: int) -> Value:
        return open_value(lines, base, self.entry.key, self.entry.line + row)

    def _scalar(self, value: Value, lines: Sequence[str], row: int) -> str | None:
        """The text of a scalar, None for null, once it is sure that the scalar is all there is."""
        if value.kind is ValueKind.PLAIN:
            return self._plain(lines, row)
        if value.text is None:
            raise self.error("has a quoted text with an escape that YAML does not know", row)
        if not value.sound:
            raise self.error("starts with a blank line that is more indented than its text", row)
        self._check_tail(value, row)
        self._check_rest(lines, value.rows, row)
        return value.text

    def _plain(self, lines: Sequence[str], row: int) -> str | None:
        """An unquoted scalar over all its lines, folded: a line break is a blank, n blank lines are n breaks."""
        if not starts_plain(lines[0].strip(BLANKS)):
            raise self.error("starts with a character that YAML keeps for its own use; quote it", row)
        parts: list[str] = []
        breaks = 0
        ended = False
        for offset, line in enumerate(lines):
            text = line.strip(BLANKS)
            if not text:
                breaks += 1
            elif text[0] == "#":
                ended = True
            elif ended or (offset and line[0] not in BLANKS):
                raise self.error("is followed by a line that is no part of it", row + offset, tool_key_in(text))
            else:
                bare = without_comment(text)
                if holds_mapping(bare):
                    raise self.error(
                        "holds `: `, which YAML reads as a mapping; quote it", row + offset, tool_key_in(text)
                    )
                parts.extend(("\n" * breaks or " ", bare) if parts else (bare,))
                breaks, ended = 0, bare != text
        folded = "".join(parts)
        return None if folded in _NULL else folded

    def _flow(self, flow: Flow, row: int) -> list[str]:
        """The entries of a flow sequence: scalars, commas between them, and at most one comma behind the last."""
        if flow.tokens[0].text != "[":
            raise self.error("is a mapping", row, _inner_key(flow))
        entries: list[str] = []
        tokens = iter(flow.tokens[1:])
        for token in tokens:
            if token.is_mark("]"):
                return entries
            if token.kind is TokenKind.MARK:
                self._refuse_mark(flow, token, row)
            entries.extend(self._flow_entry(token, row))
            following = next(tokens)
            if following.is_mark("]"):
                return entries
            if not following.is_mark(","):
                self._refuse_mark(flow, following, row)
        return entries

    def _flow_entry(self, token: Token, row: int) -> list[str]:
        row += token.row
        if token.kind is TokenKind.UNREADABLE:
            raise self.error("has a quoted text with an escape that YAML does not know", row)
        if token.kind is TokenKind.PLAIN and (not starts_plain(token.text) or token.text in _NULL):
            raise self.error("has an entry that YAML does not read as a text; quote it", row)
        entries = self._cut(token.text, row)
        if not entries:
            raise self.error("has an empty entry", row)
        return entries

    def _refuse_mark(self, flow: Flow, token: Token, row: int) -> None:
        what = "has an empty entry" if token.is_mark(",") else "has a list, a mapping or a stray text as an entry"
        raise self.error(what, row + token.row, _inner_key(flow))

    def _cut(self, text: str, row: int) -> list[str]:
        try:
            return cut(text)
        except ValueError as problem:
            raise self.error(str(problem), row) from None

    def _check_tail(self, value: Value, row: int) -> None:
        if not value.ends_clean:
            reason = "goes on behind its closing quote or bracket"
            raise self.error(reason, row + value.rows - 1, tool_key_in(value.tail))

    def _check_rest(self, lines: Sequence[str], rows: int, row: int) -> None:
        """Nothing may follow that the value does not take."""
        for offset in range(rows, len(lines)):
            if is_empty(lines[offset]):
                continue
            key = opened_key(lines[offset]).key
            reason = (
                f"is followed by an indented key, {shown_key(key)}"
                if key
                else "is followed by a line that is no part of it"
            )
            raise self.error(reason, row + offset)


def _is_deeper(line: str, indent: str) -> bool:
    return line.startswith(indent) and line[len(indent) : len(indent) + 1] in (" ", "\t")


def _inner_key(flow: Flow | None) -> str | None:
    return next((key for key in keys_of(flow) if key in TOOL_KEYS), None) if flow else None
