"""What the transcript is made of: an entry knows its text and its lines, and nothing of the widget it is shown in."""

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip

from panto.tui.palette import Palette
from panto.tui.transcript.spans import Line, strip

MARGIN = 2
"""Empty columns at the left of every entry."""


class Entry:
    """One thing in the transcript. Its lines are rendered for a width and a palette, and kept until it changes."""

    joins: ClassVar[bool] = False
    """Whether it stands directly below another of its kind, without an empty line between."""

    def __init__(self) -> None:
        self.on_change: Callable[[Entry], None] | None = None
        self._key: tuple[int, str] | None = None
        self._strips: list[Strip] = []

    @property
    def source(self) -> str:
        """The text as it was written: what copying gives."""
        raise NotImplementedError

    @property
    def foldable(self) -> bool:
        """Whether there is something to fold or unfold."""
        return False

    def set_folded(self, folded: bool) -> None:
        """Fold or unfold what can be."""

    def strips(self, width: int, palette: Palette) -> list[Strip]:
        """The entry's lines, each exactly ``width`` columns wide."""
        key = (width, palette.name)
        if self._key != key:
            lines = self.render(max(4, width - 2 * MARGIN), palette)
            edge = " " * MARGIN if width > 3 * MARGIN else ""
            self._strips = [strip(behind(edge, line), width, palette.base) for line in lines]
            self._key = key
        return self._strips

    def is_rendered(self, width: int, palette: Palette) -> bool:
        """Whether its lines, and so its height, are known for this width and palette."""
        return self._key == (width, palette.name)

    def estimate(self, width: int) -> int:
        """About how many lines it takes at a width."""
        text = self.source
        return 1 + text.count("\n") + len(text) // max(4, width - 2 * MARGIN)

    def render(self, width: int, palette: Palette) -> list[Line]:
        """The lines at a width, without the margin."""
        raise NotImplementedError

    def changed(self) -> None:
        """Its lines are to be rendered again."""
        self._key = None
        if self.on_change is not None:
            self.on_change(self)


def behind(edge: str, line: Line) -> Line:
    """A line behind some blanks."""
    return [Segment(edge), *line] if edge else line
