"""Text with what looks the same made the same: blanks at line ends, Unicode spaces, quotes, dashes, widths, accents."""

import re
import unicodedata
from functools import lru_cache

_SPACES = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_SINGLE = dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x2039, 0x203A], "'")
_DOUBLE = dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB], '"')
_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-")
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF], "")
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_ALIKE = str.maketrans(_SPACES | _SINGLE | _DOUBLE | _DASHES | _INVISIBLE | _WIDE)
_CHARACTER = re.compile(r"[^\n][\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]*")
_BLANKS = " \t\r"


def fold(line: str) -> str:
    """One line, without its end, as it compares."""
    if not line.isascii():
        line = "".join(map(_folded, _CHARACTER.findall(line)))
    return line.rstrip(_BLANKS)


def fold_lines(text: str) -> list[str]:
    """A text's lines (by LF alone), each folded."""
    return [fold(line) for line in text.split("\n")]


def start_in_line(line: str, column: int) -> int:
    """Where in a line the character at that column of the folded line begins; behind its last: where the line ends."""
    if column < len(fold(line)):
        return _spans(line)[column][0]
    return len(line.removesuffix("\r"))


def end_in_line(line: str, column: int) -> int:
    """Where in a line the character before that column of the folded line ends."""
    return _spans(line)[column - 1][1] if column else 0


def _spans(line: str) -> list[tuple[int, int]]:
    """For each character of the folded line, the part of the line it stands for."""
    return [match.span() for match in _CHARACTER.finditer(line) for _ in _folded(match.group())]


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    return unicodedata.normalize("NFC", character).translate(_ALIKE)
