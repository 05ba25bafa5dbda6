"""Hints in the bottom line of a box's frame, at the right, as far as the line has room for them."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.safe_text import cell_width

_GAP = "   "
_CORNER = 2
"""The corner, and a piece of the line before it."""
_LINE = frozenset("─━═ ")
_LEAST_LINE = 3
"""What is left of the line between the words at its left and the hints, with the blank behind those words."""


def with_hints(line: Strip, hints: Sequence[str], style: Style) -> Strip:
    """A frame's bottom line with hints in a style in it. The last are left out where there is no room for all."""
    width = line.cell_length
    free = width - _CORNER - _written(line)
    shown: list[str] = []
    for hint in hints:
        if cell_width(f" {_GAP.join([*shown, hint])} ") + _LEAST_LINE > free:
            break
        shown.append(hint)
    if not shown:
        return line
    text = f" {_GAP.join(shown)} "
    end = width - _CORNER
    start = end - cell_width(text)
    return Strip.join([line.crop(0, start), Strip([Segment(text, style)]), line.crop(end, width)])


def _written(line: Strip) -> int:
    """The columns up to the end of what stands in the line already, the corner counted."""
    text = line.text[: -_CORNER or None].rstrip("".join(_LINE))
    return max(1, cell_width(text))
