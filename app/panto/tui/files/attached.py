"""What goes along with a text that names files with ``@``: their contents, if they are small, read through the gate.

The text itself stays as it was typed. Every file that is named is told of in a line for the user, with what is left
out; what is not sent whole is named to the model by its path, for it to read.
"""

import asyncio
import codecs
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from panto.messages import Image
from panto.offers import Attached, Prompt
from panto.permissions.guard import Guard, PermissionDeniedError
from panto.tools import Need, ToolError, resolve_path
from panto.tui.at_words import AtWord, at_words
from panto.tui.writing.chips import file_size
from panto.tui.writing.pictures import NoPictureError, read_pictures

MOST_FILES = 20
MOST_BYTES = 48 * 1024
"""What is sent of one file at most, and of a larger one nothing but its path."""
MOST_BYTES_OF_ALL = 128 * 1024
MOST_NAMES = 200
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEHIND = ".,;:!?)]}>'\"`"
"""What a sentence may have behind a path."""
_LINES = re.compile(r":\d+(?:[-:]\d+)?$")


@dataclass(frozen=True)
class _Place:
    """A file that a text names: as named, made absolute, and where that really is."""

    named: str
    path: Path
    real: Path


async def with_files(prompt: Prompt, project: Path, guard: Guard) -> Prompt:
    """A prompt with what its text names. Asks the user where reading is to be asked for."""
    words = list(at_words(prompt.own_words)) if "@" in prompt.own_words else []
    places = await asyncio.to_thread(_places, words, project) if words else []
    attached: list[Attached] = []
    images: list[Image] = []
    left = MOST_BYTES_OF_ALL
    for number, place in enumerate(places):
        if number >= MOST_FILES:
            attached.append(_left_out(place, f"more than {MOST_FILES} files"))
            continue
        found = await _attached(place, guard, left)
        images += [found] if isinstance(found, Image) else []
        attached.append(Attached("", f"+ picture: {place.named}") if isinstance(found, Image) else found)
        left -= 0 if isinstance(found, Image) else len(found.text.encode())
    if not attached:
        return prompt
    return replace(prompt, attached=(*prompt.attached, *attached), images=(*prompt.images, *images))


def _places(words: Sequence[AtWord], project: Path) -> list[_Place]:
    """What is really there, each once. An ``@`` that names nothing is part of the text, and no more."""
    found: dict[Path, _Place] = {}
    for word in words:
        bare = word.path.rstrip(_BEHIND)
        spelled = dict.fromkeys((word.path, bare, _LINES.sub("", bare)))
        place = next((there for path in spelled if path and (there := _place(path, project)) is not None), None)
        if place is not None:
            found.setdefault(place.real, place)
    return list(found.values())


def _place(named: str, project: Path) -> _Place | None:
    try:
        path = resolve_path(f"./{named}" if named.startswith("@") else named, project)
        return _Place(named, path, Path(os.path.realpath(path, strict=True)))
    except (ToolError, OSError, ValueError):
        return None


async def _attached(place: _Place, guard: Guard, room: int) -> Attached | Image:
    needs = [Need("fs.read", str(path)) for path in dict.fromkeys((place.path, place.real))]
    try:
        await guard.permit(needs, title=f"@{place.named}", summary="its contents go along with what you say")
        return await asyncio.to_thread(_read, place, room)
    except PermissionDeniedError as error:
        return _left_out(place, f"not read: {str(error).removesuffix('.')}")
    except OSError as error:
        return _left_out(place, f"not read: {error.strerror or error}")


def _read(place: _Place, room: int) -> Attached | Image:
    """Blocks, but never waits for a pipe. Raises `OSError`."""
    mode = place.real.stat().st_mode
    if stat.S_ISDIR(mode):
        return _listing(place)
    if not stat.S_ISREG(mode):
        return _left_out(place, "no regular file")
    return _picture(place) if place.named.lower().endswith(_PICTURES) else _contents(place, room)


def _contents(place: _Place, room: int) -> Attached:
    handle = os.open(place.real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        size = os.fstat(handle).st_size
        data = file.read(MOST_BYTES + 1)
    text = _text(data)
    if len(data) > MOST_BYTES:
        return _left_out(place, f"{file_size(max(size, len(data)))}: only its path")
    if text is None:
        return _left_out(place, f"binary, {file_size(size)}: only its path")
    if len(data) > room:
        return _left_out(place, f"{file_size(size)}: only its path, the other files are enough")
    return Attached(f"contents of {place.named}:\n\n{text or '[an empty file]'}", f"+ file: {place.named}")


def _picture(place: _Place) -> Attached | Image:
    try:
        return read_pictures([str(place.real)])[0].image
    except NoPictureError as error:
        return _left_out(place, str(error))


def _listing(place: _Place) -> Attached:
    with os.scandir(place.real) as entries:
        names = sorted(f"{entry.name}{'/' if entry.is_dir() else ''}" for entry in entries)
    shown = [os.fsencode(name).decode("utf-8", "backslashreplace") for name in names[:MOST_NAMES]]
    rest = len(names) - len(shown)
    more = [f"[and {rest} more]"] if rest else []
    count = f"{len(names)} {'entry' if len(names) == 1 else 'entries'}{f', {rest} of them left out' if rest else ''}"
    return Attached(
        "\n".join((f"directory {place.named}:\n", *(shown or ["[empty]"]), *more)),
        f"+ directory: {place.named} ({count})",
    )


def _left_out(place: _Place, why: str) -> Attached:
    return Attached(f"[{place.named} is not attached: {why}]", f"+ file: {place.named} ({why})")


def _text(data: bytes) -> str | None:
    """The text that bytes are, if they are."""
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").strip("\n")
