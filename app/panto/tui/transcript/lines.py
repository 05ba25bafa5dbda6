"""What a line of Markdown can be, as far as it can be told from the line alone."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"(?P<indent> {0,3})(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_ITEM = re.compile(r" {0,3}(?P<mark>[-*+]|(?P<number>\d{1,9})[.)])(?P<after>[ \t]+|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_QUOTE = re.compile(r" {0,3}>")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]+\]:")
_DEFINITION = re.compile(r" {0,3}\[[^\]^][^\]]*\]:")
_UNFINISHED = re.compile(r"(?:`{2,}[\w+#-]*|~+\w*|#{1,6}|[*+]|>|\d{1,9}[.)]?|[|:\- \t]*)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_TICKS = re.compile(r"`+")
_CODE_INDENT = 4


@dataclass(frozen=True)
class Marker:
    """How a list item begins: the kind of list, its number (None for a bullet), and where its content stands."""

    kind: str
    number: int | None
    content: int
    is_empty: bool


def indent_of(line: str) -> int:
    """How many columns a line is indented."""
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(4))


def dedented(line: str, columns: int) -> str:
    """A line with so many columns less of indentation, as far as it has any."""
    text = line.lstrip(" \t")
    blanks = line[: len(line) - len(text)]
    if "\t" in blanks and columns:
        blanks = blanks.expandtabs(4)
    return blanks[columns:] + text


def opening_fence(line: str) -> re.Match[str] | None:
    """The parts of a line that opens a fence; None if it does not."""
    match = _FENCE.match(line)
    return None if match is None or (match["mark"][0] == "`" and "`" in match["info"]) else match


def is_code(line: str) -> bool:
    """Whether a line that continues no paragraph is indented code."""
    return indent_of(line) >= _CODE_INDENT


def is_rule(line: str) -> bool:
    """Whether a line that stands by itself is a rule."""
    return _RULE.match(line) is not None


def is_heading(line: str) -> bool:
    """Whether a line is a heading. One with a bar in it might begin a table."""
    return _HEADING.match(line) is not None and "|" not in line


def is_footnote(line: str) -> bool:
    """Whether a line begins a footnote."""
    return _FOOTNOTE.match(line) is not None


def is_definition(line: str) -> bool:
    """Whether a line begins a link definition."""
    return _DEFINITION.match(line) is not None


def marker_of(line: str) -> Marker | None:
    """How a line begins a list item; None if it does not."""
    match = _ITEM.match(line)
    if match is None or is_rule(line):
        return None
    blanks = len(match["after"].expandtabs(4))
    is_empty = match.end() == len(line)
    content = match.end("mark") + (blanks if not is_empty and blanks <= _CODE_INDENT else 1)
    number = int(match["number"]) if match["number"] else None
    return Marker(match["mark"][-1], number, content, is_empty)


def interrupts(line: str) -> bool:
    """Whether a line begins another block though a paragraph is going on."""
    if opening_fence(line) or is_heading(line) or is_footnote(line):
        return True
    marker = marker_of(line)
    return marker is not None and not marker.is_empty and marker.number in (None, 1)


def ends_item(line: str) -> bool:
    """Whether a line, indented less than a list item's content, can't go on with the item's paragraph."""
    others = opening_fence(line) or is_heading(line) or is_rule(line) or _QUOTE.match(line)
    return bool(others) or marker_of(line) is not None


def ends_table(line: str) -> bool:
    """Whether a line that is not blank is no row of a table that is going on."""
    return bool(_QUOTE.match(line) or marker_of(line)) or is_rule(line) or is_code(line) or interrupts(line)


def is_unfinished(line: str) -> bool:
    """Whether a line that still grows says nothing yet but what it might become."""
    return _UNFINISHED.fullmatch(line.strip()) is not None


def guarded(text: str) -> str:
    """Text from the middle of a paragraph, with its first character kept from beginning another block."""
    if not (interrupts(text) or marker_of(text) or is_rule(text) or _QUOTE.match(text) or is_code(text)):
        return text
    text = text.lstrip()
    mark = re.match(r"\d*", text)
    at = mark.end() if mark else 0
    return f"{text[:at]}\\{text[at:]}"


def mended(text: str) -> str:
    """Markdown that still grows, with what is open in it closed, or left out if it has only just begun."""
    outside = _CODE_SPAN.sub("", text)
    ticks = _TICKS.search(outside)
    if ticks is not None:
        return text[: -len(ticks[0])] if text.endswith(ticks[0]) else text + ticks[0]
    for mark in ("**", "~~"):
        if outside.count(mark) % 2:
            return text[:-2] if text.endswith(mark) else text.rstrip() + mark
    return text
