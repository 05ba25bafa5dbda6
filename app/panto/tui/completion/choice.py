"""What a list offers, as data: any kind of completion is a source of these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Then: TypeAlias = Literal["send", "blank", "more"]
"""What follows when a choice is taken: it is sent at once, a blank is written, or more of it can be typed."""


@dataclass(frozen=True)
class Choice:
    """A row of the list, and what takes the word's place when it is taken.

    ``places`` are those of the label's letters that were typed. ``keep_end``: a label that is too wide loses its
    beginning. ``whole``: it is exactly what has been typed.
    """

    label: str
    written: str
    then: Then
    places: tuple[int, ...] = ()
    hint: str = ""
    description: str = ""
    keep_end: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Word:
    """A word of the prompt that can be completed, its mark left out: where it stands in its row, and with the mark."""

    text: str
    row: int
    start: int
    end: int


class Source(Protocol):
    """One kind of completion."""

    mark: str
    """The character that begins its words."""

    def begun(self, row: int, line: str, column: int) -> int | None:
        """Where in a row something begins that Esc is to leave alone, if the caret is there."""
        ...

    def word(self, row: int, line: str, column: int) -> Word | None:
        """The word that the caret is in, if it is one of this kind."""
        ...

    def find(self, word: Word) -> Sequence[Choice]:
        """What a word may become, the likeliest first. The same sequence comes back while nothing has changed."""
        ...

    def close(self) -> None:
        """Nobody looks any more."""
        ...
