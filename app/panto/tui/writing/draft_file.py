"""A text that is not sent yet, on the disk: each running program has a file of its own, and a lock on it.

The lock goes with its program, however that ends. What a file holds that nobody has a lock on is taken up by the next
program that starts in the project.
"""

import fcntl
from pathlib import Path
from typing import BinaryIO

from panto.tui.writing.written import Written
from panto.whole_file import write_whole

MOST = 16
"""How many programs in one project keep their texts."""
LONGEST = 8_000_000


class DraftFile:
    """The file of this program. Made by `open_draft`; `found` is what was in it."""

    def __init__(self, file: Path, lock: BinaryIO, found: Written) -> None:
        self.found = found
        self._file = file
        self._lock = lock

    def write(self, written: Written) -> None:
        """Have a text in the file, or no file for none. Raises `OSError`."""
        if written.text.strip():
            write_whole(self._file, written.to_json())
        else:
            self._file.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the file to the next program."""
        self._lock.close()


def open_draft(directory: Path) -> DraftFile | None:
    """Take a file that no running program has, with a text in it if there is one. None if all are taken.

    Raises `OSError`.
    """
    held: list[DraftFile] = []
    for number in range(MOST):
        draft = _take(directory, number)
        if draft is None:
            continue
        held.append(draft)
        if draft.found.text:
            break
    chosen = next((draft for draft in held if draft.found.text), held[0] if held else None)
    for draft in held:
        if draft is not chosen:
            draft.close()
    return chosen


def _take(directory: Path, number: int) -> DraftFile | None:
    file = directory / f"draft-{number}.json"
    lock = file.with_suffix(".lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    try:
        with file.open("rb") as opened:
            found = Written.from_json(opened.read(LONGEST))
    except OSError:
        found = None
    return DraftFile(file, lock, found or Written())
