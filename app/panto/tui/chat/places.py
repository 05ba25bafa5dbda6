"""Places in what was written: they stay the same when the width changes, and are found again on the rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from panto.tui.transcript.rows import Row


@dataclass(frozen=True, order=True)
class Spot:
    """A place between two characters: in which entry, in which of its blocks, behind how many characters of that."""

    entry: int
    block: int
    offset: int


@dataclass(frozen=True, order=True)
class Stretch:
    """What is written from one spot up to another, which may be in another entry."""

    start: Spot
    end: Spot

    def within(self, entry: int, block: int) -> tuple[int, int | None]:
        """The characters of a block that it covers: from one up to another, or to the end. ``(0, 0)`` for none."""
        here = (entry, block)
        first, last = (self.start.entry, self.start.block), (self.end.entry, self.end.block)
        if not first <= here <= last:
            return 0, 0
        return self.start.offset if here == first else 0, self.end.offset if here == last else None


def row_starts(rows: Sequence[Row]) -> Iterator[int]:
    """Behind how many characters of a block's text each of its rows begins."""
    place = 0
    begun = False
    for row in rows:
        if not row.is_drawn:
            place += len(row.joint) if begun else 0
            begun = True
        yield place
        place += len(row.text)
