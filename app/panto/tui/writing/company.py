"""Who works with the prompt: what it tells of every change, and what it hands its texts to."""

from typing import Protocol

from panto.tui.writing.written import Written


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


class Keeper(Protocol):
    """Keeps what is written, longer than the program runs."""

    def remember(self, written: Written) -> None:
        """Keep a text that was sent."""
        ...

    def keep_draft(self, written: Written) -> None:
        """Keep a text that is not sent, in place of the one before."""
        ...
