"""Which line of a TOML file holds a key.

tomllib reads values but forgets where they stood. Here is only what is needed to find keys again in text that tomllib
has accepted: it steps over values without judging them.
"""

import re
import tomllib
from bisect import bisect_right
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""A key from the top of the file: table and key names, and positions in arrays, counted from 0."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# A multi-line string may end in up to two quotes of its own, right before the three that close it.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN_VALUE = re.compile(r"[^,\]}#\n]*")


def find_line(text: str, path: KeyPath) -> int | None:
    """The line (from 1) of a key, table or array element in TOML that tomllib accepts; None if it is not there.

    A table that is only implied, such as ``a`` in ``[a.b]``, is on the line where its name first stands; a value over
    several lines is on the line of its key.
    """
    return index_lines(text).get(path)


def index_lines(text: str) -> dict[KeyPath, int]:
    """The line of every key, table and array element. In text that is not TOML, whatever could be made out."""
    return _Scanner(text).run()


class _Scanner:
    """One pass over the text. `at` is how far it has come; `lines` is what it found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.lengths: dict[KeyPath, int] = {}  # of the arrays of tables so far

    def run(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self.skip(_BLANK)
        while self.at < len(self.text):
            start = self.at
            if self.take("["):
                table = self.header()
            else:
                self.pair(table)
            self.skip(_BLANK)
            if self.at == start:  # not TOML: go no further, but do not hang either
                break
        return self.lines

    def header(self) -> KeyPath:
        """A ``[table]`` or ``[[array of tables]]``, behind its first bracket: the table that it opens."""
        line = self.line()
        is_array = self.take("[")
        keys = self.keys()
        path: KeyPath = ()
        for key in keys[:-1]:
            path = self.latest((*path, key))
            self.lines.setdefault(path, line)
        path = (*path, *keys[-1:])
        if is_array:
            self.lines.setdefault(path, line)
            position = self.lengths[path] = self.lengths.get(path, -1) + 1
            path = (*path, position)
        self.lines[path] = line  # a header of its own is a better place than where a name was implied
        self.take("]")
        if is_array:
            self.take("]")
        return path

    def latest(self, path: KeyPath) -> KeyPath:
        """A table's path, or for an array of tables that of its last element, to which further headers belong."""
        return (*path, self.lengths[path]) if path in self.lengths else path

    def pair(self, table: KeyPath) -> None:
        """A key, which may be dotted, and its value."""
        line = self.line()
        path = table
        for key in self.keys():
            path = (*path, key)
            self.lines.setdefault(path, line)
        if self.take("="):
            self.value(path)

    def keys(self) -> list[str]:
        """The parts of a key, with the quotes and escapes undone."""
        keys: list[str] = []
        while True:
            self.skip(_SPACE)
            bare = _BARE_KEY.match(self.text, self.at)
            quoted = None if bare else _STRING.match(self.text, self.at)
            found = bare or quoted
            if found is None:
                return keys
            self.at = found.end()
            keys.append(found[0] if bare else _unquoted(found[0]))
            self.skip(_SPACE)
            if not self.take("."):
                return keys

    def value(self, path: KeyPath) -> None:
        self.skip(_SPACE)
        if self.take("["):
            self.elements(path)
        elif self.take("{"):
            self.inline_table(path)
        elif not self.skip(_STRING):
            self.skip(_PLAIN_VALUE)

    def elements(self, path: KeyPath) -> None:
        """An array, behind its opening bracket."""
        position = 0
        self.skip(_BLANK)
        while self.at < len(self.text) and not self.take("]"):
            self.lines[*path, position] = self.line()
            start = self.at
            self.value((*path, position))
            self.skip(_BLANK)
            self.take(",")
            self.skip(_BLANK)
            if self.at == start:
                return
            position += 1

    def inline_table(self, path: KeyPath) -> None:
        """An inline table, behind its opening brace. Line breaks are stepped over: newer TOML allows them."""
        self.skip(_BLANK)
        while self.at < len(self.text) and not self.take("}"):
            start = self.at
            self.pair(path)
            self.skip(_BLANK)
            self.take(",")
            self.skip(_BLANK)
            if self.at == start:
                return

    def line(self) -> int:
        return bisect_right(self.line_starts, self.at)

    def take(self, character: str) -> bool:
        """Step over a character if it is the next one."""
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        return False

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Step over what the pattern matches here; whether it moved on."""
        found = pattern.match(self.text, self.at)
        if found is None or found.end() == self.at:
            return False
        self.at = found.end()
        return True


def _unquoted(token: str) -> str:
    try:
        return str(tomllib.loads(f"k = {token}")["k"])
    except tomllib.TOMLDecodeError:
        return token[1:-1]  # not TOML: any name will do
