"""What was sent in a project, in a file that several programs may write: one text a line, the latest last."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from panto.tui.writing.written import Written
from panto.whole_file import write_whole

MOST_ENTRIES = 1_000
MOST_BYTES = 8_000_000
"""What the file holds at most; of what is more, the oldest goes."""
LONGEST = 1_000_000
"""A text whose line would be longer than this is not kept."""


def read_history(file: Path) -> list[Written]:
    """The texts in the file, the oldest first. Lines that hold something else are left out. Raises `OSError`."""
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, os.fstat(opened.fileno()).st_size - 2 * MOST_BYTES))
            lines = opened.read(2 * MOST_BYTES).splitlines()
    except FileNotFoundError:
        return []
    return [written for line in lines[-MOST_ENTRIES:] if (written := Written.from_json(line)) is not None]


def append_history(file: Path, written: Written) -> None:
    """Add a text to the file, one program at a time. Raises `OSError`."""
    line = written.to_json() + b"\n"
    if len(line) > LONGEST:
        return
    with _locked(file):
        handle = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"  # someone was ended in the midst of a line
            _write_all(handle, (b"\n" if torn else b"") + line)
            lines = 0 if size > MOST_BYTES else os.pread(handle, MOST_BYTES + LONGEST, 0).count(b"\n")
        finally:
            os.close(handle)
        if size > MOST_BYTES or lines > MOST_ENTRIES + MOST_ENTRIES // 4:
            _shorten(file)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _shorten(file: Path) -> None:
    """Keep the latest texts, to half of what the file may hold."""
    kept: list[bytes] = []
    size = 0
    for line in reversed(file.read_bytes().splitlines(keepends=True)[-MOST_ENTRIES:]):
        size += len(line)
        if size > MOST_BYTES // 2:
            break
        kept.append(line)
    write_whole(file, b"".join(reversed(kept)))


@contextmanager
def _locked(file: Path) -> Generator[None]:
    with file.with_name(f"{file.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
