"""Collects what ripgrep prints: the first matches as text for the model, and true counts of all."""

import re
from collections.abc import Callable

from ._names import plural

BYTES = 30_000
_RECORD = re.compile(rb"([^\0]+)\0(\d+)([:-])(.*)", re.DOTALL)


class Matches:
    """Takes lines as ripgrep prints them with ``--null --line-number --with-filename``, sorted by path.

    ``wanted`` says which files count, ``shown`` how to name one; ``limit`` is how many matching lines to keep.
    """

    def __init__(self, wanted: Callable[[str], bool], shown: Callable[[str], str], limit: int) -> None:
        self._wanted = wanted
        self._shown = shown
        self._limit = limit
        self._lines: list[str] = []
        self._bytes = 0
        self._file = b""
        self._file_wanted = False
        self._named = b""
        self._gap = False
        self._full = False
        self.matches = 0
        self.files = 0
        self.shown_matches = 0

    def take(self, record: bytes) -> None:
        """One line of ripgrep's output, without its end."""
        parsed = _RECORD.fullmatch(record)
        if parsed is None:
            self._gap = True  # between places that are apart; or a remark about a binary file
            return
        file, number, kind, text = parsed.groups()
        is_match = kind == b":"
        if file != self._file:
            self._file = file
            self._file_wanted = self._wanted(_name(file))
            self.files += self._file_wanted
        if not self._file_wanted:
            return
        self.matches += is_match
        if not self._full:
            self._keep(number, is_match, text)

    @property
    def hidden(self) -> bool:
        """Whether there are matches that are not shown."""
        return self.matches > self.shown_matches

    @property
    def summary(self) -> str:
        """``7 matches in 3 files``."""
        if not self.matches:
            return "no matches"
        return f"{plural(self.matches, 'match', 'matches')} in {plural(self.files, 'file')}"

    def lines(self) -> list[str]:
        """What was kept: each file's name, and below it its lines with their numbers."""
        return self._lines or ["no matches"]

    def _keep(self, number: bytes, is_match: bool, text: bytes) -> None:
        line = f"{number.decode()}{':' if is_match else '-'} {text.decode(errors='replace').removesuffix(chr(13))}"
        self._bytes += len(line.encode()) + 1
        enough = self.shown_matches >= self._limit and (is_match or self._gap)
        if enough or self._bytes > BYTES:
            self._full = True
            return
        if self._named != self._file:
            self._lines += ["", self._shown(_name(self._file))] if self._lines else [self._shown(_name(self._file))]
            self._named = self._file
        elif self._gap:
            self._lines.append("--")
        self._gap = False
        self._lines.append(line)
        self.shown_matches += is_match


def _name(file: bytes) -> str:
    return file.decode("utf-8", "surrogateescape").removeprefix("./")
