"""The line in which one types what is to be found, with how much of it there is."""

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from panto.tui.chat.finding import Count
from panto.tui.search_line import SearchLine


class FindLine(SearchLine):
    """What is typed."""

    KEYS: ClassVar[list[BindingType]] = [
        Binding("enter", "close(True)", "go there"),
        Binding("down,ctrl+n", "step(1)", "next match"),
        Binding("up,ctrl+p", "step(-1)", "match before"),
        Binding("escape,ctrl+c", "close(False)", "close"),
    ]
    BINDINGS = KEYS

    def action_close(self, kept: bool) -> None:
        """Nothing more will be typed; what is found stays marked, or not."""
        self.post_message(FindBar.Closed(kept))

    def action_step(self, by: int) -> None:
        """To the next match, or to the one before."""
        self.post_message(FindBar.Step(by))


class FindBar(Horizontal):
    """One row above the prompt."""

    @dataclass
    class Wanted(Message):
        """This is to be found."""

        text: str

    @dataclass
    class Step(Message):
        """On to the next match, or back to the one before."""

        by: int

    @dataclass
    class Closed(Message):
        """Nothing more will be typed. ``kept``: the user wants to be where the match is."""

        kept: bool

    def __init__(self, text: str) -> None:
        super().__init__(id="find")
        self._text = text

    def compose(self) -> ComposeResult:
        """A label, the line, and the count at the right."""
        yield Static("find", id="find-label")
        yield FindLine(self._text, id="find-line", compact=True, select_on_focus=True)
        yield Static(id="find-count")

    def on_mount(self) -> None:
        """Keys go here."""
        self.focus_line()

    def focus_line(self) -> None:
        """Let the keys go to the line."""
        self.query_one(FindLine).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Something else is to be found."""
        event.stop()
        if event.value != self._text:
            self._text = event.value
            self.post_message(self.Wanted(event.value))

    def show_count(self, text: str, count: Count) -> None:
        """Say how many matches there are."""
        told = self.query_one("#find-count", Static)
        told.update(str(count) if text else "")
        told.set_class(bool(text) and count.complete and not count.total, "none")
