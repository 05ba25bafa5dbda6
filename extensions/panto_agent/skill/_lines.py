"""Lines of front matter: which are blank, which are comments, which open a key.

A blank is a space or a tab and nothing else; a line ends at LF or CR LF and nowhere else. Python's own ideas of both
(``str.splitlines``, ``str.strip()``, ``\\s``, ``$``) take in far more, so none of them is used in this package.
"""

import re
from typing import NamedTuple

from panto_agent.skill._quoted import scan_quoted

BLANKS = " \t"
TOOL_KEYS = frozenset({"allowed-tools", "disallowed-tools", "disallowedTools"})

PROPERTIES = re.compile(r"(?:[&!][^ \t]*[ \t]+)*")
"""Anchors and tags in front of a value or a key."""

_SIMPLE_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?=[ \t]|\Z)")
_KEY_END = re.compile(r":(?=[ \t]|\Z)")
_QUOTED_KEY_END = re.compile(r"[ \t]*:(?=[ \t]|\Z)")
_COMMENT = re.compile(r"[ \t]#")
_DOCUMENT_MARK = re.compile(r"(?:---|\.\.\.)(?=[ \t]|\Z)")
_ITEM = re.compile(r"-(?=[ \t]|\Z)")
_OPENERS = re.compile(r"[ \t]*(?:[-?](?:[ \t]+|\Z))*")
_NEVER_PLAIN = frozenset(",[]{}#&*!|>'\"%@`")
_TOOL_KEY_ANYWHERE = re.compile(
    r"""(?<![\w-])(allowed-tools|disallowed-tools|disallowedTools)["']?[ \t]*:(?=[ \t]|\Z)"""
)


class KeyLine(NamedTuple):
    """A key and the column behind its colon."""

    key: str
    value_at: int


class Opened(NamedTuple):
    """What a line opens behind its indentation, dashes and question marks: a key, or None, and the column behind it.

    ``explicit`` says that there is a ``?``, behind which a key needs no colon on its line.
    """

    key: str | None
    value_at: int
    explicit: bool


def is_empty(line: str) -> bool:
    """Whether the line carries nothing: blanks, or a comment."""
    text = line.lstrip(BLANKS)
    return not text or text[0] == "#"


def is_item(text: str) -> bool:
    """Whether a text without its indentation opens an item of a list."""
    return _ITEM.match(text) is not None


def indentation(line: str) -> str:
    """The blanks that a line starts with."""
    return line[: len(line) - len(line.lstrip(BLANKS))]


def without_comment(text: str) -> str:
    """The text up to a comment, without blanks at its end."""
    found = _COMMENT.search(text)
    return (text[: found.start()] if found else text).rstrip(BLANKS)


def starts_plain(text: str) -> bool:
    """Whether YAML lets an unquoted scalar start as this text does."""
    first = text[:1]
    if first in "-?:":
        return text[1:2] not in ("", " ", "\t", "\n")
    return first not in _NEVER_PLAIN


def holds_mapping(text: str) -> bool:
    """Whether YAML would read ``key: value`` in this unquoted text."""
    return _KEY_END.search(text) is not None


def key_line(line: str, at: int = 0) -> KeyLine | None:
    """The key that the line opens at a column, or None: a key, a colon, and then a blank or the line's end."""
    simple = _SIMPLE_KEY.match(line, at)
    if simple is not None:
        return KeyLine(simple.group(1), simple.end())
    if line[at : at + 1] in ("'", '"'):
        return _quoted_key(line, at)
    end = _KEY_END.search(line, at)
    if end is None or _DOCUMENT_MARK.match(line, at):
        return None
    key = line[at : end.start()].rstrip(BLANKS)
    if not key or key[0] in BLANKS or not starts_plain(line[at:]) or _COMMENT.search(key):
        return None
    return KeyLine(key, end.end())


def opened_key(line: str) -> Opened:
    """The key that a line opens behind its indentation, the dashes of lists, anchors and tags."""
    openers = _OPENERS.match(line)
    start = openers.end() if openers else 0
    properties = PROPERTIES.match(line, start)
    start = properties.end() if properties else start
    explicit = "?" in line[: openers.end() if openers else 0]
    found = key_line(line, start)
    return Opened(found.key, found.value_at, explicit) if found else Opened(None, start, explicit)


def tool_key_in(text: str) -> str | None:
    """A tool list's key anywhere in a text, where YAML might read it as one; comments do not count."""
    found = _TOOL_KEY_ANYWHERE.search(without_comment(text))
    return found.group(1) if found else None


def _quoted_key(line: str, at: int) -> KeyLine | None:
    quoted = scan_quoted([line], 0, at)
    if quoted is None or quoted.text is None:
        return None
    end = _QUOTED_KEY_END.match(line, quoted.column)
    return KeyLine(quoted.text, end.end()) if end else None
