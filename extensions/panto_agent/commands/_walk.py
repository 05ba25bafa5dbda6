"""The Markdown files below a directory: a walk that ends, whatever the directory holds."""

import os
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from panto_agent.skill._files import reason_of, resolved
from panto_agent.skill._records import shown

MOST_ENTRIES = 2_000
"""Files and directories that are looked at below one root."""
MOST_DEPTH = 8
"""How deep directories may nest."""
SUFFIX = ".md"
LONGEST_PATH = 500
"""Characters of a path that are shown."""


class Fault(NamedTuple):
    """What is wrong with a file or a directory; ``line`` counts from 1, None where no line is to blame."""

    path: Path
    reason: str
    line: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        return f"{shown(str(self.path), LONGEST_PATH)}{line}: {self.reason}"


class _Directory(NamedTuple):
    """A directory to look into: where it is, its real path, and the real directories on the way to it."""

    path: Path
    real: Path
    above: frozenset[Path]


class Walk:
    """Finds files by name. ``faults`` is what was passed over; where a link leads back up, that is no fault.

    With ``inside``, a real path, nothing is looked at that really lies elsewhere. Directories whose names start with a
    dot are passed over: they are some program's own.
    """

    def __init__(self, root: Path, inside: Path | None) -> None:
        self.root = root
        self.faults: list[Fault] = []
        self._inside = inside
        self._left = MOST_ENTRIES

    def files(self) -> Iterator[Path]:
        """The paths of the Markdown files, those of upper directories first. An absent root has none."""
        if not os.path.lexists(self.root):
            return
        pending: deque[_Directory] = deque()
        self._enter(pending, self.root, frozenset())
        while pending:
            directory = pending.popleft()
            for entry in self._entries(directory):
                path = directory.path / entry.name
                if _is_directory(entry):
                    if not entry.name.startswith("."):
                        self._enter(pending, path, directory.above)
                elif entry.name.endswith(SUFFIX):
                    yield path

    def _enter(self, pending: deque[_Directory], path: Path, above: frozenset[Path]) -> None:
        try:
            real = resolved(path)
        except OSError as error:
            self._pass_over(path, f"can't be read: {reason_of(error)}")
            return
        if real in above:
            return
        if self._inside is not None and not real.is_relative_to(self._inside):
            self._pass_over(path, "it leads out of the project")
        elif len(above) > MOST_DEPTH:
            self._pass_over(path, f"directories nest deeper than {MOST_DEPTH}; it is not looked into")
        else:
            pending.append(_Directory(path, real, above | {real}))

    def _entries(self, directory: _Directory) -> list["os.DirEntry[str]"]:
        """What a directory holds, by name, as far as the walk may go."""
        if self._left < 0:
            return []  # there are too many, which has been said
        try:
            with os.scandir(directory.real) as found:
                entries = sorted(islice(found, self._left + 1), key=lambda entry: entry.name)
        except OSError as error:
            self._pass_over(directory.path, f"can't be read: {reason_of(error)}")
            return []
        self._left -= len(entries)
        if self._left < 0:
            self._pass_over(self.root, f"it holds more than {MOST_ENTRIES} files; the rest is not looked at")
            entries.pop()
        return entries

    def _pass_over(self, path: Path, reason: str) -> None:
        self.faults.append(Fault(path, reason))


def _is_directory(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # what it is will show when it is read
        return False
