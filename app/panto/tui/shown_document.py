"""The text in the prompt: kept to the character, and shown without a character that a terminal would obey."""

from functools import lru_cache
from typing import overload

from textual.document._document import Document  # where Textual keeps what its editor's text is

from panto.tui.safe_text import safe_line
from panto.tui.writing.chips import has_brackets, shown_bracket

_ODD = "\ufffd"


class ShownDocument(Document):
    """A document whose lines are as they are shown, character by character; its text is what was typed or pasted."""

    def typed_line(self, index: int) -> str:
        """A line as it was typed or pasted."""
        return self._lines[index]

    @property
    def lines(self) -> list[str]:
        """The lines as they are laid out."""
        return [shown_line(line) for line in self._lines]

    @overload
    def __getitem__(self, line_index: int) -> str: ...

    @overload
    def __getitem__(self, line_index: slice) -> list[str]: ...

    def __getitem__(self, line_index: int | slice) -> str | list[str]:
        """Lines as they are shown."""
        if isinstance(line_index, slice):
            return [shown_line(line) for line in self._lines[line_index]]
        return shown_line(self._lines[line_index])


@lru_cache(1024)
def shown_line(line: str) -> str:
    """A line in which one character stands for each that would do something, or could not be seen. Tabs stay."""
    if has_brackets(line):
        line = "".join(map(shown_bracket, line))
    if safe_line(line) == line:
        return line
    return "".join(_shown(line, place) for place in range(len(line)))


def _shown(line: str, place: int) -> str:
    character = line[place]
    stand_in = safe_line(character)
    if character in (stand_in, "\t") or character in safe_line(line[max(0, place - 1) : place + 2]):
        return character
    return stand_in if len(stand_in) == 1 else _ODD
