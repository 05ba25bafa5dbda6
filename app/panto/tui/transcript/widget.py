"""The transcript: one widget on the line API, as quick with ten thousand entries as with ten.

Only what is seen is rendered; the heights of entries out of sight are estimated until they are seen. It follows the end
until the user scrolls up, and keeps the same text in view when widths, folds or heights change.
"""

import time
from typing import TypeVar

from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from panto.tui.palette import Palette
from panto.tui.themes import palette_named
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.heights import Heights

FRAME_SECONDS = 0.05
"""The shortest time between two repaints while something streams."""

E = TypeVar("E", bound=Entry)


class Transcript(ScrollView, can_focus=True):
    """Shows entries. `add` them; they tell of their changes themselves."""

    ALLOW_SELECT = False
    unseen: reactive[bool] = reactive(False)
    """Whether something new stands below what is seen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._entries: list[Entry] = []
        self._places: dict[Entry, int] = {}
        self._gaps: list[int] = []
        self._heights = Heights()
        self._known_for: list[tuple[int, str] | None] = []
        self._dirty: set[Entry] = set()
        self._following = True
        self._last_frame = 0.0
        self._frame: Timer | None = None
        self._settling = False
        self._folded = True

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        return palette_named(self.app.theme)  # pyright: ignore[reportUnknownMemberType] - the app's result type

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return tuple(self._entries)

    def add(self, entry: E) -> E:
        """Append an entry."""
        previous = self._entries[-1] if self._entries else None
        joined = previous is not None and entry.joins and type(previous) is type(entry)
        entry.on_change = self._entry_changed
        self._places[entry] = len(self._entries)
        self._entries.append(entry)
        self._gaps.append(0 if previous is None or joined else 1)
        self._known_for.append(None)
        self._heights.append(self._gaps[-1] + entry.estimate(self._width))
        self._entry_changed(entry)
        return entry

    def clear(self) -> None:
        """Take all entries away."""
        for entry in self._entries:
            entry.on_change = None
        self._entries.clear()
        self._places.clear()
        self._gaps.clear()
        self._known_for.clear()
        self._dirty.clear()
        self._heights = Heights()
        self._following, self.unseen = True, False
        self._settle()

    def toggle_folds(self) -> None:
        """Unfold everything that can be, or fold it again."""
        foldable = [entry for entry in self._entries if entry.foldable]
        if foldable:
            self._folded = not self._folded
            for entry in foldable:
                entry.set_folded(self._folded)

    def follow(self) -> None:
        """Go to the end, and stay there as it grows."""
        self._following, self.unseen = True, False
        self._settle()

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        line = y + self.scroll_offset.y
        if not self._entries or line >= self._heights.total:
            return self._blank
        index, within = self._heights.at(line)
        within -= self._gaps[index]
        if within < 0:
            return self._blank
        strips = self._entries[index].strips(self._width, self.palette)
        return strips[within] if within < len(strips) else self._blank

    def on_resize(self) -> None:
        """Another width means other heights: those out of sight are estimated again."""
        self._remeasure()

    def notify_style_update(self) -> None:
        """Another theme means other strips."""
        super().notify_style_update()
        if self.is_mounted:
            self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The view moved: by the user, unless it is being settled."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling:
            self._following = new_value >= self.max_scroll_y
            if self._following:
                self.unseen = False
            self.call_after_refresh(self._settle)

    def action_scroll_end(self) -> None:
        """Go to the end, and follow it."""
        self.follow()

    @property
    def _width(self) -> int:
        return max(10, self.scrollable_content_region.width or 80)

    @property
    def _blank(self) -> Strip:
        return Strip.blank(self._width, self.palette.base)

    def _entry_changed(self, entry: Entry) -> None:
        """An entry has changed: paint now, or with the next frame if the last was just now."""
        self._dirty.add(entry)
        if not self._following:
            self.unseen = True
        if self._frame is not None or not self.is_mounted:
            return
        wait = self._last_frame + FRAME_SECONDS - time.monotonic()
        if wait <= 0:
            self._paint()
        else:
            self._frame = self.set_timer(wait, self._paint)

    def _paint(self) -> None:
        self._frame = None
        for entry in self._dirty:
            index = self._places.get(entry)
            if index is not None:
                self._known_for[index] = None
        self._dirty.clear()
        self._settle()
        self._last_frame = time.monotonic()

    def _remeasure(self) -> None:
        width = self._width
        anchor = self._anchor()
        self._heights.replace(gap + entry.estimate(width) for gap, entry in zip(self._gaps, self._entries, strict=True))
        self._known_for = [None] * len(self._entries)
        self._settle(anchor)

    def _anchor(self) -> tuple[int, float]:
        """The entry at the top of the view, and how much of it lies above, as a share of its height."""
        if not self._entries:
            return 0, 0.0
        index, within = self._heights.at(self.scroll_offset.y)
        return index, within / max(1, self._heights[index])

    def _settle(self, anchor: tuple[int, float] | None = None) -> None:
        """Measure what is in view, until the view is made of measured entries alone; then place it."""
        if not self.is_mounted:
            return
        index, share = anchor or self._anchor()
        self._settling = True
        try:
            top = self._measured_top(index, share)
            self.virtual_size = Size(self._width, self._heights.total)
            self.scroll_to(y=top, animate=False, force=True, immediate=True)
        finally:
            self._settling = False
        self.refresh()

    def _measured_top(self, index: int, share: float) -> int:
        view = self.scrollable_content_region.height
        while True:
            top = self._heights.total - view if self._following else self._place_of(index, share)
            top = max(0, min(top, self._heights.total - view))
            if not self._measure(top, view):
                return top

    def _place_of(self, index: int, share: float) -> int:
        return self._heights.top(index) + round(share * self._heights[index]) if self._entries else 0

    def _measure(self, top: int, view: int) -> bool:
        """Measure the entries in a stretch of lines; whether any height was another than thought."""
        if not self._entries:
            return False
        key = (self._width, self.palette.name)
        index, _ = self._heights.at(top)
        moved = False
        while index < len(self._entries) and self._heights.top(index) < top + view:
            if self._known_for[index] != key:
                height = self._gaps[index] + len(self._entries[index].strips(*self._render_for))
                moved = moved or height != self._heights[index]
                self._heights.set(index, height)
                self._known_for[index] = key
            index += 1
        return moved

    @property
    def _render_for(self) -> tuple[int, Palette]:
        return self._width, self.palette
