"""Paths, sizes and counts as a model and a person read them, and paths as they write them."""

import difflib
import os
import unicodedata
from pathlib import Path

from panto import ToolError, resolve_path

_SPACES = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_QUOTES = dict.fromkeys(range(0x2018, 0x201C), "'") | dict.fromkeys(range(0x201C, 0x2020), '"')
_ALIKE = str.maketrans(_SPACES | _QUOTES)


def printable(name: str) -> str:
    """A file's name as valid text on one line: what is no UTF-8, and control characters, as escapes."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text)


def shown(path: Path, project: Path) -> str:
    """A path as people read it: relative to the project if it is inside."""
    if path.is_relative_to(project):
        return printable(str(path.relative_to(project)))
    return printable(str(path))


def shown_argument(path: str, project: Path) -> str:
    """The same for a path as a model wrote it, whatever it wrote."""
    try:
        return shown(resolve_path(path, project), project)
    except ToolError:
        return printable(path)


def size(count: int) -> str:
    """A number of bytes for people: ``812 B``, ``1.2 KB``, ``34 MB``."""
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000:
            return f"{value:.1f} {unit}" if unit != "B" and value < 10 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def plural(count: int, one: str, many: str = "") -> str:
    """``1 file``, ``2,345 files``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def located(path: Path) -> Path:
    """The path of what is there, if it is there under a name that only looks the same.

    Models write plain spaces, straight quotes and composed accents where a file's name has others. A path that exists
    as it is written is taken as it is; otherwise each part may stand for the one entry that looks like it. If there is
    none, or more than one, the path comes back as it was.
    """
    if os.path.lexists(path):
        return path
    found = Path(path.anchor)
    for part in path.parts[1:]:
        child = found / part
        if not os.path.lexists(child):
            twins = [name for name in _entries(found) if _alike(name) == _alike(part)]
            if len(twins) != 1:
                return path
            child = found / twins[0]
        found = child
    return found


def missing(path: Path, project: Path) -> ToolError:
    """That there is nothing at a path, with what the model may have meant."""
    where = path.parent
    while not _is_directory(where) and where != where.parent:
        where = where.parent
    wanted = path.relative_to(where).parts[0]
    entries = _entries(where)
    by_case = {name.casefold(): name for name in entries}
    near = difflib.get_close_matches(wanted.casefold(), by_case, n=5, cutoff=0.6)
    place = f"{shown(where, project)}" if where != project else "the project"
    if near:
        names = ", ".join(shown(where / by_case[name], project) for name in near)
        return ToolError(f"{shown(path, project)} is not there. Near it: {names}")
    return ToolError(f"{shown(path, project)} is not there: {place} has no {printable(wanted)}")


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _entries(directory: Path) -> list[str]:
    try:
        return [entry.name for entry in directory.iterdir()]
    except OSError:
        return []


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", name).translate(_ALIKE)
