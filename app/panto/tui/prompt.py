"""The prompt: a box that grows with its text, sends on Enter, and never sends on a paste."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.document._document_navigator import DocumentNavigator  # the two that every new text gets
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from panto.tui import caret
from panto.tui.frame import with_hints
from panto.tui.safe_text import cell_width, truncate
from panto.tui.shown_document import ShownDocument
from panto.tui.terminal_keys import NEWLINE_KEYS

_JOINERS = ("\u200c", "\u200d")
"""What Textual takes for no text: they make one character of several, or keep two apart."""


class Completer(Protocol):
    """Offers something for the text that is being typed, in a list that takes some keys while it is open."""

    @property
    def is_open(self) -> bool:
        """Whether there is a list."""
        ...

    def look(self) -> None:
        """Look at the text and the caret: they have changed."""
        ...

    def dismiss(self) -> None:
        """Close the list until another text is begun."""
        ...

    def press(self, key: str) -> bool:
        """Take a key, if the list is open and has a use for it."""
        ...

    def hint(self) -> str:
        """What may be typed next; safe for the screen."""
        ...


class Prompt(TextArea):
    """A multi-line editor. Enter posts `Submitted`; a trailing backslash or a newline key makes a new line.

    Up on the first line and Down on the last walk through what was sent before.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "send"),
        Binding(",".join(NEWLINE_KEYS), "newline", "new line"),
        Binding("ctrl+c", "app.interrupt", "clear, stop, twice quits"),
        Binding("ctrl+d", "app.leave", "quit from an empty prompt"),
    ]

    completer: Completer | None = None
    """What the text is completed by, if anything."""
    _hints: Sequence[str] = ()

    @dataclass
    class Submitted(Message):
        """The user wants this text sent."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            highlight_cursor_line=False,
            tab_behavior="focus",
        )
        self.cursor_blink = False
        self.last_key = 0.0
        """When the last key of an unfinished text was typed, by the monotonic clock; 0 once it is sent."""
        self._history: list[str] = []
        self._place = 0
        self._draft = ""

    def show_hints(self, hints: Sequence[str]) -> None:
        """Say in the frame, at the bottom right, what may be typed. Those at the end are left out first."""
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def remember(self, text: str) -> None:
        """Add a text to those that Up brings back."""
        if text and (not self._history or self._history[-1] != text):
            self._history.append(text)
        self._place = len(self._history)

    def replace_text(self, text: str) -> None:
        """Put a text in place of what is there, with the caret behind it."""
        self.text = text
        self.move_cursor(self.document.end)

    def give_back(self, text: str) -> None:
        """Put a text that was not sent before what is there."""
        self.replace_text(f"{text}\n{self.text}" if self.text.strip() else text)

    def type_ahead(self, text: str) -> None:
        """Take text that was typed before the prompt was there: each whole line was meant to be sent."""
        *lines, rest = "".join(c for c in text if c == "\n" or c.isprintable()).split("\n")
        for line in lines:
            self.replace_text(line)
            self.action_submit()
        self.replace_text(rest)

    def action_submit(self) -> None:
        """Send the text, unless it ends in a backslash, which asks for a new line."""
        row, column = self.cursor_location
        if column and self.document.get_line(row)[column - 1 : column] == "\\":
            self.replace("\n", (row, column - 1), (row, column))
            return
        text = self.text
        if text.strip():
            self.remember(text)
            self.text = ""
            self.last_key = 0.0
            self.post_message(self.Submitted(text))

    def action_newline(self) -> None:
        """Begin a new line."""
        start, end = self.selection
        self.replace("\n", *sorted((start, end)))

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up, or from the first line to what was sent before."""
        if select or not self.cursor_at_first_line:
            super().action_cursor_up(select)
        elif self._place > 0:
            self._leave()
            self._recall(self._place - 1)

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down, or from the last line to what was sent after."""
        if select or not self.cursor_at_last_line:
            super().action_cursor_down(select)
        elif self._place < len(self._history):
            self._recall(self._place + 1)

    def _leave(self) -> None:
        if self._place == len(self._history):
            self._draft = self.text

    def _recall(self, place: int) -> None:
        self._place = place
        self.replace_text(self._draft if place == len(self._history) else self._history[place])

    def action_cursor_right(self, select: bool = False) -> None:
        """Move right; a hint behind the caret stays a hint."""
        if not self.suggestion:
            super().action_cursor_right(select)

    def load_text(self, text: str) -> None:
        """Put in a text that was not typed, which is not completed."""
        super().load_text(text)
        if self.completer is not None:
            self.completer.dismiss()

    def update_suggestion(self) -> None:
        """After each edit: complete what is there, and show what may stand behind it."""
        self.look()
        hint = "" if self.completer is None else self.completer.hint()
        self.suggestion = truncate(hint, self.wrap_width - cell_width(self.text)) if hint else ""

    def watch_selection(self) -> None:
        """After each move of the caret."""
        self.look()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Keys go to the prompt now, or do no more."""
        super().watch_has_focus(_has_focus)
        self.look()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The box, with the hints in its frame."""
        strips = super().render_lines(crop)
        bottom = self.outer_size.height - 1
        if self._hints and self.styles.border_bottom[0] and crop.y <= bottom < crop.bottom:
            whole = super().render_lines(Region(0, bottom, self.outer_size.width, 1))[0]
            framed = with_hints(whole, self._hints, self._hint_style())
            strips = [*strips[: bottom - crop.y], framed.crop(crop.x, crop.right), *strips[bottom - crop.y + 1 :]]
        return strips

    def _hint_style(self) -> Style:
        """The hints' colours, as far as the terminal has them: the frame that they are written into is done already."""
        around, _ = self.background_colors
        hint = Strip([Segment("/", Style.from_color(self.styles.border_subtitle_color.rich_color, around.rich_color))])
        for line_filter in self.get_line_filters():
            hint = hint.apply_filter(line_filter, around)
        return next(segment.style for segment in hint) or Style()

    def _set_document(self, text: str, language: str | None) -> None:
        """Hold a text that is shown safely, whatever was pasted."""
        super()._set_document(text, language)
        self.document = ShownDocument(text)
        self.wrapped_document = WrappedDocument(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._rewrap_and_refresh_virtual_size()

    def get_cursor_left_location(self) -> tuple[int, int]:
        """Where one step to the left leads: over a whole character."""
        row, column = self.cursor_location
        return (row, caret.before(self.document[row], column)) if column else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> tuple[int, int]:
        """Where one step to the right leads: over a whole character."""
        row, column = self.cursor_location
        line = self.document[row]
        return (row, caret.after(line, column)) if column < len(line) else super().get_cursor_right_location()

    def look(self) -> None:
        """Complete what is there, as far as it is to be completed now."""
        if self.completer is not None:
            self.completer.look()

    async def _on_key(self, event: events.Key) -> None:
        """Take all keys that do something here in the order in which they came.

        A binding would be looked at later or earlier than keys that are still on their way here: half of what was
        typed would be sent, or a letter deleted that came after.
        """
        action = _ACTIONS.get(event.key)
        if event.key != "enter":
            self.last_key = time.monotonic()
        if self.completer is not None and self.completer.press(event.key):
            event.stop()
            event.prevent_default()
        elif action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)
        elif event.character in _JOINERS:
            event.stop()
            event.prevent_default()
            self.replace(event.character, *sorted(self.selection), maintain_selection_offset=False)
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        """Insert a paste whole, in one step: every byte that is text, with line ends as the editor keeps them."""
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        was_open = self.completer is not None and self.completer.is_open
        self.replace(event.text.replace("\r\n", "\n").replace("\r", "\n"), start, end, maintain_selection_offset=False)
        if self.completer is not None and not was_open:
            self.completer.dismiss()


_ACTIONS = {
    key: binding.action
    for bound in (TextArea.BINDINGS, Prompt.BINDINGS)
    for binding in bound
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}
"""What each key that the prompt takes for itself does."""
