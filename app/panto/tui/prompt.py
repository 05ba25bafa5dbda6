"""The prompt: a box that grows with its text, sends on Enter, and never sends on a paste."""

import time
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from panto.tui.terminal_keys import NEWLINE_KEYS


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

    async def _on_key(self, event: events.Key) -> None:
        """Take the keys bound above in the order in which they came.

        A binding would be looked at before keys that are still on their way here, and send half of what was typed.
        """
        action = _ACTIONS.get(event.key)
        if action is None:
            self.last_key = time.monotonic()
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        await self.run_action(action)

    async def _on_paste(self, event: events.Paste) -> None:
        """Insert a paste whole, in one step: every byte that is text, with line ends as the editor keeps them."""
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        self.replace(event.text.replace("\r\n", "\n").replace("\r", "\n"), start, end, maintain_selection_offset=False)


_ACTIONS = {
    key: binding.action for binding in Prompt.BINDINGS if isinstance(binding, Binding) for key in binding.key.split(",")
}
"""What each key that the prompt takes for itself does."""
