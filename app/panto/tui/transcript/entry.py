"""What the transcript is made of: an entry knows its text and its blocks, and nothing of the widget it is shown in."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from panto.tui.palette import Palette
from panto.tui.transcript.block import Block, estimated_rows
from panto.tui.transcript.heights import Heights
from panto.tui.transcript.rows import Row


class Entry:
    """One thing in the transcript: blocks, one below another, made when it is first seen.

    Blocks may be added, taken away or changed at the end of the list; for any other change `rebuild` is called.
    ``gap`` is the number of empty rows above the entry; who shows it says so. ``came`` is when, in seconds since
    the epoch; None if that is not known. ``on_change`` is called with the entry
    when it has changed, and with whether there is something new in it for the reader.
    """

    joins: ClassVar[bool] = False
    """Whether it stands directly below another of its kind, without an empty row between."""

    def __init__(self) -> None:
        self.gap = 0
        self.came: float | None = None
        self.on_change: Callable[[Entry, bool], None] | None = None
        self._blocks: Sequence[Block] = ()
        self._is_built = False
        self._heights = Heights()

    @property
    def source(self) -> str:
        """The text as it was written: what copying gives."""
        raise NotImplementedError

    def code(self) -> list[str]:
        """What of it one may want to copy by itself: blocks of code, a command's output."""
        return []

    @property
    def foldable(self) -> bool:
        """Whether there is something to fold or unfold."""
        return False

    @property
    def folded(self) -> bool:
        """Whether something of it is folded away."""
        return False

    def set_folded(self, folded: bool) -> None:
        """Fold or unfold what can be."""

    def build(self) -> Sequence[Block]:
        """The blocks it is made of. The list may change at its end later."""
        raise NotImplementedError

    def changed(self, *, news: bool = True) -> None:
        """Tell that something at the end has changed."""
        if self.on_change is not None:
            self.on_change(self, news)

    def rebuild(self, *, news: bool = True) -> None:
        """Tell that it is made of other blocks now."""
        self._blocks, self._is_built = (), False
        self._heights.truncate(0)
        self.changed(news=news)

    def estimate(self, width: int) -> int:
        """About how many rows it takes at a width, before it has been seen."""
        return estimated_rows(self.source, width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Its blocks as they are now, with a height for each, estimated for a width where it is not known."""
        if not self._is_built:
            self._blocks, self._is_built = self.build(), True
        count = len(self._blocks)
        if len(self._heights) > count:
            self._heights.truncate(count)
        for index in range(len(self._heights), count):
            self._heights.append(self.above(index) + self._blocks[index].estimate(width))
        return self._blocks

    def measure(self, index: int, width: int, palette: Palette) -> int:
        """How many rows a block takes, with the empty ones above it."""
        rows = len(self.blocks(width)[index].rows(width, palette))
        height = self.above(index) + rows if rows else 0
        self._heights.set(index, height)
        return height

    def row(self, index: int, number: int, width: int, palette: Palette) -> Row | None:
        """A row of a block, counted from the first empty one above it; None for those."""
        number -= self.above(index)
        return self.blocks(width)[index].rows(width, palette)[number] if number >= 0 else None

    def height(self, width: int) -> int:
        """How many rows it takes, as far as that is known."""
        if not self._is_built:
            return self.gap + self.estimate(width)
        self.blocks(width)
        return self._heights.total

    def top(self, index: int) -> int:
        """How many rows are above a block."""
        return self._heights.top(index)

    def at(self, y: int) -> tuple[int, int]:
        """The block that covers a row, and the row within it."""
        return self._heights.at(y)

    def forget(self) -> None:
        """Let go of all rows: they are rendered again when they are wanted."""
        for block in self._blocks:
            block.stale()

    def above(self, index: int) -> int:
        """How many empty rows stand above a block."""
        return self._blocks[index].gap + (self.gap if index == 0 else 0)
