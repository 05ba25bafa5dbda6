"""Globs that take time in proportion to pattern and text, whatever both hold: patterns come from files.

``**`` is anything, ``**/`` any directories or none, ``?`` one character, and ``*`` anything: in a path's glob anything
but a slash.
"""

import re
from dataclasses import dataclass
from functools import cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+", re.DOTALL)


@dataclass(frozen=True)
class Glob:
    """A pattern. ``of_path``: its ``*`` stops at slashes."""

    tokens: tuple[str, ...]
    of_path: bool

    def matches(self, text: str) -> bool:
        """Whether the whole text fits."""
        reader = _Reader(text, self.of_path)
        return all(map(reader.read, self.tokens)) and reader.is_at_end


class _Reader:
    """One text as a glob is read, token by token. Sets of places in the text are the bits of a number.

    Bit n of ``_places``: what was read of the pattern so far fits the first n characters.
    """

    def __init__(self, text: str, of_path: bool) -> None:
        self._text = text
        self._of_path = of_path
        self._everywhere = (1 << (len(text) + 1)) - 1
        self._standing: dict[str, int] = {}
        self._places = 1

    @property
    def is_at_end(self) -> bool:
        """Whether all of the text fits what was read."""
        return bool(self._places >> len(self._text))

    def read(self, token: str) -> bool:
        """Read on. Gives whether anything of the text fits so far."""
        places = self._places
        match token:
            case "**":
                places = self._onward()
            case "**/":
                places |= (self._onward() & self._where("/")) << 1
            case "*":
                places = self._within_directory() if self._of_path else self._onward()
            case "?":
                places = (places << 1) & self._everywhere
            case _:
                for character in token:
                    places = (places & self._where(character)) << 1
        self._places = places
        return bool(places)

    def _onward(self) -> int:
        """From the first of the places on, everywhere."""
        lowest = self._places & -self._places
        return self._everywhere & ~(lowest - 1)

    def _within_directory(self) -> int:
        """The places, and those that can be reached from them over characters that are no slash.

        Adding the places to the runs of such characters carries each run's first place to the run's end.
        """
        run = (self._everywhere >> 1) & ~self._where("/")
        starts = self._places & run
        return self._places | ((run + starts) ^ run) | starts

    def _where(self, character: str) -> int:
        """Where a character stands."""
        if character not in self._standing:
            bits = "".join("1" if found == character else "0" for found in reversed(self._text))
            self._standing[character] = int(bits or "0", 2)
        return self._standing[character]


@cache
def parse_glob(pattern: str, *, of_path: bool) -> Glob:
    """Read a pattern: any text is one."""
    return Glob(tuple(_TOKEN.findall(pattern)), of_path)
