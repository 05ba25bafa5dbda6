"""The files that a body mentions: which they are, whether they may be read, and their text."""

import asyncio
import codecs
import heapq
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from panto import Host, Need, PermissionDeniedError, ToolError, resolve_path
from panto_agent.skill._files import pieces, reason_of
from panto_agent.skill._records import shown

MOST_BYTES = 64 * 1024
"""What is sent of one file at most."""
MOST_NAMES = 200
"""Names of a directory that are listed; the rest are counted."""
MOST_SECTIONS = 50
"""Files that go along with one command."""


@dataclass(frozen=True)
class _Place:
    """What a mention means: the path as spelled, made absolute, and where that really is."""

    path: Path
    real: Path


@dataclass
class Mentions:
    """Collects what one slash command mentions, each file once.

    ``title`` is what the user is shown when they are asked; ``anywhere`` says whether files outside of the project
    count. ``sections`` is what goes along, in order.
    """

    host: Host
    title: str
    anywhere: bool
    sections: list[str] = field(default_factory=list[str])
    _seen: set[str | Path] = field(default_factory=set[str | Path])

    async def add(self, mentioned: str) -> None:
        """Take up a mention. One of nothing that is there is nothing: it may be a name, or half of an address."""
        if mentioned in self._seen or len(self.sections) > MOST_SECTIONS:
            return
        self._seen.add(mentioned)
        place = await asyncio.to_thread(_place, mentioned, self.host.project, self.host.home)
        if place is None or place.real in self._seen:
            return
        self._seen.add(place.real)
        if len(self.sections) == MOST_SECTIONS:
            self.sections.append(f"[more than {MOST_SECTIONS} files are mentioned: the rest is left out]")
        else:
            self.sections.append(f"contents of {shown(mentioned, 500)}:\n\n{await self._contents(place)}")

    async def _contents(self, place: _Place) -> str:
        project = await asyncio.to_thread(os.path.realpath, self.host.project)
        if not self.anywhere and not place.real.is_relative_to(project):
            return "[not read: it lies outside of the project, where a project's command may not reach]"
        try:
            await self.host.permit(Need("fs.read", str(place.path)), title=self.title)
            return await asyncio.to_thread(_contents, place.real)
        except PermissionDeniedError as error:
            return f"[not read: {str(error).removesuffix('.')}]"
        except OSError as error:
            return f"[not read: {reason_of(error)}]"


def _place(mentioned: str, project: Path, home: Path) -> _Place | None:
    """Where a mentioned path is, if there is anything."""
    if mentioned == "~" or mentioned.startswith("~/"):
        text = f"{home}{mentioned[1:]}"
    else:
        text = f"./{mentioned}" if mentioned.startswith("@") else mentioned
    try:
        path = resolve_path(text, project)
        path.lstat()
        return _Place(path, Path(os.path.realpath(path, strict=True)))
    except (ToolError, OSError, ValueError):
        return None


def _contents(path: Path) -> str:
    """A file's text, or a directory's names. Raises `OSError`; never waits for a pipe."""
    if stat.S_ISDIR(path.stat().st_mode):
        return _listing(path)
    size = path.stat().st_size
    data = b""
    with closing(pieces(path)) as found:
        for piece in found:
            data += piece
            if len(data) > MOST_BYTES:
                break
    text = _text(data[:MOST_BYTES], cut=len(data) > MOST_BYTES)
    if text is None:
        return f"[a binary file of {size} bytes]"
    if len(data) > MOST_BYTES:
        return f"{text}\n\n[cut here: {MOST_BYTES} of {max(size, len(data))} bytes]"
    return text.strip("\n") or "[an empty file]"


def _text(data: bytes, *, cut: bool) -> str | None:
    """The text that bytes are, if they are; a character that was cut in two is left out."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if not cut or error.reason != "unexpected end of data":
            return None
        text = data[: error.start].decode()
    return None if "\0" in text else text.replace("\r\n", "\n")


def _listing(path: Path) -> str:
    count = 0

    def names() -> Iterator[str]:
        nonlocal count
        with os.scandir(path) as entries:
            for entry in entries:
                count += 1
                yield f"{shown(entry.name)}{'/' if entry.is_dir() else ''}"

    listed = heapq.nsmallest(MOST_NAMES, names())
    rest = [f"[and {count - MOST_NAMES} more]"] if count > MOST_NAMES else []
    return "\n".join((*listed, *rest)) or "[an empty directory]"
