"""Rows of the screen, and how styled text breaks into them. What comes in here is safe text already."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.palette import Palette
from panto.tui.safe_text import breaks, cell_width, clusters

Span: TypeAlias = Segment
"""A piece of text in one style."""
LINE_END = "\n"


_AS_SHOWN: Mapping[int, str] = {}


@dataclass(frozen=True)
class Mark:
    """A part of a row's written text that is shown in another style: from one character up to another."""

    start: int
    end: int
    style: Style


class Row:
    """One row of an entry.

    ``spans`` is text that someone wrote; ``edge`` is what we draw before it (bars, bullets, indentation), which is no
    part of it. ``instead`` has, by their number, the spans in place of which something else was written, or nothing:
    the bars and blanks between the cells of a table. ``joint`` is the text between the row above and this one: a line
    end, or the blanks at which a line was broken, or nothing where a word was. So the written text can be put together
    again from its rows. ``fill`` is the style of the empty cells behind the text, where it is not that of the screen.
    A row that is `drawn` is no part of the text at all.
    """

    __slots__ = ("_marked", "_strip", "edge", "fill", "instead", "is_drawn", "joint", "spans")

    def __init__(
        self,
        spans: Sequence[Span],
        joint: str = LINE_END,
        edge: Sequence[Span] = (),
        fill: Style | None = None,
        instead: Mapping[int, str] = _AS_SHOWN,
    ) -> None:
        self.spans = spans
        self.joint = joint
        self.edge = edge
        self.fill = fill
        self.instead = instead
        self.is_drawn = False
        self._strip: Strip | None = None
        self._marked: tuple[tuple[Sequence[Mark], Span | None, int], Strip] | None = None

    @classmethod
    def drawn(cls, edge: Sequence[Span], fill: Style | None = None) -> "Row":
        """A row on which nothing was written: a line between others, or the name of a language."""
        row = cls((), edge=edge, fill=fill)
        row.is_drawn = True
        return row

    @property
    def text(self) -> str:
        """What was written, as far as it stands on this row."""
        if not self.instead:
            return "".join(span.text for span in self.spans)
        return "".join(text for text, _ in self._pieces())

    def behind(self, edge: Sequence[Span]) -> "Row":
        """The same row behind something more."""
        row = Row(self.spans, self.joint, [*edge, *self.edge], self.fill, self.instead)
        row.is_drawn = self.is_drawn
        return row

    def strip(self, margin: int, width: int, palette: Palette) -> Strip:
        """The row as it is drawn: between two margins, exactly ``width`` columns wide."""
        if self._strip is None or self._strip.cell_length != width:
            self._strip = self._drawn([Segment(" " * margin, palette.base)], self.spans, margin, width, palette)
        return self._strip

    def marked(self, marks: Sequence[Mark], bar: Span | None, margin: int, width: int, palette: Palette) -> Strip:
        """The row with parts of it marked, and with something of one column drawn at the edge of its left margin.

        Later marks lie above earlier ones. The strip is the same object while it shows the same.
        """
        key = (tuple(marks), bar, width)
        if self._marked is None or self._marked[0] != key:
            left = [Segment(" " * margin, palette.base)]
            if bar is not None and margin:
                left = [bar, Segment(" " * (margin - 1), palette.base)]
            spans = _with_marks(self._pieces(), marks)
            self._marked = key, self._drawn(left, spans, margin, width, palette)
        return self._marked[1]

    def offset_at(self, column: int) -> tuple[int, int]:
        """Which characters of the written text stand in a column, counted behind the margin: the first, and the end.

        Both are the same left of the text, behind it, and where nothing is written.
        """
        column -= sum(cell_width(span.text) for span in self.edge)
        offset = 0
        if column < 0:
            return 0, 0
        for text, span in self._pieces():
            columns = cell_width(span.text)
            if column >= columns:
                column -= columns
                offset += len(text)
                continue
            if text != span.text:
                return offset, offset
            for cluster, wide in clusters(text):
                if column < wide:
                    return offset, offset + len(cluster)
                column -= wide
                offset += len(cluster)
        return offset, offset

    def _pieces(self) -> Iterator[tuple[str, Span]]:
        """What was written, with what is shown for it."""
        for number, span in enumerate(self.spans):
            yield self.instead.get(number, span.text), span

    def _drawn(self, left: Sequence[Span], spans: Sequence[Span], margin: int, width: int, palette: Palette) -> Strip:
        used = sum(cell_width(span.text) for part in (self.edge, self.spans) for span in part)
        empty = Segment(" " * (width - 2 * margin - used), self.fill or palette.base)
        blank = Segment(" " * margin, palette.base)
        return _strip([*left, *self.edge, *spans, empty, blank], width, palette)


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
    pieces = [piece for row in rows if not row.is_drawn for piece in (row.joint, row.text)]
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


def _with_marks(pieces: Iterable[tuple[str, Span]], marks: Sequence[Mark]) -> list[Span]:
    """Styled text with the marks' styles on top. A span that stands for something else is marked whole."""
    spans: list[Span] = []
    place = 0
    for text, span in pieces:
        end = place + len(text)
        here = [mark for mark in marks if mark.start < end and mark.end > place]
        if not here:
            spans.append(span)
        elif text != span.text:
            spans.append(Segment(span.text, _over(span.style, here[-1].style)))
        else:
            cuts = sorted({place, end, *(min(max(at, place), end) for mark in here for at in (mark.start, mark.end))})
            for start, stop in pairwise(cuts):
                styles = [mark.style for mark in here if mark.start <= start and mark.end >= stop]
                style = _over(span.style, styles[-1]) if styles else span.style
                spans.append(Segment(text[start - place : stop - place], style))
        place = end
    return spans


def _over(style: Style | None, mark: Style) -> Style:
    return mark if style is None else style + mark


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
