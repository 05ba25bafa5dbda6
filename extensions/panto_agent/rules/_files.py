"""Rules files on disk: which one a directory has, and its text with what it imports."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path

NAMES = ("AGENTS.md", "CLAUDE.md")
"""In the order of preference: a directory's first that can be read counts, never two."""
MAX_BYTES = 64 * 1024
"""What is sent of one file at most."""
MAX_DEPTH = 5
"""How deep imports may nest."""

_IMPORT = re.compile(r"\s*@(?P<path>\S+)\s*")
_FENCE = re.compile(r" {0,3}(```|~~~)")

Notify = Callable[[str], None]


@dataclass(frozen=True)
class RulesFile:
    """A rules file that was read: where it really is, its text, and its size in bytes on disk.

    ``imported`` are the real paths of the files whose text is part of it.
    """

    path: Path
    text: str
    size: int
    imported: tuple[Path, ...] = ()

    @property
    def section(self) -> str:
        """The file as the model gets it."""
        return f"context from {self.path}:\n\n{self.text.strip()}"


def real_path(path: Path) -> Path:
    """Where a path really is, with all links followed; a circle of links stays as it is."""
    return Path(os.path.realpath(path))


def candidates(directory: Path) -> Iterator[Path]:
    """The rules files that a directory has by name, the preferred one first."""
    for name in NAMES:
        path = directory / name
        if os.path.lexists(path):
            yield path


@dataclass(frozen=True)
class Reader:
    """Reads rules files. ``imports`` says whether ``@path`` lines count, ``notify`` takes what the user should know.

    What a file below ``inside`` imports must lie in there as well: a repository can't hand over the user's other files.
    """

    inside: Path
    imports: bool
    notify: Notify

    def first(self, directory: Path, known: Set[Path] = frozenset()) -> RulesFile | None:
        """A directory's rules file; one that can't be read gives way to the next, with a notice.

        What it imports of ``known`` is left out: the model has it.
        """
        found = list(candidates(directory))
        for number, path in enumerate(found):
            try:
                return self.read(path, known)
            except OSError as error:
                instead = f"; {found[number + 1].name} is used instead" if number + 1 < len(found) else ""
                self.notify(f"rules: {path} can't be read ({error.strerror or error}){instead}")
        return None

    def read(self, path: Path, known: Set[Path] = frozenset()) -> RulesFile:
        """A rules file with what it imports. Raises `OSError`."""
        real = real_path(path)
        text, size = _text(real)
        if size > MAX_BYTES:
            self.notify(f"rules: {path} has {size} bytes; only the first {MAX_BYTES} are sent")
        if not self.imports:
            return RulesFile(real, text, size)
        seen = {real, *known}
        expanded = self._expanded(text, real, seen, 1)
        return RulesFile(real, expanded, size, tuple(sorted(seen - known - {real})))

    def _expanded(self, text: str, file: Path, seen: set[Path], depth: int) -> str:
        """The text with each line ``@path`` replaced by that file's text. Lines in code fences are left alone."""
        lines: list[str] = []
        fence = ""
        for line in text.split("\n"):
            mark = _FENCE.match(line)
            if mark and fence in ("", mark[1]):
                fence = "" if fence else mark[1]
            found = None if fence else _IMPORT.fullmatch(line)
            lines.append(line if found is None else self._imported(line, found["path"], file, seen, depth))
        return "\n".join(lines)

    def _imported(self, line: str, path: str, file: Path, seen: set[Path], depth: int) -> str:
        target = real_path(file.parent / os.path.expanduser(path))  # noqa: PTH111 - an unknown user stays as written
        if target in seen:
            return ""
        if not target.is_file():
            return line
        if depth > MAX_DEPTH or not self._may_import(file, target):
            why = f"imports nest deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else "it lies outside of the project"
            self.notify(f"rules: {file} imports {target}, which is left out: {why}")
            return line
        seen.add(target)
        try:
            text, size = _text(target)
        except OSError as error:
            self.notify(f"rules: {target}, imported by {file}, can't be read ({error.strerror or error})")
            return line
        if size > MAX_BYTES:
            self.notify(f"rules: {target} has {size} bytes; only the first {MAX_BYTES} are sent")
        return self._expanded(text, target, seen, depth + 1)

    def _may_import(self, file: Path, target: Path) -> bool:
        return target.is_relative_to(self.inside) or not file.is_relative_to(self.inside)


def _text(path: Path) -> tuple[str, int]:
    """A regular file's text up to `MAX_BYTES`, and its size. Raises `OSError`; never waits for a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is no regular file")
        data = file.read(MAX_BYTES)
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    if status.st_size > MAX_BYTES:
        cut = text.rstrip("\ufffd")
        text = f"{cut}\n\n[cut here: {MAX_BYTES} of {status.st_size} bytes]"
    return text, status.st_size
