"""A list of any length to pick one row from. It draws the rows in view and no others, and knows no keys."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from rich.segment import Segment
from textual import events
from textual.app import App
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

from panto.tui.palette import Palette, default_palette
from panto.tui.safe_text import cell_width, truncate


@dataclass(frozen=True)
class Span:
    """A piece of a row: text that is safe to show, and its role in the palette."""

    text: str
    role: str = "foreground"
    bold: bool = False


class Row(Protocol):
    """What a list shows on one line."""

    @property
    def key(self) -> str:
        """What it is picked as; empty if it can't be picked."""
        ...

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        """It, in at most so many columns."""
        ...


class PickList(Widget):
    """Shows rows around the chosen one."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.on_pick: Callable[[], None] | None = None
        """Called when the chosen row is clicked."""
        self._rows: Sequence[Row] = ()
        self._chosen: int | None = None
        self._first = 0
        self._palette = default_palette()

    @property
    def chosen(self) -> Row | None:
        """The chosen row; None if there is none that can be."""
        return None if self._chosen is None else self._rows[self._chosen]

    def show(self, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Show other rows. The same one stays chosen where it is in view, if it is still there; else the first is.

        ``anew``: the first is in any case.
        """
        before = self.chosen
        offset = 0 if self._chosen is None else self._chosen - self._first
        self._rows = rows
        places = (place for place, row in enumerate(rows) if row.key)
        kept = (
            None if anew or before is None else next((p for p, row in enumerate(rows) if row.key == before.key), None)
        )
        self._chosen = next(places, None) if kept is None else kept
        self._first = 0 if kept is None else kept - offset
        self._settle()

    def move(self, by: int) -> None:
        """Choose the row that is so many steps further, or the last there is."""
        pickable = [place for place, row in enumerate(self._rows) if row.key]
        if self._chosen is None or not pickable:
            return
        self._chosen = pickable[max(0, min(len(pickable) - 1, pickable.index(self._chosen) + by))]
        self._settle()

    def page(self, pages: int) -> None:
        """Move by as many rows as are in view, up or down."""
        self.move(pages * max(1, self.content_size.height - 1))

    def end(self, last: bool) -> None:
        """Choose the first row, or the last."""
        self.move(len(self._rows) if last else -len(self._rows))

    def on_mount(self) -> None:
        """Take the colours of the app's theme, now and whenever it changes."""
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType] - the type of an app's result
        self._take_colors(app.current_theme)
        app.theme_changed_signal.subscribe(self, self._take_colors)

    def on_resize(self) -> None:
        """Keep the chosen one in view."""
        self._settle()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click chooses a row, and a click on the chosen one picks it."""
        event.stop()
        place = self._first + event.get_content_offset_capture(self).y
        if event.button != 1 or not 0 <= place < len(self._rows) or not self._rows[place].key:
            return
        if place == self._chosen and self.on_pick is not None:
            self.on_pick()
            return
        self._chosen = place
        self._settle()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.move(-1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.move(1)

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.content_size.width
        place = self._first + y
        if place >= len(self._rows):
            return Strip.blank(width, self._palette.base)
        chosen = place == self._chosen
        ground = "chosen" if chosen else "background"
        room = width
        segments: list[Segment] = []
        for span in self._rows[place].spans(width, chosen):
            text = truncate(span.text, room)
            segments.append(Segment(text, self._palette.style(span.role, on=ground, bold=span.bold)))
            room -= cell_width(text)
            if room <= 0:
                break
        return Strip([*segments, Segment(" " * room, self._palette.style("foreground", on=ground))])

    def _settle(self) -> None:
        """Have the chosen row in view, and no more blank lines than must be."""
        height = max(1, self.content_size.height)
        if self._chosen is not None:
            top = self._chosen
            while top and not self._rows[top - 1].key and self._chosen - top < height - 1:
                top -= 1  # what stands above it
            self._first = max(min(self._first, top), self._chosen - height + 1)
        self._first = max(0, min(self._first, len(self._rows) - height))
        self.refresh()

    def _take_colors(self, theme: Theme) -> None:
        self._palette = Palette.of(theme)
        self.refresh()
