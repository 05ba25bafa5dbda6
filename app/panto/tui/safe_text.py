"""The one way for outside text onto the screen: what a terminal would obey becomes something to see.

Control, bidi and invisible characters turn into stand-ins, tabs into blanks, and what is no character into U+FFFD.
Joiners, selectors and modifiers stay where emoji and scripts need them. Widths are Rich's, which Textual lays out by;
text is never parted within a cluster: what a reader sees as one character.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

TAB = 4
"""Columns between tab stops."""
ELLIPSIS = "…"
NARROWEST = 2
"""No line can be asked to be narrower: a wide character would not fit."""

_NEVER = (  # invisible wherever they stand, or no characters at all
    "\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U00013440"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_SOMETIMES = "\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef"
_FLAGS = "|".join(  # England, Scotland, Wales: the only ones of this kind in use; other tag characters hide text
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
    for name in ("gbeng", "gbsct", "gbwls")
)
_UNSAFE = re.compile(f"[{_NEVER}{_SOMETIMES}]")
_PARTS = re.compile(f"{_FLAGS}|[{_NEVER}{_SOMETIMES}]")

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)
_IS_EMOJI = re.compile(f"[{_EMOJI}]")
_IS_PART_OF_EMOJI = re.compile(f"[{_EMOJI}\ufe0f\U0001f3fb-\U0001f3ff]")
_HAS_SKIN = re.compile(  # the bases a skin tone can follow, a few more with them
    "[\u261d\u26f9\u270a-\u270d\U0001f385-\U0001f3cc\U0001f442-\U0001f4aa\U0001f574-\U0001f596\U0001f645-\U0001f6cc"
    "\U0001f90c-\U0001f9dd\U0001fac3-\U0001faf8]"
)
_JOINED_SCRIPT = re.compile("[\u0600-\u0dff\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc]")
_ANYTHING = re.compile("")


class _Use(NamedTuple):
    """Between what a character that is invisible by itself has a use, and whether it is kept there or left out."""

    of: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str] = _ANYTHING
    kept: bool = True


_USES = (
    _Use(re.compile("\u200d"), _IS_PART_OF_EMOJI, _IS_EMOJI),
    _Use(re.compile("\u200c"), _JOINED_SCRIPT, _JOINED_SCRIPT),
    _Use(re.compile("\u200d"), _JOINED_SCRIPT, _JOINED_SCRIPT, kept=False),  # Rich's widths lose the letter behind it
    _Use(re.compile("\ufe0f"), _IS_EMOJI),
    _Use(re.compile("\ufe0f"), re.compile("[#*0-9]"), re.compile("\u20e3")),
    _Use(re.compile("\ufe0e"), _IS_EMOJI, kept=False),  # asks for a narrow form, which Rich's widths do not know
    _Use(re.compile("[\U0001f3fb-\U0001f3ff]"), _HAS_SKIN),
    _Use(re.compile("[\u180b-\u180f]"), re.compile("[\u1820-\u18aa]")),
    _Use(
        re.compile("[\ufe00-\ufe02\U000e0100-\U000e01ef]"),
        re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    ),
)
_VIRAMAS = frozenset("\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d")
_FOLLOWERS = frozenset("\u0e33\u0eb3")
"""Vowels that are drawn in a column of their own and still belong to the consonant before them."""
_LONGEST_CLUSTER = 64
"""More characters than any real cluster has."""
_NEVER_FIRST = frozenset("、。，．・：；？！）］｝〉》」』】〕〗ー々…‥％")
_NEVER_LAST = frozenset("（［｛〈《「『【〔〖")

_SINGLE = re.compile(r"[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2500-\u25fc]*")
"""Text in which every character is one cluster of one column: the quick way through most text."""


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


def is_even(text: str) -> bool:
    """Whether certainly every character of the text is a cluster of its own, one column wide."""
    return _SINGLE.fullmatch(text) is not None


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """What a reader sees as the characters of a line of safe text, each with its width in columns."""
    if _SINGLE.fullmatch(text):
        yield from ((character, 1) for character in text)
        return
    pending, width = "", 0
    for start, end, columns in split_graphemes(text)[0]:
        if pending and _belongs(pending, text[start]):
            pending, width = pending + text[start:end], width + columns
            continue
        if pending:
            yield pending, width
        pending, width = text[start:end], columns
    if pending:
        yield pending, width


def truncate(text: str, width: int) -> str:
    """A line of safe text cut to a width, with an ellipsis where something is missing."""
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


def breaks(text: str, width: int, *, anywhere: bool = False) -> list[tuple[int, int]]:
    """Where a line of safe text breaks into rows of at most ``width`` columns (2 or more): start and end of each.

    It breaks at blanks, beside wide characters, and else between clusters; with ``anywhere``, between clusters alone.
    What lies between the end of a row and the start of the next is blanks.
    """
    width = max(NARROWEST, width)
    if len(text) <= width and _SINGLE.fullmatch(text):
        return [(0, len(text))]
    if _SINGLE.fullmatch(text):
        return _chopped(len(text), width) if anywhere else list(_narrow_breaks(text, width))
    return list(_wide_breaks(text, width, anywhere=anywhere))


def cluster_start(text: str, at: int) -> int:
    """The place nearest to ``at``, and not behind it, at which a long text can be cut without parting a cluster."""
    start = max(0, at - _LONGEST_CLUSTER)
    place = start
    for cluster, _ in clusters(text[start : at + _LONGEST_CLUSTER]):
        if place + len(cluster) > at:
            break
        place += len(cluster)
    return at if 0 < start == place else place


def wrap_text(text: str, width: int) -> list[str]:
    """Safe text as rows of at most ``width`` columns."""
    return [line[start:end] for line in text.split("\n") for start, end in breaks(line, width)]


def _safe_line(line: str) -> str:
    if _UNSAFE.search(line) is None:
        return line
    pieces: list[str] = []
    column = 0
    start = 0
    for match in _PARTS.finditer(line):
        before = line[start : match.start()]
        column += cell_len(before)
        shown = " " * (TAB - column % TAB) if match[0] == "\t" else _shown(line, match.start(), match[0])
        column += cell_len(shown)
        pieces += (before, shown)
        start = match.end()
    return "".join((*pieces, line[start:]))


def _shown(line: str, at: int, found: str) -> str:
    """What stands for a doubtful character: itself where it has a use, else something to see."""
    if len(found) > 1:  # a flag
        return found
    before, after = line[at - 1 : at] if at else "", line[at + 1 : at + 2]
    code = ord(found)
    kept = _kept(found, before, after)
    if kept is not None:
        return kept
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    is_none = 0xD800 <= code <= 0xDFFF or 0xFDD0 <= code <= 0xFDEF or code in (0xFFFE, 0xFFFF)
    return "\ufffd" if is_none else f"‹U+{code:04X}›"


def _kept(found: str, before: str, after: str) -> str | None:
    """A character that has a use between its neighbours; empty if it may be left out; None if it has none."""
    for use in _USES:
        if use.of.match(found) and use.before.match(before) and use.after.match(after):
            return found if use.kept else ""
    return None


def _belongs(cluster: str, following: str) -> bool:
    """Whether a character goes with the cluster before it, though Rich would part them."""
    last = cluster[-1]
    if "\U0001f1e6" <= following <= "\U0001f1ff":
        return "\U0001f1e6" <= last <= "\U0001f1ff" and len(cluster) == 1
    return following in _FOLLOWERS or (last in _VIRAMAS and "\u0904" <= following <= "\u0d7f")


def _chopped(length: int, width: int) -> list[tuple[int, int]]:
    return [(start, min(start + width, length)) for start in range(0, length, width)] or [(0, 0)]


def _narrow_breaks(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Breaks where every character takes one column: found a row at a time."""
    start, length = 0, len(text)
    while length - start > width:
        at = text.rfind(" ", start + 1, start + width + 1)
        row = text[start:at].rstrip(" ") if at > 0 else ""
        if not row:
            yield start, start + width
            start += width
            continue
        yield start, start + len(row)
        start = at
        while start < length and text[start] == " ":
            start += 1
        if start == length:
            return
    yield start, length


def _wide_breaks(text: str, width: int, *, anywhere: bool) -> Iterator[tuple[int, int]]:
    """Breaks for any text: by cluster."""
    parts = list(clusters(text))
    ends = list(accumulate(columns for _, columns in parts))
    places = [0, *accumulate(len(cluster) for cluster, _ in parts)]
    first = 0
    while True:
        before = ends[first - 1] if first else 0
        over = bisect_right(ends, before + width, lo=first)
        if over >= len(parts):
            yield places[first], places[-1]
            return
        end, following = (over, over) if anywhere else _best_break(parts, first, over)
        yield places[first], places[end]
        first = following
        if first >= len(parts):
            return


def _best_break(parts: list[tuple[str, int]], first: int, over: int) -> tuple[int, int]:
    """Where a row ends that may hold the clusters up to ``over``, and where the next one starts."""
    for place in range(over, first, -1):
        if parts[place][0] == " ":
            end = place
            while end > first and parts[end - 1][0] == " ":
                end -= 1
            if end > first:
                return end, _after_blanks(parts, place)
        elif parts[place - 1][0] == " ":
            continue
        elif _may_part(parts[place - 1], parts[place]):
            return place, place
    return max(over, first + 1), max(over, first + 1)


def _after_blanks(parts: list[tuple[str, int]], place: int) -> int:
    while place < len(parts) and parts[place][0] == " ":
        place += 1
    return place


def _may_part(left: tuple[str, int], right: tuple[str, int]) -> bool:
    """Whether a row may end between two clusters that no blank parts: beside a wide one, but for some marks."""
    return (left[1] == 2 or right[1] == 2) and left[0] not in _NEVER_LAST and right[0] not in _NEVER_FIRST
