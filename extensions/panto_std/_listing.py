"""What is in one directory, as text."""

import stat
from dataclasses import dataclass
from pathlib import Path

from ._files import told
from ._names import plural, printable, size

ENTRIES = 1000


@dataclass(frozen=True)
class Listing:
    """A directory's entries, one a line, and how many there are in a few words."""

    text: str
    summary: str


def listing(directory: Path, project: Path) -> Listing:
    """List a directory by name: directories with ``/``, files with their size, links with their target. Blocks.

    Raises `ToolError` if it can't be read.
    """
    with told(directory, project, "list"):
        names = sorted(entry.name for entry in directory.iterdir())
        lines = [_line(directory / name) for name in names[:ENTRIES]]
    if len(names) > ENTRIES:
        lines.append(f"[{ENTRIES:,} of {len(names):,} entries; std.glob finds files by a pattern]")
    return Listing("\n".join(lines) or "(empty directory)", plural(len(names), "entry", "entries"))


def _line(entry: Path) -> str:
    name = printable(entry.name)
    try:
        info = entry.lstat()
        if stat.S_ISLNK(info.st_mode):
            return f"{name} -> {printable(str(entry.readlink()))}"
    except OSError as error:
        return f"{name}  ({error.strerror})"
    if stat.S_ISDIR(info.st_mode):
        return f"{name}/"
    if stat.S_ISREG(info.st_mode):
        return f"{name}  {size(info.st_size)}"
    return f"{name}  (no regular file)"
