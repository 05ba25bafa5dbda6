"""A table that grows row by row: a row is parsed once, and laid out again only when the columns change."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width, safe_line
from panto.tui.transcript.block import GrowingBlock, estimated_rows
from panto.tui.transcript.lines import ends_table
from panto.tui.transcript.parser import References, parse
from panto.tui.transcript.rows import Row
from panto.tui.transcript.table import (
    Cell,
    Columns,
    header_rows,
    row_rows,
    table_aligns,
    table_cells,
    widest,
)

CELLS_IN_BLOCK = 400
_LONGEST_LINE = 4_000
_BAR = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"\*+|~~|`+|\\(?=\|)")


class Table:
    """What all blocks of a table share: its beginning, and how wide its columns have to be for the later ones.

    Those widths are taken from the rows' source, for it would take too long to parse all of them at once.
    """

    def __init__(self, header: str, delimiter: str, references: References) -> None:
        self.head = (header, delimiter)
        self.references = references
        self.columns = len(_cells(delimiter))
        self.wanted: list[int] = []

    def widen(self, line: str) -> None:
        """Make room for a row."""
        widths = [cell_width(safe_line(_MARKUP.sub("", cell.strip()))) for cell in _cells(line)]
        if any(width > wanted for width, wanted in zip_longest(widths, self.wanted, fillvalue=0)):
            self.wanted = [max(pair) for pair in zip_longest(widths, self.wanted, fillvalue=0)]

    def cells(self, lines: Sequence[str], palette: Palette) -> tuple[list[Cell], list[list[Cell]], list[str]]:
        """The header's cells, those of some rows, and how columns are aligned. A line that is no row is one cell."""
        table = parse("\n".join((*self.head, *lines)), self.references).children[0]
        header, *rows = table_cells(table, palette)
        style = palette.style("foreground")
        rows += [[[Segment(safe_line(line), style)]] for line in lines[len(rows) :]]
        return header, rows, table_aligns(table)


def _cells(line: str) -> list[str]:
    return _BAR.split(line.strip().removeprefix("|").removesuffix("|"))


class TableBlock(GrowingBlock):
    """Some rows of a table, the first ones below its header."""

    def __init__(self, table: Table, first: "TableBlock | None" = None, gap: int = 0) -> None:
        super().__init__(gap)
        self._table = table
        self._first = first
        self._lines: list[str] = []
        self._tail: str | None = None
        self._parsed_for: Palette | None = None
        self._header: list[Cell] = []
        self._cells: list[list[Cell]] = []
        self._aligns: Sequence[str] = ()
        self._laid_out_for = (Columns(None, (), ()), 0)
        self._laid_out: list[Row] = []
        self._count = 0
        self._wanted = table.wanted

    @property
    def is_full(self) -> bool:
        """Whether it has its rows."""
        return len(self._lines) * self._table.columns >= CELLS_IN_BLOCK

    def accepts(self, line: str) -> bool:
        """Every line is a row that is not blank, nor the beginning of something else, nor much too long."""
        return bool(line.strip()) and not ends_table(line) and len(line) <= _LONGEST_LINE

    def take(self, line: str) -> None:
        """One more row."""
        self._lines.append(line)
        if self._first is not None:
            self._table.widen(line)
        self.stale()

    def show_tail(self, text: str | None) -> None:
        """Show a row that has not ended."""
        if text != self._tail:
            self._tail = text
            self.stale()

    def following(self) -> "TableBlock":
        """A block for the next rows."""
        return TableBlock(self._table, self._first or self)

    def columns(self, width: int, palette: Palette) -> Columns:
        """How the columns are laid out, by the rows of the table's first block."""
        if self._first is not None:
            return self._first.columns(width, palette)
        self._parse(palette)
        rows = [self._header, *self._cells, *self._tail_cells(palette)]
        wanted = [*self._table.wanted, *[0] * len(self._header)]
        widths = [max(pair) for pair in zip(widest(rows, len(self._header)), wanted, strict=False)]
        return Columns.fit(self._header, widths, self._aligns, width)

    def rows(self, width: int, palette: Palette) -> list[Row]:
        """The rows, laid out anew if other blocks of the table have made its columns wider."""
        if self._wanted is not self._table.wanted:
            self._wanted = self._table.wanted
            self.stale()
        return super().rows(width, palette)

    def render(self, width: int, palette: Palette) -> list[Row]:
        """The rows; only new ones are laid out unless the columns have changed."""
        self._parse(palette)
        columns = self.columns(width, palette)
        if (columns, width) != self._laid_out_for or not self._count:
            self._laid_out_for, self._count = (columns, width), 0
            self._laid_out = [] if self._first else header_rows(self._header, columns, width, palette)
        for cells in self._cells[self._count :]:
            self._laid_out += row_rows(cells, columns, width, palette)
        self._count = len(self._cells)
        tail = [row for cells in self._tail_cells(palette) for row in row_rows(cells, columns, width, palette)]
        return [*self._laid_out, *tail] if tail else self._laid_out

    def estimate(self, width: int) -> int:
        """By the number of characters."""
        return sum(estimated_rows(line, width) for line in self._lines) + (0 if self._first else 2)

    def _parse(self, palette: Palette) -> None:
        if self._parsed_for is not palette:
            self._parsed_for, self._cells, self._count = palette, [], 0
        new = self._lines[len(self._cells) :]
        if new or not self._header or not self._cells:
            self._header, rows, self._aligns = self._table.cells(new, palette)
            self._cells += rows

    def _tail_cells(self, palette: Palette) -> list[list[Cell]]:
        return [] if self._tail is None else self._table.cells([self._tail], palette)[1]
