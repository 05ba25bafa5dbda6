"""The mouse on the transcript: a drag selects, a click folds or opens, two take a word, three a line."""

from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from panto.tui.chat.places import Stretch
from panto.tui.chat.selection import between
from panto.tui.safe_text import ELLIPSIS
from panto.tui.transcript.viewport import ShownRow

if TYPE_CHECKING:
    from panto.tui.chat.widget import Chat

_SCROLL_SECONDS = 0.05
"""While the mouse is dragged beyond an edge, the view moves by a row or more each time so much has passed."""


class Mouse:
    """Follows the mouse over a transcript."""

    def __init__(self, chat: "Chat") -> None:
        self._chat = chat
        self._anchor: Stretch | None = None
        self._place = (0, 0)
        self._scrolling: Timer | None = None

    def press(self, event: events.MouseDown) -> None:
        """A drag may begin."""
        self._chat.select(None)
        self._anchor = self._cell(event.x, event.y)
        self._place = (event.x, event.y)
        if self._anchor is not None:
            self._chat.capture_mouse()

    def move(self, event: events.MouseMove) -> None:
        """Select up to the cell under the mouse, and beyond an edge scroll on."""
        if self._anchor is None or (event.x, event.y) == self._place:
            return
        self._place = (event.x, event.y)
        self._extend()
        outside = not 0 <= event.y < self._chat.size.height
        if outside and self._scrolling is None:
            self._scrolling = self._chat.set_interval(_SCROLL_SECONDS, self._scroll)
        elif not outside:
            self._stop_scrolling()

    def release(self) -> None:
        """The drag is over."""
        self._stop_scrolling()
        if self._anchor is not None:
            self._anchor = None
            self._chat.release_mouse()

    def click(self, event: events.Click) -> None:
        """A click that selects nothing: see the module."""
        cell = self._cell(event.x, event.y)
        shown = self._shown_at(event.y)
        if cell is None or shown is None or shown.row is None:
            return
        if event.chain == 1:
            entry = self._chat.entries[shown.place.entry]
            column = event.x - self._chat.margin
            target = self._chat.target_at(shown, column) if self._chat.selection is None else None
            if target is not None:
                self._chat.post_message(self._chat.Opened(target))
                return
            edge = sum(len(span.text) for span in shown.row.edge)
            is_head = shown.place.block == 0 and shown.place.row == entry.gap
            if entry.foldable and ((is_head and column < edge) or shown.row.text == ELLIPSIS):
                self._chat.toggle_fold(entry)
        else:
            ground = self._chat.ground
            self._chat.select(ground.word(cell) if event.chain == 2 else ground.line(cell))

    def _scroll(self) -> None:
        _, y = self._place
        height = self._chat.size.height
        self._chat.scroll_rows(y if y < 0 else y - height + 1)
        self._extend()

    def _stop_scrolling(self) -> None:
        if self._scrolling is not None:
            self._scrolling.stop()
            self._scrolling = None

    def _extend(self) -> None:
        cell = self._cell(*self._place)
        if cell is not None and self._anchor is not None:
            self._chat.select(between(self._anchor, cell))

    def _cell(self, x: int, y: int) -> Stretch | None:
        """The character in a cell of the view, or the nearest to it; None where there is nothing at all."""
        y = min(max(y, 0), self._chat.size.height - 1)
        shown = self._shown_at(y)
        column = x - self._chat.margin
        if shown is None:
            shown, column = self._chat.shown[-1] if self._chat.shown else None, self._chat.size.width
        return None if shown is None else self._chat.ground.cell(shown, max(0, column))

    def _shown_at(self, y: int) -> ShownRow | None:
        shown = self._chat.shown
        return shown[y] if 0 <= y < len(shown) else None
