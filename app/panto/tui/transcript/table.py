"""Markdown tables: columns as wide as they need, narrower where the screen is, cells wrapped within."""

from collections.abc import Sequence

from markdown_it.tree import SyntaxTreeNode
from rich.segment import Segment
from rich.style import Style

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width
from panto.tui.transcript.inline import inline_spans
from panto.tui.transcript.spans import Line, wrap

_GAP = 3
"""Columns between two cells: a blank, a bar, a blank."""
_NARROWEST = 3


def table_lines(node: SyntaxTreeNode, width: int, palette: Palette) -> list[Line]:
    """A table's lines. Where not even the narrowest columns fit, each row becomes a list of its cells."""
    rows = [list(row.children) for part in node.children for row in part.children]
    cells = [[_spans(cell, palette, header=number == 0) for cell in row] for number, row in enumerate(rows)]
    columns = max(map(len, cells), default=0)
    widths = _fitted([_widest(cells, column) for column in range(columns)], width - _GAP * (columns - 1))
    if widths is None:
        return [line for row in cells for cell in row for line in wrap(cell, width)]
    aligns = [str(cell.attrs.get("style", "")).rpartition(":")[2] for cell in rows[0]]
    lines: list[Line] = []
    for number, row in enumerate(cells):
        lines += _row(row, widths, aligns, palette)
        if number == 0:
            lines.append([Segment("─┼─".join("─" * wide for wide in widths), palette.style("border"))])
    return lines


def _spans(cell: SyntaxTreeNode, palette: Palette, *, header: bool) -> list[Segment]:
    base = palette.style("foreground", bold=header)
    tokens = [token for child in cell.children if child.token for token in child.token.children or ()]
    return inline_spans(tokens, base, palette)


def _widest(cells: Sequence[Sequence[list[Segment]]], column: int) -> int:
    return max((sum(cell_width(span.text) for span in row[column]) for row in cells if column < len(row)), default=1)


def _fitted(wanted: list[int], room: int) -> list[int] | None:
    """Column widths that fit: narrow columns keep theirs, wide ones share the rest. None if there is no room at all."""
    if room < _NARROWEST * len(wanted):
        return None
    widths = [max(1, want) for want in wanted]
    while sum(widths) > room:
        widest = max(widths)
        over = sum(widths) - room
        count = widths.count(widest)
        second = max((wide for wide in widths if wide < widest), default=_NARROWEST)
        lower = max(second, widest - -(-over // count), _NARROWEST)
        lower = lower if lower < widest else widest - 1
        widths = [lower if wide == widest else wide for wide in widths]
    return widths


def _row(row: Sequence[list[Segment]], widths: Sequence[int], aligns: Sequence[str], palette: Palette) -> list[Line]:
    cells = [wrap(row[number] if number < len(row) else [], wide) for number, wide in enumerate(widths)]
    bar = Segment(" │ ", palette.style("border"))
    lines: list[Line] = []
    for number in range(max(map(len, cells))):
        line: Line = []
        for column, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
            line += [bar] if column else []
            line += _aligned(cell[number] if number < len(cell) else [], wide, aligns[column : column + 1])
        lines.append(line)
    return lines


def _aligned(cell: Line, width: int, align: Sequence[str]) -> Line:
    room = width - sum(cell_width(span.text) for span in cell)
    left = {"right": room, "center": room // 2}.get(align[0].strip() if align else "", 0)
    return [Segment(" " * left, Style()), *cell, Segment(" " * (room - left), Style())]
