"""The files that come with a skill, as a list: named with their sizes, never read."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from panto_agent.skill._files import SKILL_FILE, is_text_name
from panto_agent.skill._records import shown

MAX_LISTED = 100
"""Files that are listed; the rest are counted."""
MAX_SEEN = 5_000
"""Entries of directories that are looked at: in a skill's directory may lie a whole world."""
_PASSED_OVER = frozenset({".git", "node_modules"})


class _File(NamedTuple):
    """A file: its path in the skill, and where it is."""

    path: str
    entry: "os.DirEntry[str]"


def bundled(directory: Path) -> list[str]:
    """A line for each file below a skill's directory, by path, and one for those that are too many to list.

    Links to directories are not followed. Left out are links to files outside of the skill, names that are no text, and
    what can't be read or is gone meanwhile.
    """
    walk = _Walk(directory)
    files = sorted(walk.files(), key=lambda file: file.path)
    lines: list[str] = []
    real = os.path.realpath(directory)
    for number, file in enumerate(files):
        if len(lines) == MAX_LISTED:
            more = len(files) - number
            return [*lines, f"- … and {'at least ' if walk.is_cut else ''}{more} more"]
        size = _size(file.entry, real)
        if size is not None:
            lines.append(f"- {shown(file.path)} ({size} bytes)")
    return [*lines, "- … and more"] if walk.is_cut else lines


class _Walk:
    """Goes through a skill's directories, as far as `MAX_SEEN` goes; ``is_cut`` says whether more was there."""

    def __init__(self, directory: Path) -> None:
        self.is_cut = False
        self._seen = 0
        self._pending = [("", os.fspath(directory))]

    def files(self) -> Iterator[_File]:
        """All files but SKILL.md itself, and links to files."""
        while self._pending and not self.is_cut:
            prefix, directory = self._pending.pop()
            try:
                with os.scandir(directory) as entries:
                    yield from self._of(prefix, entries)
            except OSError:  # it is gone, or not for us
                continue

    def _of(self, prefix: str, entries: Iterator["os.DirEntry[str]"]) -> Iterator[_File]:
        for entry in entries:
            if self._seen == MAX_SEEN:
                self.is_cut = True
                return
            self._seen += 1
            path = f"{prefix}{entry.name}"
            if not is_text_name(entry.name) or entry.name in _PASSED_OVER:
                continue
            if entry.is_dir(follow_symlinks=False):
                self._pending.append((f"{path}/", entry.path))
            elif path != SKILL_FILE and _is_file(entry):
                yield _File(path, entry)


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:  # a circle of links
        return False


def _size(entry: "os.DirEntry[str]", skill: str) -> int | None:
    """A file's size in bytes; None for a link out of the skill, and for what is gone."""
    try:
        if entry.is_symlink() and not Path(os.path.realpath(entry.path)).is_relative_to(skill):
            return None
        return entry.stat().st_size
    except OSError:
        return None
