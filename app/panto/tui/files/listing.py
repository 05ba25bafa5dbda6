"""The files below a directory, listed by what is fastest and knows ignore files, and to be had while it goes on.

Links are not followed; in a repository they are shown. Outside of one only some levels are listed, and no more than a
part of what may be there: the whole of a home directory is nobody's project.
"""

import asyncio
import os
import shutil
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from panto.process import Keep, ProcessError, run_process
from panto.tui.fit import folded

MOST_BYTES = 48 << 20
"""The paths of one listing take no more memory than this, some 800,000 of them; the rest is left out."""
_MOST_OUTSIDE = 1 << 20
"""The same outside of a repository."""
_LEVELS_OUTSIDE = 4
_KEEP = Keep(1_000, 1_000)
_CHUNK_PATHS = 1_000
_LONGEST_PATH = 4_096

_RIPGREP = ("--no-config", "--files", "--null", "--no-messages", "--no-require-git", "--glob=!.git", "--color=never")
_GIT = ("--no-optional-locks", "ls-files", "--cached", "--others", "--exclude-standard", "-z")


class Chunk(NamedTuple):
    """Some paths, one a line, relative to the listed directory; directories end in ``/``. And the same `folded`."""

    paths: str
    folded: str


@dataclass
class Listing:
    """What has been found so far. ``cut``: some of it was left out."""

    chunks: list[Chunk] = field(default_factory=list[Chunk])
    done: bool = False
    cut: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def more_than(self, chunks: int) -> None:
        """Come back once there are more chunks than these, or all that there will be."""
        while len(self.chunks) <= chunks and not self.done:
            self._news.clear()
            await self._news.wait()

    def take(self, chunk: Chunk) -> None:
        """More has been found."""
        self.chunks.append(chunk)
        self._news.set()

    def finish(self) -> None:
        """Nothing more will be found."""
        self.done = True
        self._news.set()


async def list_files(root: Path, listing: Listing, *, hidden: bool) -> None:
    """List a directory. Cancelling ends it, and the program that does it."""
    try:
        outside = not await asyncio.to_thread(in_repository, root)
        gatherer = _Gatherer(listing, _MOST_OUTSIDE if outside else MOST_BYTES, hidden=hidden)
        for command in await asyncio.to_thread(_commands, hidden, outside):
            with suppress(ProcessError):
                await run_process(command, cwd=root, stop=gatherer.full, sink=gatherer.feed, keep=_KEEP)
            if listing.chunks or gatherer.found:
                break
        else:
            await _walk(root, gatherer, hidden=hidden)
        gatherer.finish()
        await asyncio.sleep(0)  # what the reading thread has handed over comes before the end
    finally:
        listing.finish()


def in_repository(root: Path) -> bool:
    """Whether a directory is part of a repository that is not the whole of a home directory, or of the system."""
    for directory in (root, *root.parents):
        if directory in (Path.home(), Path(directory.anchor)):
            return False
        if (directory / ".git").exists():
            return True
    return False


def _commands(hidden: bool, outside: bool) -> Iterator[list[str]]:
    """The programs that can do it, the best first: in a repository git, which knows of links, too."""
    git = None if outside else shutil.which("git")
    if git is not None:
        yield [git, *_GIT]
    places = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent), None)
    ripgrep = next((found for place in places if (found := shutil.which("rg", path=place))), None)
    if ripgrep is not None:
        depth = [f"--max-depth={_LEVELS_OUTSIDE}"] if outside else []
        yield [ripgrep, *_RIPGREP, *(["--hidden"] if hidden else []), *depth]


async def _walk(root: Path, gatherer: "_Gatherer", *, hidden: bool) -> None:
    """List a directory without the help of others. It knows no ignore files."""
    unwanted = threading.Event()
    try:
        await asyncio.to_thread(_walk_now, root, gatherer, hidden, unwanted)
    finally:
        unwanted.set()


def _walk_now(root: Path, gatherer: "_Gatherer", hidden: bool, unwanted: threading.Event) -> None:
    levels = [""]
    for _ in range(_LEVELS_OUTSIDE):
        below: list[str] = []
        for directory in levels:
            if unwanted.is_set() or gatherer.full.is_set():
                return
            with suppress(OSError), os.scandir(root / directory) as entries:
                for entry in entries:
                    if entry.name == ".git" or (entry.name.startswith(".") and not hidden):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        below.append(f"{directory}{entry.name}/")
                    else:
                        gatherer.feed(os.fsencode(f"{directory}{entry.name}\0"))
        levels = below


class _Gatherer:
    """Cuts a program's output into paths, adds the directories that they lie in, and hands them to the loop.

    ``full`` is set once there is no more room. Made on the loop; the rest runs in the thread that reads.
    """

    def __init__(self, listing: Listing, most_bytes: int, *, hidden: bool) -> None:
        self.full = asyncio.Event()
        self.found = False
        self._listing = listing
        self._room = most_bytes
        self._hidden = hidden
        self._loop = asyncio.get_running_loop()
        self._open = b""
        self._paths: list[str] = []
        self._directories: set[str] = set()

    def feed(self, chunk: bytes) -> None:
        """Take output as it comes."""
        *whole, rest = (self._open + chunk).split(b"\0")
        self._open = rest[-_LONGEST_PATH:]
        for record in whole:
            self._add(record)
        if len(self._paths) >= _CHUNK_PATHS or not self.found:
            self.finish()

    def finish(self) -> None:
        """Hand over what there is."""
        paths, self._paths = self._paths, []
        if not paths or self._room <= 0:
            return
        self.found = True
        text = "\n".join(paths) + "\n"
        self._room -= len(text)
        low = folded(text)
        chunk = Chunk(text, text if low == text else low)
        self._tell(lambda: self._listing.take(chunk))
        if self._room <= 0:
            self._listing.cut = True
            self._tell(self.full.set)

    def _add(self, record: bytes) -> None:
        """One path. One that can't be typed is left out."""
        try:
            path = record.decode().removeprefix("./")
        except UnicodeDecodeError:
            return
        if not path or not path.isprintable():
            return
        if not self._hidden and (path.startswith(".") or "/." in path):
            return
        self._paths.append(path)
        end = path.rfind("/")
        while end > 0 and (directory := path[: end + 1]) not in self._directories:
            self._directories.add(directory)
            self._paths.append(directory)
            end = path.rfind("/", 0, end)

    def _tell(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody looks any more
            self._loop.call_soon_threadsafe(what)
