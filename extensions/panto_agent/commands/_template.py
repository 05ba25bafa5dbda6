"""The body of a command cut into pieces, once: what is text, and what stands for something else.

What is put in for a piece is never looked at again, so it is text and nothing but text, whatever it holds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

ALL = 0
"""The number of an `Argument` that stands for all of them."""
LONGEST_PATH = 4096

_ARGUMENT = r"\$(?:ARGUMENTS(?!\w)|[1-9](?!\d))"
_OPENS = r"(?<![^\s(\[{<\"'“‘«„])"  # at the start, behind a blank or an opening bracket or quote
_PIECE = re.compile(
    rf"\\(?P<escaped>[$@]|!(?=`))|(?P<argument>{_ARGUMENT})"
    rf"|{_OPENS}!`(?P<command>[^`\n]+)`|{_OPENS}@(?P<path>[^\s`\"'“”‘’«»„]+)"
)
_PART = re.compile(rf"\\(?P<escaped>\$)|(?P<argument>{_ARGUMENT})")

_ENDS_SENTENCE = frozenset(".,;:!?…")
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}


@dataclass(frozen=True)
class Argument:
    """``$1`` to ``$9`` by its number, or ``$ARGUMENTS``."""

    number: int


Part: TypeAlias = str | Argument


@dataclass(frozen=True)
class CommandLine:
    """A command to be run, whose output stands in its place."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Mention:
    """A path behind an ``@``, whose file goes along."""

    parts: tuple[Part, ...]


Piece: TypeAlias = Part | CommandLine | Mention


@dataclass(frozen=True)
class Template:
    """The pieces of a body, in order."""

    pieces: tuple[Piece, ...]

    @property
    def takes_arguments(self) -> bool:
        """Whether arguments have a place in it."""
        return any(isinstance(part, Argument) for piece in self.pieces for part in parts_of(piece))

    @property
    def runs_commands(self) -> bool:
        """Whether it has commands run."""
        return any(isinstance(piece, CommandLine) for piece in self.pieces)


def parts_of(piece: Piece) -> tuple[Part, ...]:
    """The parts that a piece is made of."""
    return piece.parts if isinstance(piece, CommandLine | Mention) else (piece,)


def parse_template(body: str) -> Template:
    """Cut a body into pieces. Any text is one."""
    return Template(tuple(_pieces(body)))


def _pieces(body: str) -> Iterator[Piece]:
    end = 0
    for found in _PIECE.finditer(body):
        if found.start() > end:
            yield body[end : found.start()]
        end = found.end()
        if found["escaped"]:
            yield found["escaped"]
        elif found["argument"]:
            yield _argument(found["argument"])
        elif found["command"] is not None:
            yield CommandLine(_parts(found["command"])) if found["command"].strip() else found[0]
        else:
            yield from _mention(found["path"])
    if end < len(body):
        yield body[end:]


def _mention(text: str) -> Iterator[Piece]:
    """A mention, and the punctuation behind it that belongs to the sentence."""
    end = _path_end(text) if len(text) <= LONGEST_PATH else 0
    if end:
        yield Mention(_parts(text[:end]))
    else:
        yield "@"
    if end < len(text):
        yield from _parts(text[end:])


def _path_end(text: str) -> int:
    end = len(text)
    while end:
        last = text[end - 1]
        opening = _BRACKETS.get(last)
        is_path = last not in _ENDS_SENTENCE if opening is None else _closes(text[:end], opening, last)
        if is_path:
            break
        end -= 1
    return end


def _closes(text: str, opening: str, closing: str) -> bool:
    """Whether the bracket that closes at the end of a path was opened within it."""
    return text.count(opening) >= text.count(closing)


def _parts(text: str) -> tuple[Part, ...]:
    """A text with its arguments, as one text between each two of them."""
    parts: list[Part] = [""]
    end = 0
    for found in _PART.finditer(text):
        before = text[end : found.start()] + (found["escaped"] or "")
        parts[-1:] = [f"{parts[-1]}{before}"]
        if found["argument"]:
            parts.extend((_argument(found["argument"]), ""))
        end = found.end()
    parts[-1:] = [f"{parts[-1]}{text[end:]}"]
    return tuple(part for part in parts if part != "")


def _argument(text: str) -> Argument:
    return Argument(ALL if text == "$ARGUMENTS" else int(text[1:]))
