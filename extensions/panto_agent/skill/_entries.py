"""The block cut into entries: each flush-left key with all the lines down to the next one."""

import re
from typing import NamedTuple

from panto_agent.skill._lines import KeyLine, key_line
from panto_agent.skill._records import FrontMatterError, shown_key

FIRST_LINE = 2
"""The block's first line in the file: the opening fence is line 1."""

_BELOW = r"(?:[ \t#].*\n|\n|-(?:[ \t].*)?\n)*+"  # lines that are no key: blank, indented, comments, items
_LINES_BELOW = re.compile(_BELOW)
_USUAL_ENTRY = re.compile(rf"^([A-Za-z][A-Za-z0-9_-]*):(?=[ \t\n])(.*)\n({_BELOW})", re.MULTILINE)


class Entry(NamedTuple):
    """A key of the front matter: what follows its colon, and the whole lines down to the next key, as one text.

    ``line`` is the key's line in the file, from 1. ``rest`` is empty or ends with a line end.
    """

    key: str
    line: int
    first: str
    rest: str

    @property
    def lines(self) -> list[str]:
        """All lines of the value, the one behind the colon first."""
        return [self.first, *self.rest.split("\n")[:-1]]


class Entries(NamedTuple):
    """The entries by key, in their order, and the lines before the first of them."""

    by_key: dict[str, Entry]
    before: list[str]


def cut_entries(block: str) -> Entries:
    """Cut the block, whose every line ends with LF. Raises FrontMatterError for a key that is there twice."""
    by_key: dict[str, Entry] = {}
    cuts: list[tuple[str, str, str]] = _USUAL_ENTRY.findall(block)
    number = FIRST_LINE
    for key, first, rest in cuts:
        by_key[key] = Entry(key, number, first, rest)
        number += 1 + rest.count("\n") if rest else 1
    if number == FIRST_LINE + block.count("\n") and len(by_key) == len(cuts):
        return Entries(by_key, [])
    return _cut_unusual(block)


def _cut_unusual(block: str) -> Entries:
    """Cut a block with keys or lines that the usual pattern does not know, or with a key that is there twice."""
    by_key: dict[str, Entry] = {}
    at = _first_key(block, 0)
    before = block[:at].split("\n")[:-1]
    number = FIRST_LINE + len(before)
    while at < len(block):
        line_end = block.index("\n", at)
        key, value_at = key_line(block[at:line_end]) or KeyLine("", 0)  # there is one: the place was found by it
        if key in by_key:
            raise FrontMatterError(f"the key {shown_key(key)} is there twice", number)
        end = _first_key(block, line_end + 1)
        by_key[key] = Entry(key, number, block[at + value_at : line_end], block[line_end + 1 : end])
        number += block.count("\n", at, end)
        at = end
    return Entries(by_key, before)


def _first_key(block: str, at: int) -> int:
    """Where the first line is that opens a key, from a line's start on; the block's end when there is none."""
    while at < len(block):
        below = _LINES_BELOW.match(block, at)
        at = below.end() if below else at
        end = block.find("\n", at)
        if end < 0 or key_line(block[at:end]) is not None:
            break
        at = end + 1
    return at
