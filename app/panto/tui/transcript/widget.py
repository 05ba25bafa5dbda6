"""The transcript: one widget on the line API, as quick with ten thousand entries as with ten.

Entries tell it of their changes; it lays out what is in view and paints the cells that differ. While something streams
it does so at most twenty times a second, and less often where that would take too long; else no timer runs.
"""

import time
from typing import TypeVar, cast

from textual import events
from textual.app import App
from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip
from textual.theme import Theme
from textual.timer import Timer
from textual.widget import Widget

from panto.tui.palette import Palette, default_palette
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.painting import changed_regions
from panto.tui.transcript.viewport import ShownRow, Viewport

FRAME_SECONDS = 0.05
"""The shortest time between two repaints while something streams."""
IDLE_SHARE = 4
"""After a repaint that took long, so many times as long passes before the next one ..."""
LONGEST_PAUSE = 1.0
"""... but never more seconds than these."""
MARGIN = 2
"""Empty columns at the left of every entry, and at its right."""
_NARROW = 24
"""Below this width there is no margin."""
_NEAR_VIEWS = 3
"""A jump by no more than so many views is made row by row, over heights that are measured."""

E = TypeVar("E", bound=Entry)


class Transcript(ScrollView, can_focus=True):
    """Shows entries. `add` them; they tell of their changes themselves.

    It follows the end until the user scrolls up, and keeps the same text in view whatever changes around it.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Transcript {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """
    unseen: reactive[bool] = reactive(False, repaint=False)
    """Whether something new stands below what is seen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.set_reactive(Widget.auto_links, False)  # or a link under the mouse paints all anew
        self._viewport = Viewport(default_palette())
        self._changed: set[Entry] = set()
        self._strips: list[Strip] = []
        self._last_paint = 0.0
        self._pause = FRAME_SECONDS
        self._frame: Timer | None = None
        self._paint_is_due = False
        self._thumb = (0, 0)

    @property
    def palette(self) -> Palette:
        """The colours in use: those of the app's theme."""
        return self._viewport.palette

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return tuple(self._viewport.entries)

    @property
    def following(self) -> bool:
        """Whether the end is in view and stays there."""
        return self._viewport.following

    def add(self, entry: E) -> E:
        """Append an entry."""
        self._viewport.add(entry)
        entry.on_change = self._entry_changed
        self._entry_changed(entry, True)
        return entry

    def clear(self) -> None:
        """Take all entries away."""
        for entry in self._viewport.entries:
            entry.on_change = None
        old, self._viewport = self._viewport, Viewport(self.palette)
        self._viewport.resize(old.width, old.height, old.palette)
        self._changed.clear()
        self._show()

    def follow(self) -> None:
        """Go to the end, and stay there as it grows."""
        self._viewport.following = True
        self._show()

    def reveal(self, entry: Entry) -> None:
        """Have an entry's first row in view. Raises KeyError if it is not in here."""
        self._viewport.reveal(entry)
        self._show()

    def toggle_folds(self, kind: type[Entry] = Entry) -> None:
        """Unfold everything of a kind, or, if nothing of it is folded, fold it."""
        foldable = [entry for entry in self._viewport.entries if isinstance(entry, kind) and entry.foldable]
        folded = not any(entry.folded for entry in foldable)
        for entry in foldable:
            entry.set_folded(folded)

    def toggle_last_fold(self) -> None:
        """Fold or unfold the newest entry that can be."""
        entry = next((entry for entry in reversed(self._viewport.entries) if entry.foldable), None)
        if entry is not None:
            entry.set_folded(not entry.folded)

    def render_line(self, y: int) -> Strip:
        """One row of the view."""
        return self._strips[y] if y < len(self._strips) else Strip.blank(self._size_in_cells[0], self.palette.base)

    def on_mount(self) -> None:
        """Take the colours of the app's theme, now and whenever it changes."""
        self._show_theme(self._app.current_theme)
        self._app.theme_changed_signal.subscribe(self, self._show_theme)

    def on_resize(self) -> None:
        """Lay out anew; the text at the top stays there."""
        self._viewport.resize(self._text_width, self._size_in_cells[1], self.palette)
        self._show()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Something else than we has moved the view, unless its size is just changing: then we shall be told."""
        view = self._viewport
        if (view.width, view.height) != (self._text_width, self._size_in_cells[1]):
            return
        rows = round(new_value) - view.top
        if abs(rows) > _NEAR_VIEWS * view.height:
            view.scroll_to(round(new_value))
        else:
            view.scroll_by(rows)
        self._show()

    def action_scroll_up(self) -> None:
        """One row up."""
        self._scroll(-1)

    def action_scroll_down(self) -> None:
        """One row down."""
        self._scroll(1)

    def action_page_up(self) -> None:
        """A view up, but for a row to hold on to."""
        self._scroll(-max(1, self._viewport.height - 1))

    def action_page_down(self) -> None:
        """A view down, but for a row to hold on to."""
        self._scroll(max(1, self._viewport.height - 1))

    def action_scroll_home(self) -> None:
        """To the beginning."""
        self._viewport.scroll_to(0)
        self._show()

    def action_scroll_end(self) -> None:
        """To the end, and follow it."""
        self.follow()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.prevent_default().stop()
        self._scroll(-round(self._app.scroll_sensitivity_y))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.prevent_default().stop()
        self._scroll(round(self._app.scroll_sensitivity_y))

    def on_scroll_up(self, message: ScrollUp) -> None:
        """A click above the scrollbar's handle."""
        message.prevent_default().stop()
        self.action_page_up()

    def on_scroll_down(self, message: ScrollDown) -> None:
        """A click below the scrollbar's handle."""
        message.prevent_default().stop()
        self.action_page_down()

    def on_scroll_to(self, message: ScrollTo) -> None:
        """The scrollbar's handle was dragged."""
        message.prevent_default().stop()
        if message.y is not None and round(message.y) >= self.max_scroll_y:
            self.follow()
        elif message.y is not None:
            self._viewport.scroll_to(round(message.y))
            self._show()

    @property
    def _app(self) -> App[object]:
        return cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType] - the type of an app's result

    @property
    def _size_in_cells(self) -> tuple[int, int]:
        return self.scrollable_content_region.size

    @property
    def _margin(self) -> int:
        return MARGIN if self._size_in_cells[0] >= _NARROW else 0

    @property
    def _text_width(self) -> int:
        return max(MARGIN, self._size_in_cells[0] - 2 * self._margin)

    def _scroll(self, rows: int) -> None:
        self._viewport.scroll_by(rows)
        self._show()

    def _show_theme(self, theme: Theme) -> None:
        palette = Palette.of(theme)
        self._viewport.resize(self._viewport.width, self._viewport.height, palette)
        self._show()

    def _entry_changed(self, entry: Entry, news: bool) -> None:
        """An entry has changed: paint at once, or with the next frame if the last was just now."""
        self._changed.add(entry)
        if news and self._viewport.is_below(entry):
            self.unseen = True
        if self._frame is not None or self._paint_is_due or not self.is_mounted:
            return
        wait = self._last_paint + self._pause - time.monotonic()
        if wait <= 0:
            self._paint_is_due = True
            self.call_next(self._paint)
        else:
            self._frame = self.set_timer(wait, self._paint)

    def _paint(self) -> None:
        self._frame, self._paint_is_due = None, False
        began = time.monotonic()
        for entry in self._changed:
            self._viewport.height_changed(entry)
        self._changed.clear()
        self._show()
        self._last_paint = time.monotonic()
        self._pause = min(max(FRAME_SECONDS, IDLE_SHARE * (self._last_paint - began)), LONGEST_PAUSE)

    def _show(self) -> None:
        """Lay out the view, and have the cells painted that are not as they were."""
        width, height = self._size_in_cells
        if not self.is_mounted or not width or not height:
            return
        view = self._viewport
        view.settle()
        if view.following:
            self.unseen = False
        blank = Strip.blank(width, self.palette.base)
        strips = [self._strip(shown, width, blank) for shown in view.shown]
        strips += [blank] * (height - len(strips))
        old, self._strips = self._strips, strips
        self._place(width, height)
        if len(old) != height or (old and old[0].cell_length != width):
            self.refresh()
        else:
            regions = changed_regions(old, strips)
            if regions:
                self.refresh(*regions)

    def _strip(self, shown: ShownRow, width: int, blank: Strip) -> Strip:
        return blank if shown.row is None else shown.row.strip(self._margin, width, self.palette)

    def _place(self, width: int, height: int) -> None:
        """Tell Textual where the view is, with no more work for it than there is to do."""
        total, top = self._viewport.total, self._viewport.top
        self.set_reactive(cast("Reactive[Size]", Widget.virtual_size), Size(width, total))
        for place in (Widget.scroll_y, Widget.scroll_target_y):
            self.set_reactive(cast("Reactive[float]", place), float(top))
        if self.show_vertical_scrollbar != (total > height):
            self._refresh_scrollbars()
        if not self.show_vertical_scrollbar:
            return
        bar = self.vertical_scrollbar
        bar.set_reactive(ScrollBar.window_virtual_size, total)
        bar.set_reactive(ScrollBar.window_size, height)
        bar.set_reactive(ScrollBar.position, top)
        thumb = (8 * height * top // total, 8 * height * height // total)
        if thumb != self._thumb:
            self._thumb = thumb
            bar.refresh()
