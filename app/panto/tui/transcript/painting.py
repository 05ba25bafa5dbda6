"""Which cells differ between two pictures of the view: no others are painted."""

from collections.abc import Sequence

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from panto.tui.safe_text import is_even


def changed_regions(old: Sequence[Strip], new: Sequence[Strip]) -> list[Region]:
    """The regions that differ between two pictures of the same size."""
    return [
        Region(start, y, end - start, 1)
        for y, (before, after) in enumerate(zip(old, new, strict=True))
        if before is not after
        for start, end in [changed_columns(before, after)]
        if start < end
    ]


def changed_columns(old: Strip, new: Strip) -> tuple[int, int]:
    """The columns between the first and the last cell that differ; the same number twice if none does."""
    before, after = _cells(old), _cells(new)
    if before is None or after is None:
        return 0, new.cell_length
    start, end = 0, min(len(before), len(after))
    while start < end and before[start] == after[start]:
        start += 1
    while end > start and before[end - 1] == after[end - 1]:
        end -= 1
    return start, end


def _cells(strip: Strip) -> list[tuple[str, Style | None]] | None:
    """The characters with their styles; None if some do not take exactly one cell."""
    cells = [(character, segment.style) for segment in strip for character in segment.text]
    return cells if is_even(strip.text) else None
