"""Styled text, and how it breaks into lines. What comes in here is safe text already."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.safe_text import cell_width, clusters

Line: TypeAlias = list[Segment]
"""One line of the screen, from its left edge; never wider than it was asked to be."""

_WORDS = re.compile(r"[^\S\n]+|\S+|\n")


def wrap(spans: Iterable[Segment], width: int) -> list[Line]:
    """Break styled text into lines of at most ``width`` columns: at blanks where there are any, else between clusters.

    The blanks at which a line breaks are dropped; ``\\n`` always breaks.
    """
    width = max(2, width)
    lines: list[Line] = [[]]
    used = 0
    gap: list[Segment] = []
    for word in _words(spans):
        text = word[0].text
        if text == "\n":
            lines.append([])
            used, gap = 0, []
            continue
        if text.isspace():
            gap = word
            continue
        needed = sum(cell_width(piece.text) for piece in word)
        blank = sum(len(piece.text) for piece in gap)
        if used and used + blank + needed > width:
            lines.append([])
            used = 0
        elif gap:
            lines[-1] += gap if used + blank < width else []
            used += blank if used + blank < width else 0
        gap = []
        if used + needed <= width:
            lines[-1] += word
            used += needed
        else:
            used = _break_word(word, width, lines, used)
    return lines


def chop(spans: Iterable[Segment], width: int) -> list[Line]:
    """Break styled text into lines of at most ``width`` columns with every blank kept: for code and output."""
    width = max(2, width)
    lines: list[Line] = [[]]
    used = 0
    for span in spans:
        for number, text in enumerate(span.text.split("\n")):
            if number:
                lines.append([])
                used = 0
            if text:
                used = _break_word([Segment(text, span.style)], width, lines, used)
    return lines


def indented(lines: Iterable[Line], first: Sequence[Segment], rest: Sequence[Segment]) -> list[Line]:
    """Lines behind a prefix: one for the first, one for the others."""
    return [[*(rest if number else first), *line] for number, line in enumerate(lines)]


def strip(line: Line, width: int, base: Style) -> Strip:
    """A line ready to be drawn: on the base style, exactly ``width`` columns wide."""
    return Strip(line).simplify().adjust_cell_length(width).apply_style(base)


def _words(spans: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Words, runs of blanks and line ends; a word may have several styles in it."""
    word: list[Segment] = []
    for span in spans:
        for match in _WORDS.finditer(span.text):
            piece = Segment(match[0], span.style)
            if match[0].isspace():
                if word:
                    yield word
                    word = []
                yield [piece]
            else:
                word.append(piece)
    if word:
        yield word


def _break_word(word: Sequence[Segment], width: int, lines: list[Line], used: int) -> int:
    """Put a word that does not fit onto as many lines as it takes; gives the columns used on the last."""
    for piece in word:
        start = 0
        text = piece.text
        if text.isascii():
            while len(text) - start > width - used:
                room = width - used
                lines[-1].append(Segment(text[start : start + room], piece.style))
                lines.append([])
                start, used = start + room, 0
            lines[-1].append(Segment(text[start:], piece.style))
            used += len(text) - start
            continue
        pending = ""
        for cluster, columns in clusters(text):
            if used + columns > width and (used or pending):
                lines[-1].append(Segment(pending, piece.style))
                lines.append([])
                pending, used = "", 0
            pending += cluster
            used += columns
        lines[-1].append(Segment(pending, piece.style))
    return used
