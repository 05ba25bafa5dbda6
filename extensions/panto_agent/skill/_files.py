"""Files on disk: opened without hanging, read in pieces, and known by where they really are."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

SKILL_FILE = "SKILL.md"

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path) -> int:
    """Open a regular file for reading, and give its descriptor.

    What is no regular file (a directory, a FIFO, a device) is not opened at all, and should it take the file's place in
    between, opening and reading do not wait for it. Raises OSError.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.open(path, _READ_FLAGS)


def pieces(path: Path, size: int = 64 * 1024) -> Generator[bytes, None, None]:
    """A regular file's bytes, in pieces of a size at most. Raises OSError."""
    descriptor = open_regular(path)
    try:
        while piece := os.read(descriptor, size):
            yield piece
    finally:
        os.close(descriptor)


def read_whole(path: Path) -> bytes:
    """A regular file's bytes. Raises OSError."""
    with closing(pieces(path)) as found:
        return b"".join(found)


def resolved(path: Path) -> Path:
    """Where a path really is, with all links followed. Raises OSError for what isn't there and for circles of links."""
    return Path(os.path.realpath(path, strict=True))  # Path.resolve raises RuntimeError for circles before Python 3.13


def is_text_name(name: str) -> bool:
    """Whether a name from the disk is valid text; names that aren't UTF-8 come with surrogates in them."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def reason_of(error: OSError) -> str:
    """Why a file could not be read, without its path."""
    return (error.strerror or type(error).__name__).lower()
