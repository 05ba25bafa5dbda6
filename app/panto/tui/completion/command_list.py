"""The rows of the list: label and hint, and what a choice is for. It draws, and knows no keys."""

from collections.abc import Callable, Sequence
from typing import cast

from rich.segment import Segment
from textual import events
from textual.app import App
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

from panto.tui.completion.choice import Choice
from panto.tui.palette import Palette, default_palette
from panto.tui.safe_text import cell_width, safe_line, truncate

MOST_ROWS = 8
LEAST_SCREEN = 8
"""A screen with fewer rows than these has no room for a list."""
_SHARE = 3
"""The list takes no more than this part of the screen."""
_GAP = 2
_LABEL_SHARE = 0.45
"""The most that labels and hints take of the width, where there are descriptions."""
_LEAST_DESCRIPTION = 16
"""A description that would get fewer columns is left out."""


def room_for(screen_rows: int) -> int:
    """How many rows the list may have on a screen; none on one that is too small."""
    return 0 if screen_rows < LEAST_SCREEN else min(MOST_ROWS, screen_rows // _SHARE)


class CommandList(Widget):
    """Shows choices, one a row, around the chosen one. It is not there while it has none."""

    DEFAULT_CSS = """
    CommandList {
        height: 0;
        display: none;
    }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.on_choose: Callable[[int], None] | None = None
        """Called with the number of the choice that was clicked."""
        self.on_move: Callable[[int], None] | None = None
        """Called with the steps to go when the wheel is turned."""
        self._choices: Sequence[Choice] = ()
        self._chosen = self._first = self._rows = self._label_width = 0
        self._palette = default_palette()

    def show(self, choices: Sequence[Choice], chosen: int, rows: int, label_width: int) -> None:
        """Show some rows of choices. ``label_width`` is the width of the widest label with its hint."""
        self._rows = min(rows, len(choices))
        if choices is not self._choices:
            self._first = 0
        self._choices, self._chosen, self._label_width = choices, chosen, label_width
        self._first = max(min(self._first, chosen), chosen - self._rows + 1)
        self._first = max(0, min(self._first, len(choices) - self._rows))
        self.styles.height = self._rows
        self.display = self._rows > 0
        self.refresh()

    def hide(self) -> None:
        """Show nothing."""
        if self.display:
            self.show((), 0, 0, 0)

    def on_mount(self) -> None:
        """Take the colours of the app's theme, now and whenever it changes."""
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType] - the type of an app's result
        self._take_colors(app.current_theme)
        app.theme_changed_signal.subscribe(self, self._take_colors)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click on a row."""
        event.stop()
        row = self._first + event.get_content_offset_capture(self).y
        if self.on_choose is not None and event.button == 1 and 0 <= row < len(self._choices):
            self.on_choose(row)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        if self.on_move is not None:
            self.on_move(-1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        if self.on_move is not None:
            self.on_move(1)

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.content_size.width
        index = self._first + y
        if index >= len(self._choices):
            return Strip.blank(width, self._palette.base)
        ground = "chosen" if index == self._chosen else "background"
        blank = self._palette.style("muted", on=ground)
        more = f"{self._more(y)} "
        spans = [
            Segment(" ", blank),
            *self._spans(self._choices[index], width - 2, width - 1 - cell_width(more), ground),
        ]
        used = sum(cell_width(span.text) for span in spans)
        return Strip([*spans, Segment(" " * (width - used - cell_width(more)) + more, blank)])

    def _take_colors(self, theme: Theme) -> None:
        self._palette = Palette.of(theme)
        self.refresh()

    def _more(self, y: int) -> str:
        """How many choices there are beyond the first or the last row, if this is one of them."""
        above, below = self._first, len(self._choices) - self._first - self._rows
        if y == self._rows - 1 and below:
            return f"  ↓ {below}"
        return f"  ↑ {above}" if y == 0 and above else ""

    def _spans(self, choice: Choice, width: int, room: int, ground: str) -> list[Segment]:
        """Label, hint and description. The columns are those of a whole row; this one may have less room."""
        column = min(self._label_width, int(width * _LABEL_SHARE))
        if not choice.description or width - column - _GAP < _LEAST_DESCRIPTION:
            return self._label(choice, room, ground)
        label = self._label(choice, column, ground)
        used = sum(cell_width(span.text) for span in label)
        description = truncate(safe_line(choice.description), room - column - _GAP)
        style = self._palette.style("muted" if ground == "background" else "foreground", on=ground)
        return [*label, Segment(" " * (column - used + _GAP), style), Segment(description, style)]

    def _label(self, choice: Choice, room: int, ground: str) -> list[Segment]:
        """The label as one types it, the typed letters set off, and the hint."""
        label = safe_line(choice.label)
        places = set(choice.places) if label == choice.label else set[int]()
        if choice.keep_end and cell_width(label) > room:
            lost = _too_many(label, room)
            label, places = f"…{label[lost:]}", {1 + place - lost for place in places if place >= lost}
        shown = truncate(f"{label} {safe_line(choice.hint)}".rstrip(), room)
        end = min(len(shown), len(label))
        plain = self._palette.style("foreground", on=ground, bold=ground != "background")
        typed = self._palette.style("accent", on=ground, bold=True)
        name = [Segment(letter, typed if at in places else plain) for at, letter in enumerate(shown[:end])]
        return [*name, Segment(shown[end:], self._palette.style("muted", on=ground))]


def label_width(choices: Sequence[Choice]) -> int:
    """The width of the widest label with its hint, of those that have something beside them."""
    widths = (cell_width(f"{safe_line(each.label)} {safe_line(each.hint)}".rstrip()) for each in choices)
    return max((width for width, each in zip(widths, choices, strict=True) if each.description), default=0)


def _too_many(label: str, room: int) -> int:
    """How many letters at the beginning have to go so that the rest has room, with a sign in their place."""
    lost = max(1, len(label) - room)
    while lost < len(label) and cell_width(label[lost:]) > room - 1:
        lost += 1
    return lost
