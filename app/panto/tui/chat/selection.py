"""Selecting with the mouse: from cells of the view to stretches of what is written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from panto.tui.chat.places import Spot, Stretch, row_starts
from panto.tui.palette import Palette
from panto.tui.transcript import Entry
from panto.tui.transcript.rows import LINE_END, text_of
from panto.tui.transcript.viewport import ShownRow

_WORD = re.compile(r"[\w./~@%+-]+|\s+|[^\w\s]+")
"""What a double click takes: also a path, or an address without its scheme."""


@dataclass(frozen=True)
class Ground:
    """What there is to select from: the entries, as they are laid out now."""

    entries: Sequence[Entry]
    width: int
    palette: Palette

    def cell(self, shown: ShownRow, column: int) -> Stretch:
        """The character in a cell, its column counted behind the margin; an empty stretch where none is written."""
        place = shown.place
        entry = self.entries[place.entry]
        if shown.row is None:
            spot = Spot(place.entry, place.block, 0)
            return Stretch(spot, spot)
        rows = entry.blocks(self.width)[place.block].rows(self.width, self.palette)
        number = place.row - entry.above(place.block)
        begin = list(row_starts(rows))[number]
        start, end = shown.row.offset_at(column)
        return Stretch(Spot(place.entry, place.block, begin + start), Spot(place.entry, place.block, begin + end))

    def text(self, entry: int, block: int) -> str:
        """The text of a block."""
        return text_of(self.entries[entry].blocks(self.width)[block].rows(self.width, self.palette))

    def word(self, cell: Stretch) -> Stretch:
        """The word around a cell."""
        at = cell.start
        text = self.text(at.entry, at.block)
        for match in _WORD.finditer(text):
            if match.start() <= at.offset < match.end():
                return _in_block(at, match.start(), match.end())
        return cell

    def line(self, cell: Stretch) -> Stretch:
        """The line around a cell, as it was written: however often it was wrapped."""
        at = cell.start
        text = self.text(at.entry, at.block)
        start = text.rfind(LINE_END, 0, at.offset) + 1
        end = text.find(LINE_END, at.offset)
        return _in_block(at, start, len(text) if end < 0 else end)


def _in_block(at: Spot, start: int, end: int) -> Stretch:
    return Stretch(Spot(at.entry, at.block, start), Spot(at.entry, at.block, end))


def between(anchor: Stretch, other: Stretch) -> Stretch:
    """All from the one to the other, both included, in whichever order they stand."""
    return Stretch(min(anchor.start, other.start), max(anchor.end, other.end))
