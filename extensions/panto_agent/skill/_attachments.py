"""The files that come with a skill: all text files below its directory, up to a budget."""

import codecs
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from panto_agent.skill._files import SKILL_FILE, is_text_name, pieces, reason_of, resolved
from panto_agent.skill._records import Problem, SkillFile, WarningCode, shown

_MOST_LINKED_DIRECTORIES = 256
"""How many directories are gone into by way of links: links can multiply a small tree without end."""


class Attachments(NamedTuple):
    """The files taken, in the order of their paths, and one problem for each that was not."""

    files: list[SkillFile]
    problems: list[Problem]


def read_attachments(skill: Path, budget: int) -> Attachments:
    """Read the text files of a skill, given its directory's real path, in path order until the budget is spent.

    ``budget`` is in bytes of UTF-8. The first file that doesn't fit ends the reading; binary files cost nothing.
    """
    walk = _Walk(skill)
    files: list[SkillFile] = []
    left = budget
    spent = False
    for path, real in sorted(walk.files()):
        if spent:
            walk.skip(path, "the budget for attachments is spent")
            continue
        try:
            content = _read_text(real, left)
        except OSError as error:
            walk.skip(path, reason_of(error))
        except ValueError as error:
            walk.skip(path, str(error))
        else:
            if content is None:
                spent = True
                walk.skip(path, f"it does not fit into what is left of the budget for attachments, {left} bytes")
            else:
                left -= len(content)
                files.append(SkillFile(path, content.decode()))
    return Attachments(files, walk.problems)


def _read_text(path: Path, budget: int) -> bytes | None:
    """The bytes of a text file, or None when it is one but has more than the budget.

    Raises OSError, and ValueError with the reason when the file holds no text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    kept: list[bytes] | None = []
    size = 0
    try:
        for piece in pieces(path):
            decoder.decode(piece)
            if b"\0" in piece:
                raise ValueError("it is no text: it holds NUL bytes")
            size += len(piece)
            if size > budget:
                kept = None
            elif kept is not None:
                kept.append(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise ValueError("it is no UTF-8 text") from None
    return None if kept is None else b"".join(kept)


class _Directory(NamedTuple):
    """A directory to go through: its path in the skill, its real path, and the real directories on the way to it."""

    path: str
    real: Path
    above: frozenset[Path]


class _Walk:
    """Finds a skill's files, and keeps a record of what it leaves out."""

    def __init__(self, skill: Path) -> None:
        self.skill = skill
        self.problems: list[Problem] = []
        self._pending = [_Directory("", skill, frozenset({skill}))]
        self._linked = 0

    def skip(self, path: str, reason: str) -> None:
        """Record that a path is left out."""
        self.problems.append(Problem(WarningCode.ATTACHMENT_SKIPPED, f"{shown(path)}: {reason}"))

    def files(self) -> Iterator[tuple[str, Path]]:
        """The regular files: path in the skill, real path. SKILL.md itself is none of them."""
        while self._pending:
            directory = self._pending.pop()
            try:
                with os.scandir(directory.real) as found:
                    entries = list(found)
            except OSError as error:
                self.skip(directory.path or ".", reason_of(error))
                continue
            for entry in entries:
                path = f"{directory.path}/{entry.name}" if directory.path else entry.name
                if path != SKILL_FILE:
                    yield from self._file(directory, path, entry)

    def _file(self, directory: _Directory, path: str, entry: "os.DirEntry[str]") -> Iterator[tuple[str, Path]]:
        if not is_text_name(entry.name):
            self.skip(path, "its name is no UTF-8 text")
            return
        try:
            linked = entry.is_symlink()
            real = resolved(Path(entry.path)) if linked else Path(entry.path)
            mode = real.stat().st_mode
        except OSError as error:
            self.skip(path, reason_of(error))
            return
        if not real.is_relative_to(self.skill):
            self.skip(path, "it resolves outside the skill's directory")
        elif stat.S_ISDIR(mode):
            self._enter(directory, path, real, linked)
        elif stat.S_ISREG(mode):
            yield path, real
        else:
            self.skip(path, "not a regular file")

    def _enter(self, directory: _Directory, path: str, real: Path, linked: bool) -> None:
        if real in directory.above:
            self.skip(path, "it leads back to a directory it lies in")
        elif linked and self._linked >= _MOST_LINKED_DIRECTORIES:
            self.skip(path, "too many links to directories")
        else:
            self._linked += linked
            self._pending.append(_Directory(path, real, directory.above | {real}))
