"""Rows of the screen, and how styled text breaks into them. What comes in here is safe text already."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.palette import Palette
from panto.tui.safe_text import breaks, cell_width

Span: TypeAlias = Segment
"""A piece of text in one style."""
LINE_END = "\n"


class Row:
    """One row of an entry.

    ``spans`` is text that someone wrote; ``edge`` is what we draw before it (bars, bullets, indentation), which is no
    part of it. ``joint`` is the text between the row above and this one: a line end, or the blanks at which a line was
    broken, or nothing where a word was. So the written text can be put together again from its rows. ``fill`` is the
    style of the empty cells behind the text, where it is not that of the screen.
    """

    __slots__ = ("_strip", "edge", "fill", "joint", "spans")

    def __init__(
        self, spans: Sequence[Span], joint: str = LINE_END, edge: Sequence[Span] = (), fill: Style | None = None
    ) -> None:
        self.spans = spans
        self.joint = joint
        self.edge = edge
        self.fill = fill
        self._strip: Strip | None = None

    @property
    def text(self) -> str:
        """What was written, as far as it stands on this row."""
        return "".join(span.text for span in self.spans)

    def behind(self, edge: Sequence[Span]) -> "Row":
        """The same row behind something more."""
        return Row(self.spans, self.joint, [*edge, *self.edge], self.fill)

    def strip(self, margin: int, width: int, palette: Palette) -> Strip:
        """The row as it is drawn: between two margins, exactly ``width`` columns wide."""
        if self._strip is None or self._strip.cell_length != width:
            blank = Segment(" " * margin, palette.base)
            used = sum(cell_width(span.text) for part in (self.edge, self.spans) for span in part)
            empty = Segment(" " * (width - 2 * margin - used), self.fill or palette.base)
            self._strip = _strip([blank, *self.edge, *self.spans, empty, blank], width, palette)
        return self._strip


def wrap(spans: Sequence[Span], width: int) -> list[Row]:
    """Break styled text into rows of at most ``width`` columns, at blanks if there are any. ``\\n`` always breaks."""
    return _broken(spans, width, anywhere=False)


def chop(spans: Sequence[Span], width: int) -> list[Row]:
    """Break styled text into rows of at most ``width`` columns with every blank kept: for code and output."""
    return _broken(spans, width, anywhere=True)


def indented(rows: Iterable[Row], first: Sequence[Span], rest: Sequence[Span]) -> list[Row]:
    """Rows behind an edge: one for the first, one for the others."""
    return [row.behind(rest if number else first) for number, row in enumerate(rows)]


def text_of(rows: Iterable[Row]) -> str:
    """What was written on some rows, without the breaks that the width made."""
    pieces = [piece for row in rows for piece in (row.joint, row.text)]
    return "".join(pieces[1:])


def _broken(spans: Sequence[Span], width: int, *, anywhere: bool) -> list[Row]:
    rows: list[Row] = []
    for line in _lines(spans):
        text = line[0].text if len(line) == 1 else "".join(span.text for span in line)
        previous = 0
        rest = iter(line)
        span, place = next(rest, None), 0
        for number, (start, end) in enumerate(breaks(text, width, anywhere=anywhere)):
            row: list[Span] = []
            while span is not None:
                length = len(span.text)
                begin, stop = max(start - place, 0), min(end - place, length)
                if begin < stop:
                    row.append(span if stop - begin == length else Segment(span.text[begin:stop], span.style))
                if place + length > end:
                    break
                place += length
                span = next(rest, None)
            rows.append(Row(row, text[previous:start] if number else LINE_END))
            previous = end
    return rows


def _lines(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Styled text, line by line."""
    line: list[Span] = []
    for span in spans:
        if LINE_END not in span.text:
            line.append(span)
            continue
        first, *others = span.text.split(LINE_END)
        line.append(Segment(first, span.style))
        for text in others:
            yield line
            line = [Segment(text, span.style)]
    yield line


def _strip(spans: Sequence[Span], width: int, palette: Palette) -> Strip:
    merged: list[Span] = []
    for span in spans:
        if merged and merged[-1].style == span.style:
            merged[-1] = Segment(merged[-1].text + span.text, span.style)
        elif span.text:
            merged.append(span)
    return Strip(merged).adjust_cell_length(width, palette.base)
