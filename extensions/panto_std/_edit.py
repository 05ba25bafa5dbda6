"""Replace text in a file's bytes: what is outside of the replaced places stays as it is, to the byte."""

from dataclasses import dataclass
from itertools import pairwise

from panto import ToolError

from ._encoding import Encoding, encoding_of_bytes
from ._locate import Found, How, Place, locate
from ._names import plural
from ._nearest import nearest
from ._splice import replacement

_NAMED_LINES = 20


@dataclass(frozen=True)
class Edited:
    """A file's bytes after an edit, the numbers of the lines where places were replaced, and how they were found."""

    data: bytes
    lines: tuple[int, ...]
    how: How


def edit(data: bytes, old: str, new: str, *, every: bool, shown: str) -> Edited:
    """Replace ``old`` with ``new`` in a file's bytes, in the one place where it is, or in ``every`` one.

    Raises `ToolError` if there is no such place, or more than one and not ``every`` is meant; if nothing would change;
    or if the file's encoding has no such characters. ``shown`` is the file's name, for these.
    """
    if not old:
        raise ToolError("old is empty; it has to be text that is in the file. To write a whole file use std.write")
    if old == new:
        raise ToolError("old and new are the same, so there is nothing to change")
    encoding = encoding_of_bytes(data)
    text = encoding.decode(data)
    old, new, found = _located(text, old, new)
    if not found.places:
        raise ToolError("\n".join(part for part in (f"old is not in {shown}.", nearest(text, old)) if part))
    if found.count > 1 and not every:
        where = numbers(_line_numbers(text, found.places))
        raise ToolError(
            f"old is in {plural(found.count, 'place')} of {shown} ({where}). Add lines around it until it is in one "
            "place only, or set all to true to replace it everywhere"
        )
    result = _spliced(data, text, encoding, [(p, replacement(text, p, old, new, found.how)) for p in found.places])
    if result == data:
        raise ToolError(f"nothing would change in {shown}: it has new there already, but for blanks or line ends")
    return Edited(result, _line_numbers(text, found.places), found.how)


def _located(text: str, old: str, new: str) -> tuple[str, str, Found]:
    """Look for the text as it is; then, if it ends a last line that has no end, for the same without one."""
    found = locate(text, old)
    if found.places or not (old.endswith("\n") and new.endswith("\n")) or text.endswith("\n"):
        return old, new, found
    shorter = (old.removesuffix("\n").removesuffix("\r"), new.removesuffix("\n").removesuffix("\r"))
    ended = locate(text, shorter[0]) if shorter[0] else found
    at_end = tuple(place for place in ended.places if not text[place.end :].strip())
    return (*shorter, Found(at_end, ended.how, len(at_end))) if at_end else (old, new, found)


def _spliced(data: bytes, text: str, encoding: Encoding, changes: list[tuple[Place, str]]) -> bytes:
    """The bytes with the places' bytes exchanged. Each character has its own bytes, so lengths lead to places."""
    pieces: list[bytes] = []
    done = Place(0, 0)
    at = len(encoding.mark)
    pieces.append(data[:at])
    for place, new in changes:
        start = at + len(encoding.encode(text[done.end : place.start]))
        end = start + len(encoding.encode(text[place.start : place.end]))
        pieces += (data[at:start], _encoded(new, encoding))
        at, done = end, place
    return b"".join([*pieces, data[at:]])


def _encoded(new: str, encoding: Encoding) -> bytes:
    try:
        return encoding.encode(new)
    except UnicodeEncodeError as error:
        character = new[error.start]
        raise ToolError(
            f"the file is {encoding.name}, which has no {character!a} (U+{ord(character):04X}); it was left as it is"
        ) from None


def _line_numbers(text: str, places: tuple[Place, ...]) -> tuple[int, ...]:
    numbers: list[int] = []
    line = 1
    for before, place in pairwise((Place(0, 0), *places)):
        line += text.count("\n", before.start, place.start)
        numbers.append(line)
    return tuple(numbers)


def numbers(lines: tuple[int, ...]) -> str:
    """``line 4``, ``lines 4, 18, 40``."""
    named = ", ".join(map(str, lines[:_NAMED_LINES]))
    word = "line" if len(lines) == 1 else "lines"
    return f"{word} {named}{', …' if len(lines) > _NAMED_LINES else ''}"
