"""Pictures whose files are pasted or dropped into the prompt, as terminals write their paths."""

import asyncio
import os
import shlex
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from panto.llm.images import picture_of
from panto.messages import Image
from panto.tui.safe_text import safe_line
from panto.tui.writing.chips import file_size

MOST_BYTES = 3_900_000
"""The largest picture that is attached: as base64, what servers take at most."""
_MOST_AT_ONCE = 20
_LONGEST = 8_000
_NAMES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_LONGEST_NAME = 40


@dataclass(frozen=True)
class Picture:
    """A picture's file. ``name`` is safe to show."""

    path: str
    name: str
    image: Image


class NoPictureError(Exception):
    """A path of a picture that can't be attached. Its text is for the user."""


async def pictures_in(text: str) -> list[Picture]:
    """The pictures whose paths a pasted text is; none if it is another text. Raises `NoPictureError`."""
    if len(text) > _LONGEST or not text.strip().strip("'\"").lower().endswith(_NAMES):
        return []
    paths = await asyncio.to_thread(picture_paths, text)
    return await asyncio.to_thread(read_pictures, paths)


def picture_paths(text: str) -> list[str]:
    """The files that a pasted text names, if it names pictures and nothing else; else none.

    Terminals drop paths quoted, with backslashes, as ``file://`` addresses, or as they are.
    """
    stripped = text.strip()
    if "\n" not in stripped and "\\" not in stripped and _is_picture(stripped) and Path(stripped).is_file():
        return [stripped]
    try:
        words = shlex.split(stripped)
    except ValueError:
        return []
    paths = [_path_in(word) for word in words]
    return paths if 0 < len(paths) <= _MOST_AT_ONCE and all(map(_is_picture, paths)) else []


def read_pictures(paths: Sequence[str]) -> list[Picture]:
    """The pictures in some files. Raises `NoPictureError` if one is none, too large, or can't be read."""
    return [_read(path) for path in paths]


def _path_in(word: str) -> str:
    if word.lower().startswith("file://"):
        return unquote(urlsplit(word).path)
    return str(Path(word).expanduser()) if word.startswith("~/") else word


def _is_picture(path: str) -> bool:
    return path.startswith("/") and path.lower().endswith(_NAMES) and "\0" not in path


def _read(path: str) -> Picture:
    name = _shown_name(path)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise NoPictureError(f"{name} is not a file")
            if found.st_size > MOST_BYTES:
                size, most = file_size(found.st_size), file_size(MOST_BYTES)
                raise NoPictureError(f"{name} is too large to attach: {size}, at most {most}")
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise NoPictureError(f"{name} can't be read: {error.strerror or error}") from error
    picture = picture_of(data)
    if picture is None or len(data) > MOST_BYTES:
        raise NoPictureError(f"{name} is no picture that models can be shown")
    return Picture(path, name, Image(picture.media_type, data))


def _shown_name(path: str) -> str:
    name = safe_line(Path(path).name)
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 11]}…{name[-10:]}"
