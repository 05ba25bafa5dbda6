"""Files opened and replaced without harm: nothing hangs, nothing is half written, links and modes stay.

All of it blocks; tools call it in a thread.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from panto import ToolError

from ._names import missing, shown, size

LOAD_BYTES = 50_000_000
"""The largest file that is changed as a whole, in memory."""

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a directory",
}


@dataclass(frozen=True)
class Loaded:
    """A file's bytes, and what identifies the state in which they were read."""

    data: bytes
    state: tuple[int, int, int]


@contextmanager
def told(path: Path, project: Path, doing: Literal["read", "list", "write"]) -> Generator[None]:
    """Turn the system's refusals into words for the model: what, where, why."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileNotFoundError) and doing != "write":
            raise missing(path, project) from None
        raise ToolError(f"can't {doing} {shown(path, project)}: {error.strerror or error}") from None


def is_directory(path: Path, project: Path) -> bool:
    """Whether what is there is a directory. Raises `ToolError` if nothing is there, or it can't be looked at."""
    with told(path, project, "read"):
        return stat.S_ISDIR(path.stat().st_mode)


def open_file(path: Path, project: Path) -> BinaryIO:
    """Open a regular file for reading. Raises `ToolError` for anything that could block or act when opened."""
    with told(path, project, "read"):
        _check_regular(path.stat().st_mode, path, project)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        file = os.fdopen(descriptor, "rb")
    try:
        _check_regular(os.fstat(descriptor).st_mode, path, project)
    except ToolError:
        file.close()
        raise
    return file


def load(path: Path, project: Path) -> Loaded | None:
    """A file's bytes, to change them; None if there is no file. ``path`` must be free of links (`target`)."""
    if not os.path.lexists(path):
        return None
    with open_file(path, project) as file, told(path, project, "read"):
        info = os.fstat(file.fileno())
        if info.st_size > LOAD_BYTES:
            raise ToolError(
                f"{shown(path, project)} has {size(info.st_size)}; files over {size(LOAD_BYTES)} are changed with a "
                "command (std.shell, with sed or the like)"
            )
        return Loaded(file.read(), _state(info))


def target(path: Path, project: Path) -> Path:
    """Where a write to that path ends up: the file behind the links, whether it exists or not."""
    with told(path, project, "write"):
        try:
            return Path(os.path.realpath(path, strict=True))
        except FileNotFoundError:
            return Path(os.path.realpath(path))


def replace(path: Path, data: bytes, before: Loaded | None, project: Path) -> None:
    """Write a file, whole or not at all, in place of what was loaded ``before`` (None: nothing was there).

    The bytes go to a file beside it, which then takes its name; mode and attributes stay. Parents are made. Raises
    `ToolError` if the file is no longer in the state in which it was loaded.
    """
    with told(path, project, "write"):
        if before is None:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not os.access(path, os.W_OK):
            raise ToolError(f"{shown(path, project)} is read-only; it was left as it is")
        beside = path.parent / f".panto-{secrets.token_hex(8)}.tmp"
        try:
            _write(beside, data, path if before is not None else None)
            _check_state(path, before, project)
            beside.replace(path)
        except BaseException:  # nothing half-made stays behind, whatever ended this; it goes on being raised
            beside.unlink(missing_ok=True)
            raise
        _sync_directory(path.parent)


def _write(beside: Path, data: bytes, like: Path | None) -> None:
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if like else 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if like is not None:
            info = like.stat()
            with suppress(PermissionError):  # someone else's file, which we may write but not give away
                os.chown(file.fileno(), info.st_uid, info.st_gid)
            shutil.copystat(like, beside)
        file.write(data)
        file.flush()
        os.utime(file.fileno())
        os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    with suppress(OSError):  # not every file system can, and the write itself is done
        descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _check_regular(mode: int, path: Path, project: Path) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "no regular file")
        raise ToolError(f"{shown(path, project)} is {kind}, not a file")


def _check_state(path: Path, before: Loaded | None, project: Path) -> None:
    try:
        now = _state(path.lstat())
    except FileNotFoundError:
        now = None
    if now != (None if before is None else before.state):
        raise ToolError(
            f"{shown(path, project)} changed while it was about to be written, so it was not; read it again"
        )


def _state(info: os.stat_result) -> tuple[int, int, int]:
    return info.st_ino, info.st_size, info.st_mtime_ns
