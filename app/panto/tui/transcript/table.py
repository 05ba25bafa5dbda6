"""Markdown tables: columns as wide as they need, narrower where the screen is, cells wrapped within."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width
from panto.tui.transcript.inline import inline_spans
from panto.tui.transcript.rows import Row, Span, indented, wrap

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

Cell: TypeAlias = list[Span]

DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
"""The row below a table's header, and some lines that are none."""
_GAP = 3
"""Columns between two cells: a blank, a bar, a blank."""
_NARROWEST = 3


@dataclass(frozen=True)
class Columns:
    """How a table's columns are laid out. ``widths`` is None where not even the narrowest ones fit.

    ``labels`` are the texts of the header, for that case.
    """

    widths: Sequence[int] | None
    aligns: Sequence[str]
    labels: Sequence[str]

    @classmethod
    def fit(cls, header: Sequence[Cell], wanted: Sequence[int], aligns: Sequence[str], width: int) -> Columns:
        """Columns of the wanted widths, as far as the screen has room for them."""
        return cls(fitted(wanted, width), aligns, [" ".join("".join(s.text for s in cell).split()) for cell in header])


def table_cells(table: SyntaxTreeNode, palette: Palette) -> list[list[Cell]]:
    """The styled text of each cell, row by row; the first row is the header."""
    rows = [row for part in table.children for row in part.children]
    styles = [palette.style("foreground", bold=number == 0) for number in range(len(rows))]
    return [
        [inline_spans(cell, style, palette, in_table=True) for cell in row.children]
        for row, style in zip(rows, styles, strict=True)
    ]


def table_aligns(table: SyntaxTreeNode) -> list[str]:
    """How each column is aligned: ``left``, ``center``, ``right``, or empty."""
    return [str(cell.attrs.get("style", "")).rpartition(":")[2] for cell in table.children[0].children[0].children]


def widest(rows: Sequence[Sequence[Cell]], columns: int) -> list[int]:
    """How wide each column wants to be."""
    return [
        max((_cell_width(row[column]) for row in rows if column < len(row)), default=1) for column in range(columns)
    ]


def fitted(wanted: Sequence[int], room: int) -> list[int] | None:
    """Column widths that fit: narrow columns keep theirs, wide ones share the rest. None if there is no room at all."""
    room -= _GAP * (len(wanted) - 1)
    widths = [max(1, want) for want in wanted]
    if sum(min(width, _NARROWEST) for width in widths) > room:
        return None
    while sum(widths) > room:
        most = max(widths)
        count = widths.count(most)
        second = max((width for width in widths if width < most), default=1)
        lower = max(second, most - -(-(sum(widths) - room) // count), 1)
        widths = [lower if width == most else width for width in widths]
    return widths


def header_rows(cells: Sequence[Cell], columns: Columns, width: int, palette: Palette) -> list[Row]:
    """The header and the line below it; nothing where there is no room for columns."""
    if columns.widths is None:
        return []
    rows = row_rows(cells, columns, width, palette)
    line = "─┼─".join("─" * wide for wide in columns.widths)
    return [*rows, Row.drawn([Segment(line, palette.style("border"))])]


def row_rows(cells: Sequence[Cell], columns: Columns, width: int, palette: Palette) -> list[Row]:
    """A row of the table. Where there is no room for columns its cells stand one below another, with their labels."""
    if columns.widths is None:
        muted, bullet = palette.style("muted"), Segment("• ", palette.style("accent"))
        labelled = [[Segment(f"{label}: ", muted), *cell] for label, cell in zip(columns.labels, cells, strict=False)]
        rows = [row for cell in labelled for row in wrap(cell, width - 2)]
        return indented(rows, [bullet], [Segment("  ", palette.base)])
    wrapped = [wrap(cells[number] if number < len(cells) else [], wide) for number, wide in enumerate(columns.widths)]
    bar = Segment(" │ ", palette.style("border"))
    rows: list[Row] = []
    for number in range(max(map(len, wrapped))):
        spans: list[Span] = []
        instead: dict[int, str] = {}
        for column, (cell, wide, align) in enumerate(zip(wrapped, columns.widths, columns.aligns, strict=True)):
            if column:
                instead[len(spans)] = "\t"
                spans.append(bar)
            written = cell[number].spans if number < len(cell) else ()
            left, right = _blanks(written, wide, align, palette)
            instead[len(spans)] = instead[len(spans) + 1 + len(written)] = ""
            spans += [left, *written, right]
        rows.append(Row(spans, instead=instead))
    return rows


def table_rows(table: SyntaxTreeNode, width: int, palette: Palette) -> list[Row]:
    """All of a table."""
    header, *body = table_cells(table, palette)
    columns = Columns.fit(header, widest([header, *body], len(header)), table_aligns(table), width)
    rows = header_rows(header, columns, width, palette)
    return [*rows, *(row for cells in body for row in row_rows(cells, columns, width, palette))]


def _cell_width(cell: Cell) -> int:
    lines = "".join(span.text for span in cell).split("\n")
    return max(map(cell_width, lines))


def _blanks(spans: Sequence[Span], width: int, align: str, palette: Palette) -> tuple[Span, Span]:
    """What stands at the left and at the right of a cell's text."""
    room = width - sum(cell_width(span.text) for span in spans)
    left = {"right": room, "center": room // 2}.get(align, 0)
    return Segment(" " * left, palette.base), Segment(" " * (room - left), palette.base)
