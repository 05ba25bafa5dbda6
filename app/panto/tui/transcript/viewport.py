"""Which rows are in view: places in a list of entries, and how to get from one to another.

The view hangs on its top row, or on the end while it follows that. From there entries are measured row by row as far as
the view reaches, so what is out of sight costs nothing: its height is an estimate, good enough for a scrollbar.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace

from panto.tui.palette import Palette
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.heights import Heights
from panto.tui.transcript.rows import Row

KEPT_ENTRIES = 200
"""So many entries keep their rows when they are out of sight."""


@dataclass(frozen=True)
class Place:
    """A row: of which entry, of which of its blocks, and which in there, the empty rows above it counted."""

    entry: int = 0
    block: int = 0
    row: int = 0


@dataclass(frozen=True)
class ShownRow:
    """One row of the view. ``row`` is None for an empty row between blocks."""

    place: Place
    row: Row | None


class Viewport:
    """Entries, and a view of some height onto them."""

    def __init__(self, palette: Palette) -> None:
        self.entries: list[Entry] = []
        self.following = True
        self.shown: list[ShownRow] = []
        self.width, self.height, self.palette = 80, 0, palette
        self._index: dict[Entry, int] = {}
        self._heights = Heights()
        self._anchor = Place()
        self._resized: tuple[Place | None, int] = None, 0  # the place after the last resize, so that many do not add up
        self._kept: OrderedDict[Entry, None] = OrderedDict()

    @property
    def total(self) -> int:
        """The height of everything, as far as it is known."""
        return self._heights.total

    @property
    def top(self) -> int:
        """The number of rows above the view."""
        if not self.entries:
            return 0
        anchor = self._anchor
        return self._heights.top(anchor.entry) + self.entries[anchor.entry].top(anchor.block) + anchor.row

    def add(self, entry: Entry) -> None:
        """One more entry, at the end."""
        previous = self.entries[-1] if self.entries else None
        joined = previous is not None and entry.joins and type(previous) is type(entry)
        entry.gap = 0 if previous is None or joined else 1
        self._index[entry] = len(self.entries)
        self.entries.append(entry)
        self._heights.append(entry.gap + entry.estimate(self.width))

    def index(self, entry: Entry) -> int:
        """Which one an entry is. Raises KeyError if it is none of these."""
        return self._index[entry]

    def resize(self, width: int, height: int, palette: Palette) -> None:
        """Another size or other colours. The text at the top stays there."""
        if not self.following and self.entries and width != self.width:
            place, written = self._resized
            if place != self._anchor:
                written = self._written_above()
            self.width, self.palette = width, palette
            self._anchor = self._row_after(written)
            self._resized = self._anchor, written
        self.width, self.height, self.palette = width, height, palette

    def settle(self) -> None:
        """Lay out what is in view, after any change."""
        if not self.entries:
            self._anchor, self.shown, self.following = Place(), [], True
            return
        if self.following:
            self._anchor = self._above(self._end(), self.height)
        else:
            self._anchor = self._clamped(self._anchor)
        self._fill()
        if not self.following and self._reaches_end():
            self.following = True
            self._anchor = self._above(self._end(), self.height)
            self._fill()
        self._let_go()

    def scroll_by(self, rows: int) -> None:
        """Move the view down by some rows, or up if there are fewer than none."""
        if not self.entries or rows == 0:
            return
        self._anchor = self._above(self._anchor, -rows) if rows < 0 else self._below(self._anchor, rows)
        self.following = False
        self.settle()

    def scroll_to(self, y: int) -> None:
        """Move the view to where a row, counted from the top of everything, is thought to be."""
        if not self.entries:
            return
        index, within = self._heights.at(max(0, y))
        entry = self.entries[index]
        entry.blocks(self.width)
        block, row = entry.at(within)
        self._anchor = Place(index, block, row)
        self.following = False
        self.settle()

    def reveal(self, entry: Entry) -> None:
        """Move the view, if need be, so that an entry's first row is in it."""
        index = self.index(entry)
        if any(shown.place.entry == index and shown.row is not None for shown in self.shown):
            return
        self._anchor, self.following = Place(index), False
        self.settle()

    def bring(self, index: int) -> None:
        """Move the view, by no more than need be, so that as much of an entry as has room is in it."""
        shown = [row.place for row in self.shown if row.row is not None]
        if Place(index, 0, self.entries[index].gap) not in shown:
            below = bool(shown) and index >= shown[-1].entry
            self._anchor, self.following = Place(index), False
            self.settle()
            missing = self.height - self._rows_of(index)
            if below and missing > 0:
                self.scroll_by(-missing)
        else:
            above = next(n for n, row in enumerate(self.shown) if row.place.entry == index and row.row is not None)
            missing = above + self._rows_of(index) - self.entries[index].gap - self.height
            if missing > 0:
                self.scroll_by(min(missing, above))

    def show_place(self, place: Place) -> None:
        """Move the view, if need be, so that a row is in it, with a third of the view above it."""
        if any(shown.place == place for shown in self.shown):
            return
        self._anchor, self.following = self._above(place, self.height // 3), False
        self.settle()

    def let_go(self, entry: Entry) -> None:
        """Let the rows of an entry go, unless it was in view lately."""
        if entry not in self._kept:
            entry.forget()

    def _rows_of(self, index: int) -> int:
        """How many rows an entry takes, with those above it; not counted any further once they are more than a view."""
        rows = 0
        for block in range(self._count(index)):
            rows += self._measure(index, block)
            if rows > self.height:
                break
        return rows

    def height_changed(self, entry: Entry) -> None:
        """An entry has changed: take its new height, as far as it is known."""
        index = self._index.get(entry)
        if index is not None:
            self._heights.set(index, entry.height(self.width))

    def is_below(self, entry: Entry) -> bool:
        """Whether an entry ends below the view."""
        index = self._index.get(entry, -1)
        return not self.following and bool(self.shown) and index >= self.shown[-1].place.entry

    def _measure(self, index: int, block: int) -> int:
        entry = self.entries[index]
        height = entry.measure(block, self.width, self.palette)
        self._heights.set(index, entry.height(self.width))
        return height

    def _count(self, index: int) -> int:
        return len(self.entries[index].blocks(self.width))

    def _end(self) -> Place:
        """Behind the last row."""
        last = len(self.entries) - 1
        count = self._count(last)
        return Place(last, count - 1, self._measure(last, count - 1)) if count else Place(last)

    def _above(self, place: Place, rows: int) -> Place:
        """The place some rows above another, or the first there is."""
        index, block, row = place.entry, place.block, place.row
        while row < rows:
            rows -= row
            while block == 0:
                if index == 0:
                    return Place()
                index -= 1
                block = self._count(index)
            block -= 1
            row = self._measure(index, block)
        return Place(index, block, row - rows)

    def _below(self, place: Place, rows: int) -> Place:
        """The place some rows below another, or the last row there is."""
        index, block, row = place.entry, place.block, place.row + rows
        while True:
            if block < self._count(index):
                height = self._measure(index, block)
                if row < height:
                    return Place(index, block, row)
                row -= height
                block += 1
            elif index + 1 < len(self.entries):
                index, block = index + 1, 0
            else:
                return self._above(self._end(), 1)

    def _clamped(self, place: Place) -> Place:
        """The place itself, or the nearest there is if its entry has fewer rows now."""
        index = min(place.entry, len(self.entries) - 1)
        count = self._count(index)
        if place.block >= count:
            return Place(index, count - 1, max(0, self._measure(index, count - 1) - 1)) if count else Place(index)
        height = self._measure(index, place.block)
        return place if place.row < height else Place(index, place.block, max(0, height - 1))

    def _fill(self) -> None:
        """Collect the rows in view."""
        shown: list[ShownRow] = []
        index, block, row = self._anchor.entry, self._anchor.block, self._anchor.row
        while len(shown) < self.height and index < len(self.entries):
            if block >= self._count(index):
                index, block, row = index + 1, 0, 0
                continue
            entry = self.entries[index]
            height = self._measure(index, block)
            for number in range(row, min(height, row + self.height - len(shown))):
                place = Place(index, block, number)
                shown.append(ShownRow(place, entry.row(block, number, self.width, self.palette)))
            block, row = block + 1, 0
        self.shown = shown

    def _reaches_end(self) -> bool:
        """Whether the last row of all is in view, or would be if there were enough of them."""
        if len(self.shown) < self.height:
            return True
        return self.shown[-1].place == self._above(self._end(), 1)

    def _written_above(self) -> int:
        """How many characters, blanks aside, stand in the block at the top above the view; negative: in its gap."""
        place = self._clamped(self._anchor)
        entry = self.entries[place.entry]
        rows = [entry.row(place.block, number, self.width, self.palette) for number in range(place.row + 1)]
        above = [row for row in rows if row is not None]
        return sum(_written(row) for row in above[:-1]) if above else place.row - len(rows)

    def _row_after(self, written: int) -> Place:
        """The place in the block at the top with so many characters above it."""
        place = self._clamped(self._anchor)
        height = self._measure(place.entry, place.block)
        if written < 0:
            return replace(place, row=0)
        entry = self.entries[place.entry]
        for number in range(height):
            row = entry.row(place.block, number, self.width, self.palette)
            written -= _written(row) if row is not None else 0
            if written < 0:
                return replace(place, row=number)
        return replace(place, row=max(0, height - 1))

    def _let_go(self) -> None:
        """Keep the rows of entries that were in view lately; let those of others go."""
        for index in dict.fromkeys(shown.place.entry for shown in self.shown):
            entry = self.entries[index]
            self._kept[entry] = None
            self._kept.move_to_end(entry)
        while len(self._kept) > max(KEPT_ENTRIES, self.height):
            self._kept.popitem(last=False)[0].forget()


def _written(row: Row) -> int:
    return len("".join(row.text.split()))
