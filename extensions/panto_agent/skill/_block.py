"""Block scalars, ``|`` and ``>``: their header, the lines they take, and their text."""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from panto_agent.skill._lines import BLANKS

_HEADER = re.compile(r"([|>])(?:([1-9])([+-])?|([+-])([1-9])?)?(?:[ \t]+#.*|[ \t]*)\Z")

_USUAL_HEADERS = frozenset({"|", ">", "|-", ">-"})
_USUAL_BLOCK = re.compile(r"( +)[^ \t\n][^\n]*\n(?:\1[^ \t\n][^\n]*\n)*+")


class BlockHeader(NamedTuple):
    """The indicators of a block scalar. ``indent`` is None when its first line shows it; ``chomping`` is ``-``, ``+``
    or nothing."""

    folded: bool
    indent: int | None
    chomping: str


class Block(NamedTuple):
    """A block scalar's text, and how many of the lines below its header it takes.

    ``sound`` is False where YAML sees an error: a blank line at the start with more blanks than the text's indentation.
    """

    text: str
    rows: int
    sound: bool


def block_header(text: str) -> BlockHeader | None:
    """The header of a block scalar, if the text is one: indicators in either order, then at most a comment."""
    found = _HEADER.match(text)
    if found is None:
        return None
    style, digit, chomping, chomping_first, digit_last = found.groups()
    indent = digit or digit_last
    return BlockHeader(style == ">", int(indent) if indent else None, chomping or chomping_first or "")


def read_usual_block(text: str, below: str) -> str | None:
    """The text of a block scalar at the top level, read at a glance: a bare header, and lines below it that are all
    indented alike, down to the last. None for any other, readable or not."""
    found = _USUAL_BLOCK.fullmatch(below) if text in _USUAL_HEADERS else None
    if found is None:
        return None
    margin = found.group(1)
    separator = " " if text[0] == ">" else "\n"
    return below[len(margin) : -1].replace(f"\n{margin}", separator) + ("" if text[1:] == "-" else "\n")


def read_block(header: BlockHeader, lines: Sequence[str], base: int) -> Block:
    """Read the scalar from the lines below its header; ``base`` is the indentation of what holds it, in columns."""
    indent = base + header.indent if header.indent else _first_indent(lines)
    rows = _rows_taken(lines, indent) if indent > base else 0
    margin = " " * indent
    content = [line[indent:] if line.startswith(margin) else "" for line in lines[:rows]]
    while content and not content[-1]:
        content.pop()
    text = _folded(content) if header.folded else "\n".join(content)
    if header.chomping == "+":
        text += "\n" * (rows - len(content) + bool(content))
    elif content and not header.chomping:
        text += "\n"
    return Block(text, rows, header.indent is not None or _starts_sound(lines[:rows], indent))


def _first_indent(lines: Sequence[str]) -> int:
    for line in lines:
        if line.strip(BLANKS):
            return len(line) - len(line.lstrip(" "))
    return 0


def _starts_sound(lines: Sequence[str], indent: int) -> bool:
    leading = itertools.takewhile(lambda line: not line.strip(BLANKS), lines)
    return all(len(line) <= indent for line in leading)


def _rows_taken(lines: Sequence[str], indent: int) -> int:
    """How many lines are the scalar's: up to the first that is less indented, blank ones apart."""
    margin = " " * indent
    for row, line in enumerate(lines):
        if not line.startswith(margin) and line.strip(BLANKS):
            return row
    return len(lines)


def _folded(content: Sequence[str]) -> str:
    """A line break becomes a blank, and n blank lines n breaks; around more-indented lines all breaks stay."""
    parts: list[str] = []
    breaks = 0
    kept = False
    for index, line in enumerate(content):
        if not line:
            breaks += 1
            continue
        indented = line[0] in BLANKS
        if index == breaks:  # the first line of text
            parts.append("\n" * breaks)
        elif kept or indented:
            parts.append("\n" * (breaks + 1))
        else:
            parts.append("\n" * breaks or " ")
        parts.append(line)
        breaks, kept = 0, indented
    return "".join(parts)
