"""``@path`` in a text: where one stands, what it says, and how a path is written so.

A path with blanks or quotes stands between double quotes, in which a backslash takes a quote or a backslash as it is.
An ``@`` in the middle of a word, as in an address, begins none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_AT_WORD = re.compile(r"""(?<![^\s(\[{<,;:='"`|])@(?:"(?P<quoted>(?:[^"\\\n]|\\.)*)(?P<closed>"?)|(?P<bare>[^\s"]*))""")
_LONGEST = 4_096
"""So far to both sides of the caret a word may reach."""
_ESCAPED = re.compile(r"\\(.)")
_QUOTED = re.compile(r"""[\s"\\]""")


@dataclass(frozen=True)
class AtWord:
    """One ``@path`` of a text: the path without its quotes, and where it stands, the ``@`` included.

    ``closed``: its second quote is there, so that nothing more belongs to it.
    """

    path: str
    start: int
    end: int
    closed: bool


def at_words(text: str) -> Iterator[AtWord]:
    """All that a text has, from left to right; one with nothing behind its ``@`` too."""
    for found in _AT_WORD.finditer(text):
        quoted = found["quoted"]
        path = found["bare"] if quoted is None else _ESCAPED.sub(r"\1", quoted)
        yield AtWord(path, *found.span(), closed=bool(found["closed"]))


def at_word_at(line: str, column: int) -> AtWord | None:
    """The one that the caret is in or right behind, if it can still be typed at."""
    before = max(0, column - _LONGEST)
    for word in at_words(line[before : column + _LONGEST]):
        start, end = before + word.start, before + word.end
        if start < column <= end and not (word.closed and column == end):
            return AtWord(word.path, start, end, word.closed)
    return None


def written_at(path: str, *, more: bool = False) -> str:
    """A path as it is written with its ``@``. ``more``: there may be more of it, so a quote is left open."""
    if _QUOTED.search(path) is None:
        return f"@{path}"
    escaped = re.sub(r'(["\\])', r"\\\1", path)
    return f'@"{escaped}' + ("" if more else '"')
