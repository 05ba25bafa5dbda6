"""Terminal output taken apart: text, controls, escape sequences, strings; in whatever pieces it comes."""

import codecs
import re
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Control:
    """A C0 control character."""

    char: str


@dataclass(frozen=True)
class Escape:
    """`ESC`, intermediates, final: `("(", "B")` for `ESC ( B`."""

    intermediates: str
    final: str


@dataclass(frozen=True)
class Csi:
    """A control sequence: `CSI ? 1049 h` is `("?", "1049", "", "h")`."""

    prefix: str
    parameters: str
    intermediates: str
    final: str

    def numbers(self) -> list[int]:
        """The parameters before any sub-parameters; a missing one is 0."""
        return [int(part.partition(":")[0] or 0) for part in self.parameters.split(";")] if self.parameters else []


@dataclass(frozen=True)
class String:
    """A control string: kind is `]` (OSC), `P` (DCS), `X`, `^` or `_` (APC)."""

    kind: str
    text: str


Token: TypeAlias = str | Control | Escape | Csi | String
"""A plain str is text to show."""

_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")
_CSI_BODY = re.compile(r"[\x20-\x3f\x00-\x17\x19\x1c-\x1f]*")
_CSI_PARTS = re.compile(r"([<-?]*)([0-9:;]*)([ -/]*)")
_CONTROLS = re.compile(r"[\x00-\x1f]")
_INTERMEDIATES = re.compile(r"[ -/]*")
_STRING_END = re.compile(r"\x1b|[\x07\x9c\x18\x1a]")
_STRING_END_NOT_BEL = re.compile(r"\x1b|[\x9c\x18\x1a]")

_EIGHT_BIT = {"\x9b": "[", "\x9d": "]", "\x90": "P", "\x98": "X", "\x9e": "^", "\x9f": "_"}
_STRINGS = "]PX^_"


class Parser:
    """Bytes in, tokens out. What is not finished waits for more; what is broken is left out as a terminal would."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""

    def feed(self, data: bytes) -> list[Token]:
        """The tokens finished by these bytes."""
        buffer = self._rest + self._decode(data)
        tokens: list[Token] = []
        position = 0
        while position < len(buffer):
            if text := _TEXT.match(buffer, position):
                tokens.append(text.group())
                position = text.end()
                continue
            taken = _special(buffer, position)
            if taken is None:
                break
            more, position = taken
            tokens += more
        self._rest = buffer[position:]
        return tokens


_Taken: TypeAlias = tuple[list[Token], int]


def _special(buffer: str, position: int) -> _Taken | None:
    """What begins with the control character here, and where it ends; None if more is needed to tell."""
    char = buffer[position]
    if char in _EIGHT_BIT:
        return _introduced(buffer, position + 1, _EIGHT_BIT[char])
    if char != "\x1b":
        return ([Control(char)] if char < "\x20" else []), position + 1
    intermediates = _INTERMEDIATES.match(buffer, position + 1)
    end = intermediates.end() if intermediates else position + 1
    if end >= len(buffer):
        return None
    final = buffer[end]
    if not "0" <= final <= "~":
        return [], end  # broken: what interrupts it is looked at by itself
    if end == position + 1 and (final == "[" or final in _STRINGS):
        return _introduced(buffer, end + 1, final)
    return [Escape(buffer[position + 1 : end], final)], end + 1


def _introduced(buffer: str, start: int, kind: str) -> _Taken | None:
    return _csi(buffer, start) if kind == "[" else _string(buffer, start, kind)


def _csi(buffer: str, start: int) -> _Taken | None:
    """A control sequence. Control characters inside take effect, and are no part of it."""
    body = _CSI_BODY.match(buffer, start)
    end = body.end() if body else start
    if end >= len(buffer):
        return None
    raw = buffer[start:end]
    tokens: list[Token] = [Control(char) for char in _CONTROLS.findall(raw)]
    final = buffer[end]
    if not "@" <= final <= "~":
        return tokens, end + 1 if final in "\x18\x1a" else end
    if parts := _CSI_PARTS.fullmatch(_CONTROLS.sub("", raw)):
        prefix, parameters, intermediates = parts.groups()
        tokens.append(Csi(prefix, parameters, intermediates, final))
    return tokens, end + 1


def _string(buffer: str, start: int, kind: str) -> _Taken | None:
    """A control string up to its terminator; one that is broken off is left out."""
    found = (_STRING_END if kind == "]" else _STRING_END_NOT_BEL).search(buffer, start)
    if found is None:
        return None
    text, end = buffer[start : found.start()], found.end()
    if found.group() in "\x18\x1a":
        return [], end
    if found.group() == "\x1b":
        if end >= len(buffer):
            return None
        if buffer[end] != "\\":
            return [], found.start()
        end += 1
    return [String(kind, text)], end
