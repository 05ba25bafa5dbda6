"""Which line of a TOML file holds a key.

tomllib reads values but forgets where they stood. Here is only what is needed to find keys again in text that tomllib
accepts: it steps over values without judging them. It also runs before tomllib, in linear time and memory, to turn
away nesting that tomllib would spend all memory on.
"""

import re
import tomllib
from bisect import bisect_right
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""A key from the top of the file: table and key names, and positions in arrays, counted from 0."""

MAX_DEPTH = 64

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED_KEY = re.compile(r'"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'")
# A multi-line string may end in up to two quotes of its own, right before the three that close it.
STRING = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}|" + _QUOTED_KEY.pattern, re.DOTALL)
_PLAIN_VALUE = re.compile(r"""[^"'\[\]{},#\n]+""")


class TooDeepError(ValueError):
    """The text nests tables and arrays more than MAX_DEPTH deep, on the line `line`."""

    def __init__(self, line: int) -> None:
        super().__init__(f"nested more than {MAX_DEPTH} deep")
        self.line = line


def index_lines(text: str) -> dict[KeyPath, int]:
    """The line, from 1, of every key, table and array element in TOML that tomllib accepts.

    A table that is only implied, such as ``a`` in ``[a.b]``, is on the line where its name first stands; a value over
    several lines is on the line of its key. In text that is not TOML, only what stands before the place where that
    shows is found. Raises `TooDeepError`.
    """
    return _Scanner(text).run()


class _NotTomlError(Exception):
    """The text cannot be TOML from here on: not our business, tomllib will say so."""


class _Scanner:
    """One pass over the text. `at` is how far it has come; `lines` is what it found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.last: dict[KeyPath, int] = {}  # the last position in each array of tables

    def run(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        try:
            self.skip(_BLANK)
            while self.at < len(self.text):
                if self.take("["):
                    table = self.header()
                else:
                    self.pair(table)
                self.expect(_LINE_END)
                self.skip(_BLANK)
        except _NotTomlError:
            pass
        return self.lines

    def header(self) -> KeyPath:
        """A ``[table]`` or ``[[array of tables]]``, behind its first bracket: the table that it opens."""
        line = self.line()
        is_array = self.take("[")
        *outer, name = self.keys()
        path: KeyPath = ()
        for key in outer:
            path = self.within((*path, key))
            self.lines.setdefault(path, line)
        path = (*path, name)
        if is_array:
            self.lines.setdefault(path, line)
            self.last[path] = self.last.get(path, -1) + 1
            path = self.within(path)
        self.lines[path] = line  # a header of its own is a better place than where the name was implied
        self.must_take("]")
        if is_array:
            self.must_take("]")
        return path

    def within(self, path: KeyPath) -> KeyPath:
        """The table that a header's name means: for an array of tables its last element."""
        return (*path, self.last[path]) if path in self.last else path

    def pair(self, table: KeyPath) -> None:
        """A key, which may be dotted, and its value."""
        line = self.line()
        path = table
        for key in self.keys():
            path = self.below(path, key)
            self.lines.setdefault(path, line)
        self.must_take("=")
        self.value(path)

    def keys(self) -> list[str]:
        """The parts of a key, one at least, with the quotes and escapes undone."""
        keys: list[str] = []
        while len(keys) <= MAX_DEPTH:
            self.skip(_SPACE)
            if bare := _BARE_KEY.match(self.text, self.at):
                self.at = bare.end()
                keys.append(bare[0])
            else:
                keys.append(_unquoted(self.expect(_QUOTED_KEY)))
            self.skip(_SPACE)
            if not self.take("."):
                return keys
        raise TooDeepError(self.line())

    def value(self, path: KeyPath) -> None:
        self.skip(_SPACE)
        if self.take("["):
            self.elements(path)
        elif self.take("{"):
            self.inline_table(path)
        elif self.text.startswith(('"', "'"), self.at):
            self.expect(STRING)
        else:
            self.expect(_PLAIN_VALUE)

    def elements(self, path: KeyPath) -> None:
        """An array, behind its opening bracket."""
        position = 0
        self.skip(_BLANK)
        while not self.take("]"):
            element = self.below(path, position)
            self.lines[element] = self.line()
            self.value(element)
            self.separator("]")
            position += 1

    def inline_table(self, path: KeyPath) -> None:
        """An inline table, behind its opening brace. Line breaks are stepped over: newer TOML allows them."""
        self.skip(_BLANK)
        while not self.take("}"):
            self.pair(path)
            self.separator("}")

    def separator(self, closing: str) -> None:
        """A comma and the blank around it; or what closes the array or table, which is left to be taken."""
        self.skip(_BLANK)
        if not self.text.startswith(closing, self.at):
            self.must_take(",")
            self.skip(_BLANK)

    def below(self, path: KeyPath, step: str | int) -> KeyPath:
        if len(path) >= MAX_DEPTH:
            raise TooDeepError(self.line())
        return (*path, step)

    def line(self) -> int:
        return bisect_right(self.line_starts, self.at)

    def take(self, character: str) -> bool:
        """Step over a character if it is the next one."""
        if not self.text.startswith(character, self.at):
            return False
        self.at += 1
        return True

    def must_take(self, character: str) -> None:
        if not self.take(character):
            raise _NotTomlError

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Step over what a pattern matches here, which may be nothing."""
        if found := pattern.match(self.text, self.at):
            self.at = found.end()

    def expect(self, pattern: re.Pattern[str]) -> str:
        """Step over what a pattern must match here, and return it."""
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _NotTomlError
        self.at = found.end()
        return found[0]


def _unquoted(token: str) -> str:
    try:
        return str(tomllib.loads(f"k = {token}")["k"])
    except tomllib.TOMLDecodeError:
        raise _NotTomlError from None
