"""A few rows of something long, and how much more of it there is."""

from collections.abc import Sequence

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import ELLIPSIS, safe_text, truncate
from panto.tui.transcript.block import Block
from panto.tui.transcript.links import linked
from panto.tui.transcript.rows import Row, chop, indented

FIRST_ROWS = 2
LAST_ROWS = 2
"""What is seen of a long output: its beginning, and its end, where the result often is."""
_INDENT = "  "


class Excerpt(Block):
    """The beginning and the end of an output; of one that still grows, the end alone."""

    def __init__(self, text: str, role: str, *, end_only: bool = False) -> None:
        super().__init__()
        self._text = text
        self._role = role
        self._first, self._last = (0, FIRST_ROWS + LAST_ROWS) if end_only else (FIRST_ROWS, LAST_ROWS)

    def render(self, width: int, palette: Palette) -> list[Row]:
        """All rows if there are few; else the first, the number of lines left out, and the last."""
        room = width - len(_INDENT)
        style = palette.style(self._role)
        enough = self._first + self._last + 1
        start, end = _ends(self._text, enough, enough * width)
        if end is None:
            rows = chop(linked(safe_text(start), style), room)
            if len(rows) <= enough:
                return _indented(rows, palette)
            end = start
        first = chop(linked(safe_text(start), style), room)[: self._first]
        last = chop(linked(safe_text(end), style), room)[-self._last :]
        if not self._first:
            return _indented(last, palette)
        left_out = self._text.count("\n") + 1 - _line_ends(first) - _line_ends(last)
        return _indented([*first, _more(left_out, room, palette), *last], palette)

    def estimate(self, width: int) -> int:
        """By the number of lines."""
        return min(self._text.count("\n") + 1, self._first + self._last + 1)


class FoldedBlocks(Block):
    """The first rows of some blocks, and the number of those left out."""

    def __init__(self, blocks: Sequence[Block], rows: int) -> None:
        super().__init__()
        self._blocks = blocks
        self._limit = rows

    def render(self, width: int, palette: Palette) -> list[Row]:
        """Rows up to the limit, or one more rather than saying that one is left out."""
        rows: list[Row] = []
        left_out = 0
        for block in self._blocks:
            if len(rows) > self._limit + 1:
                left_out += block.estimate(width)
            else:
                rows += block.rows(width, palette)
        if len(rows) <= self._limit + 1:
            return rows
        left_out += len(rows) - self._limit
        return [*rows[: self._limit], *_indented([_more(left_out, width - len(_INDENT), palette)], palette)]

    def estimate(self, width: int) -> int:
        """By the blocks' own estimates."""
        return min(self._limit + 1, sum(block.estimate(width) for block in self._blocks))


def _ends(text: str, lines: int, characters: int) -> tuple[str, str | None]:
    """The first and the last lines of a text, or all of it and None if it has no more than so many."""
    if len(text) <= characters and text.count("\n") < lines:
        return text, None
    start, end = text[:characters], text[-characters:]
    return "\n".join(start.split("\n")[:lines]), "\n".join(end.split("\n")[-lines:])


def _line_ends(rows: Sequence[Row]) -> int:
    return sum(row.joint == "\n" for row in rows)


def _more(count: int, width: int, palette: Palette) -> Row:
    text = f"… {count} more {'line' if count == 1 else 'lines'}" if count > 0 else "…"
    return Row([Segment(truncate(text, width), palette.style("muted", italic=True))], instead={0: ELLIPSIS})


def _indented(rows: Sequence[Row], palette: Palette) -> list[Row]:
    edge = [Segment(_INDENT, palette.base)]
    return indented(rows, edge, edge)
