"""Quoted scalars: where they close, and what they say, as YAML 1.2 has it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_BLANKS = " \t"
_INSIDE = {"'": re.compile(r"(?:[^']|'')*+"), '"': re.compile(r"(?:[^\"\\]|\\.|\\\Z)*+")}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_BACKSLASHES = re.compile(r"\\+\Z")
_SHORT = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


class Quoted(NamedTuple):
    """A quoted scalar that closes: its text (None when it holds an escape that YAML does not know), and the place right
    behind its closing quote."""

    text: str | None
    row: int
    column: int


class _BadEscapeError(ValueError):
    """An escape that YAML does not know, or half of a surrogate pair."""


def scan_quoted(lines: Sequence[str], row: int, column: int) -> Quoted | None:
    """Read the quoted scalar that opens at a place; None when it isn't closed within the lines."""
    quote = lines[row][column]
    inside = _INSIDE[quote]
    pieces: list[str] = []
    start = column + 1
    for at in range(row, len(lines)):
        line = lines[at]
        found = inside.match(line, start)
        end = found.end() if found else start
        pieces.append(line[start:end])
        if end < len(line):
            return Quoted(_text_of(pieces, double=quote == '"'), at, end + 1)
        start = 0
    return None


def unquoted(text: str) -> str:
    """A text, decoded when it is one quoted scalar as a whole, else as it is."""
    quoted = scan_quoted([text], 0, 0) if text[:1] in ("'", '"') else None
    return quoted.text if quoted and quoted.text is not None and quoted.column == len(text) else text


def _text_of(pieces: list[str], *, double: bool) -> str | None:
    """The text of a scalar, from what stands between its quotes, line by line."""
    try:
        return _fold(pieces, double=double)
    except _BadEscapeError:
        return None


def _fold(pieces: list[str], *, double: bool) -> str:
    """Lines as YAML folds them: a break is a blank, n blank lines are n breaks, and an escaped break is nothing."""
    parts: list[str] = []
    breaks = 0
    glued = True
    last = len(pieces) - 1
    for index, piece in enumerate(pieces):
        text = piece.lstrip(_BLANKS) if index else piece
        goes_on = False
        if index < last:
            text, goes_on = _trimmed(text, double=double)
        if not text and not goes_on and 0 < index < last:
            breaks += 1
            continue
        if index:
            parts.append("\n" * breaks if breaks or glued else " ")
        parts.append(_decoded(text, double=double))
        breaks, glued = 0, goes_on
    return _joined("".join(parts))


def _trimmed(text: str, *, double: bool) -> tuple[str, bool]:
    """A line without the blanks at its end, and whether a backslash takes the line break away."""
    bare = text.rstrip(_BLANKS)
    if not double:
        return bare, False
    backslashes = _ESCAPED_BACKSLASHES.search(bare)
    if backslashes is None or len(backslashes.group()) % 2 == 0:
        return bare, False
    if len(bare) < len(text):  # the backslash escapes the blank behind it
        return text[: len(bare) + 1], False
    return bare[:-1], True


def _decoded(text: str, *, double: bool) -> str:
    if not double:
        return text.replace("''", "'")
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    digits = escape.group(1) or escape.group(2) or escape.group(3)
    if digits is None:
        try:
            return _SHORT[escape.group(4)]
        except KeyError:
            raise _BadEscapeError from None
    code = int(digits, 16)
    if code > 0x10FFFF:
        raise _BadEscapeError
    return chr(code)


def _joined(text: str) -> str:
    """Make one character of each escaped surrogate pair, as JSON writes them; half a pair is no text."""
    if not _SURROGATE.search(text):
        return text
    text = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    if _SURROGATE.search(text):
        raise _BadEscapeError
    return text
