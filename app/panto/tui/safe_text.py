"""The one way for outside text onto the screen: what a terminal would obey becomes something to see.

Control, bidi and invisible characters turn into stand-ins, tabs into blanks, and what is no character into U+FFFD.
Joiners and variation selectors stay where scripts and emoji need them. Widths are Rich's, which Textual lays out by.
"""

import re
from collections.abc import Iterator

from rich.cells import cell_len, split_graphemes

TAB = 4
"""Columns between tab stops."""
ELLIPSIS = "…"

_INVISIBLE = (
    "\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSAFE = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff{_INVISIBLE}]")
_JOINERS = "\u200c\u200d"


def safe_text(text: str) -> str:
    """Outside text as it may be shown. Line ends become ``\\n``; every other line keeps its place."""
    if _UNSAFE.search(text) is None:
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(map(_safe_line, lines))


def safe_line(text: str) -> str:
    """The same on one line: line ends are seen, too."""
    return safe_text(text).replace("\n", "␊")


def cell_width(text: str) -> int:
    """How many columns safe text takes."""
    return cell_len(text)


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """What a reader sees as characters, each with its width in columns."""
    spans, _ = split_graphemes(text)
    for start, end, width in spans:
        yield text[start:end], width


def truncate(text: str, width: int) -> str:
    """Safe text cut to a width, with an ellipsis where something is missing."""
    if cell_len(text) <= width:
        return text
    kept: list[str] = []
    used = 0
    for cluster, columns in clusters(text):
        if used + columns > width - 1:
            break
        kept.append(cluster)
        used += columns
    return "".join(kept) + ELLIPSIS if width > 0 else ""


def _safe_line(line: str) -> str:
    if _UNSAFE.search(line) is None:
        return line
    pieces: list[str] = []
    column = 0
    start = 0
    for match in _UNSAFE.finditer(line):
        before = line[start : match.start()]
        column += cell_len(before)
        shown = " " * (TAB - column % TAB) if match[0] == "\t" else _stand_in(line, match.start())
        column += cell_len(shown)
        pieces += (before, shown)
        start = match.end()
    return "".join((*pieces, line[start:]))


def _stand_in(line: str, at: int) -> str:
    character = line[at]
    code = ord(character)
    if character in _JOINERS and _joins(line, at):
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"‹U+{code:04X}›"


def _joins(line: str, at: int) -> bool:
    """Whether a joiner stands between two characters that can be joined: emoji, or letters of scripts that need it."""
    before, after = line[at - 1 : at] if at else "", line[at + 1 : at + 2]
    return bool(before and after) and not before.isascii() and not after.isascii() and not _UNSAFE.match(after)
