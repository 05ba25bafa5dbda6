"""What can be opened from a text: addresses on the web, and places in files, both told by their shape alone.

Whoever wrote the text may want to mislead. An address is a link only if it can be written in plain ASCII, leads to
where it seems to, and has a scheme that a browser or a mail program takes. Whether a file exists is asked when it is
opened.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote, urlsplit

from rich.segment import Segment
from rich.style import Style

from panto.tui.safe_text import cell_width
from panto.tui.transcript.rows import LINE_END, Row, Span, text_of

LONGEST_ADDRESS = 2_000
"""Characters of an address; terminals drop longer ones."""
_LONGEST_PATH = 1_000
_REACH = 4_000
"""So many characters around the place that is asked for are looked at."""
_SCHEMES = frozenset({"http", "https"})
_ADDRESS = re.compile(r"(?<![a-z0-9+.-])(?:https?://|mailto:)[^\s<>\"'`|]+", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\]", re.IGNORECASE)
_MAIL = re.compile(r"mailto:[^\s@?/]+@[^\s@?/]+(?:\?[^\s]*)?", re.IGNORECASE)
_PUNCTUATION = frozenset(".,;:!?*_~'\"")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_KEPT = "%:/?#[]@!$&'()*+,;=~-._"
"""Characters that stand in an address as they are, beside letters and digits."""

_WORD = re.compile(r"[^\s\"'`<>|()\[\]{},;=*:\\]+")
_LINES = re.compile(
    r":(?P<line>\d{1,7})(?::(?P<column>\d{1,7}))?(?!\d)|\((?P<line2>\d{1,7})(?:, ?(?P<column2>\d{1,7}))?\)"
)
_RANGE = re.compile(r" {1,2}(?:lines )?(?P<line>\d{1,7})-\d{1,7}(?![\w.-])")
_TRACE = re.compile(r"\"?, line (?P<line>\d{1,7})(?!\d)")
_HUNK = re.compile(r"^@@ -\d{1,7}(?:,\d{1,7})? \+(?P<line>\d{1,7})", re.MULTILINE)
_NAME = re.compile(r"\.?\w[\w.+@~-]*")
_PUNCTUATED = ".,!?…"
_SUFFIX = re.compile(
    r"bash|c|cc|cfg|cpp|cs|css|csv|cxx|dart|el|ex|exs|fish|go|gradle|h|hpp|hs|html|ini|ipynb|java|js|json|jsonl|jsx|kt"
    r"|less|lock|lua|md|mjs|ml|nix|php|pl|proto|ps1|py|pyi|pyx|r|rb|rs|rst|sass|scala|scss|sh|sql|svelte|svg|swift"
    r"|tcss|tex|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig|zsh",
    re.IGNORECASE,
)
_NAMES = frozenset({"Dockerfile", "Gemfile", "Justfile", "LICENSE", "Makefile", "README", "justfile"})


@dataclass(frozen=True)
class Web:
    """An address that is safe to hand on: plain ASCII, http, https or mailto."""

    address: str


@dataclass(frozen=True)
class File:
    """A place in a file, as it was written: the path may be relative, and nobody knows yet whether it exists.

    ``line`` and ``column`` count from 1; 0 if they are not told.
    """

    path: str
    line: int = 0
    column: int = 0


Target: TypeAlias = Web | File


@dataclass(frozen=True)
class Found:
    """A target, and from which character of a text up to which it is written."""

    start: int
    end: int
    target: Target


def web_address(text: str) -> str | None:
    """An address in plain ASCII, as it may be handed to a terminal or a browser; None if it is not one to follow.

    Blanks and other letters are percent-encoded, a host's letters become its name in ASCII. Not followed are addresses
    with control characters, with a user name (which looks like a host), or with what is no host's name.
    """
    if len(text) > LONGEST_ADDRESS or any(unicodedata.category(character)[0] == "C" for character in text):
        return None
    try:
        address = _mail(text) if text[:7].lower() == "mailto:" else _web(text)
    except ValueError:  # also what no text encoding can hold
        return None
    return address if address and len(address) <= LONGEST_ADDRESS else None


def is_plain(address: str) -> bool:
    """Whether an address (one of `web_address`) has no other letters in its host, so that it looks like no other."""
    return "xn--" not in address.partition("://")[2].partition("/")[0].lower()


def addresses(text: str) -> Iterator[tuple[int, int, str]]:
    """The addresses that stand in a text: where each begins and ends, and the address as it may be handed on."""
    if "://" not in text and "mailto:" not in text:
        return
    for match in _ADDRESS.finditer(text):
        shown = _without_punctuation(match[0])
        address = web_address(shown)
        if address is not None:
            yield match.start(), match.start() + len(shown), address


def found_in(text: str) -> Iterator[Found]:
    """All targets in a text, in order; none lies within another."""
    place = 0
    for start, end, address in addresses(text):
        yield from _files(text, place, start)
        yield Found(start, end, Web(address))
        place = end
    yield from _files(text, place, len(text))


def first_target(text: str) -> Target | None:
    """The first file in a text, or else the first address. In a diff, the file at the first line of the change."""
    targets = [found.target for found in found_in(text[:_REACH])]
    file = next((target for target in targets if isinstance(target, File)), None)
    if file is None:
        return next(iter(targets), None)
    hunk = _HUNK.search(text)
    return replace(file, line=int(hunk["line"])) if hunk and not file.line else file


def link_at(rows: Sequence[Row], number: int, column: int) -> Target | None:
    """What a cell leads to: one of a block's rows, and its column counted behind the margin. None if it is no link."""
    row = rows[number]
    start, end = row.offset_at(column)
    if start == end or row.is_drawn:
        return None
    address = _carried(row, column)
    if address:
        return Web(address)
    first, last = number, number + 1
    size = len(row.text)
    while first > 0 and rows[first].joint != LINE_END and not rows[first - 1].is_drawn and size < _REACH:
        first -= 1
        size += len(rows[first].text)
    while last < len(rows) and rows[last].joint != LINE_END and not rows[last].is_drawn and size < 2 * _REACH:
        size += len(rows[last].text)
        last += 1
    before = text_of(rows[first : number + 1])
    at = len(before) - len(row.text) + start
    text = text_of(rows[first:last])
    return next((found.target for found in found_in(text) if found.start <= at < found.end), None)


def with_link(style: Style, address: str) -> Style:
    """A style that carries an address (one of `web_address`). All parts of one link have the same id."""
    return style + _link(address)


def linked(text: str, style: Style, look: Style | None = None) -> list[Span]:
    """Safe text in a style, with the addresses in it carrying themselves, and looking like ``look`` if that is given.

    Plain text can't show where an address really leads; so one whose host is not plain carries nothing.
    """
    spans: list[Span] = []
    place = 0
    for start, end, address in addresses(text):
        if not is_plain(address):
            continue
        if start > place:
            spans.append(Segment(text[place:start], style))
        spans.append(Segment(text[start:end], with_link(style + look if look else style, address)))
        place = end
    if place < len(text) or not spans:
        spans.append(Segment(text[place:], style))
    return spans


@lru_cache(1024)
def _link(address: str) -> Style:
    return Style(link=address)


def _carried(row: Row, column: int) -> str:
    """The address that the text in a column carries."""
    column -= sum(cell_width(span.text) for span in row.edge)
    for span in row.spans:
        columns = cell_width(span.text)
        if 0 <= column < columns:
            return (span.style.link or "") if span.style else ""
        column -= columns
    return ""


def _mail(text: str) -> str | None:
    address = quote(text, safe=_KEPT)
    return address if _MAIL.fullmatch(address) else None


def _web(text: str) -> str | None:
    """Raises ValueError (UnicodeError is one) for what is no address."""
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in _SCHEMES or host != parts.netloc or not host:
        return None
    name, colon, port = host.rpartition(":") if parts.port is not None else (host, "", "")
    name = name if name.isascii() else name.encode("idna").decode()
    if not _HOST.fullmatch(name):
        return None
    rest = quote(text[text.index("//") + 2 + len(parts.netloc) :], safe=_KEPT)
    return f"{parts.scheme}://{name}{colon}{port}{rest}"


def _without_punctuation(text: str) -> str:
    """An address without what belongs to the sentence around it: a full stop, or a bracket opened before it."""
    surplus = {closing: text.count(closing) - text.count(opening) for closing, opening in _BRACKETS.items()}
    end = len(text)
    while end:
        last = text[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in _PUNCTUATION:
            break
        end -= 1
    return text[:end]


def _files(text: str, start: int, end: int) -> Iterator[Found]:
    """The places in files between two places of a text."""
    after = start
    for match in _WORD.finditer(text, start, end):
        if match.start() < after:
            continue
        path = match[0].rstrip(_PUNCTUATED)
        stop = match.start() + len(path)
        lines = _LINES.match(text, stop, end) or _RANGE.match(text, stop, end) or _TRACE.match(text, stop, end)
        if not _is_path(path, has_line=lines is not None):
            continue
        after = lines.end() if lines else stop
        yield Found(match.start(), after, _file(path, lines))


def _file(path: str, lines: re.Match[str] | None) -> File:
    told = lines.groupdict() if lines else {}
    return File(
        path, int(told.get("line") or told.get("line2") or 0), int(told.get("column") or told.get("column2") or 0)
    )


def _is_path(word: str, *, has_line: bool) -> bool:
    """Whether a word looks like a path: it has a slash or a known name, or any name and a line behind it."""
    if len(word) > _LONGEST_PATH or not any(character.isalnum() for character in word):
        return False
    if "/" in word:
        return "//" not in word and not word.endswith("/")
    if _NAME.fullmatch(word) is None:
        return False
    _, dot, suffix = word.rpartition(".")
    known = word in _NAMES or (bool(dot) and _SUFFIX.fullmatch(suffix) is not None)
    return known or (has_line and bool(dot) and suffix.isalpha())
