"""Finding a text in the whole session: entry by entry, and only in those that may have it.

All that may take long is a generator that does a little at each step: who drives it says when to pause.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from panto.tui.chat.places import Spot, Stretch
from panto.tui.transcript import Entry
from panto.tui.transcript.rows import text_of
from panto.tui.transcript.viewport import Viewport

_WORD = re.compile(r"[^\W_]+")
"""What stands unbroken in the source, too, whatever marks Markdown puts around and between."""


@dataclass(frozen=True)
class Found:
    """What was found in an entry: the matches that are seen, in order, and how many more are folded away."""

    matches: Sequence[Stretch] = ()
    hidden: int = 0

    def __len__(self) -> int:
        return len(self.matches) + self.hidden


_NOTHING = Found()


@dataclass(frozen=True)
class Count:
    """Which match the user is at, from 1 on (0: none), how many are known, and whether there are no more."""

    number: int
    total: int
    complete: bool

    def __str__(self) -> str:
        """``3 of 17``, or ``3 of 17+`` while not all is looked through."""
        more = "" if self.complete else "+"
        if not self.total:
            return "nothing found" if self.complete else "looking"
        return f"{self.number} of {self.total:,}{more}" if self.number else f"{self.total:,}{more} found"


class Finding:
    """A text that is looked for in what a viewport has: capitals count only if the text has some."""

    def __init__(self, text: str, viewport: Viewport) -> None:
        self.text = text
        self.match: Stretch | None = None
        """The match that the user is at."""
        self._viewport = viewport
        flags = re.NOFLAG if text != text.lower() else re.IGNORECASE
        self._pattern = re.compile(re.escape(text), flags)
        self._words = [re.compile(re.escape(word), flags) for word in _WORD.findall(text)]
        self._found: dict[Entry, Found] = {}
        self._total = 0

    def forget(self, entry: Entry) -> None:
        """An entry has changed: look into it again when it is asked for."""
        self._total -= len(self._found.pop(entry, _NOTHING))

    def forget_all(self) -> None:
        """What is written in tables and diffs stands elsewhere now, for the width has changed."""
        self._found.clear()
        self._total = 0

    def found(self, index: int) -> Found:
        """What is found in an entry."""
        entry = self._viewport.entries[index]
        found = self._found.get(entry)
        if found is None:
            found = self._found[entry] = self._look(entry, index)
            self._total += len(found)
        return found

    def count(self) -> Count:
        """How far it is, by what is known."""
        entries = self._viewport.entries
        complete = len(self._found) == len(entries)
        if self.match is None:
            return Count(0, self._total, complete)
        index = self.match.start.entry
        before = sum(len(self._found.get(entry, _NOTHING)) for entry in entries[:index])
        matches = self.found(index).matches
        number = before + matches.index(self.match) + 1 if self.match in matches else 0
        return Count(number, self._total, complete)

    def look_through(self) -> Iterator[None]:
        """Look into all entries, one at each step, the newest first."""
        for index in reversed(range(len(self._viewport.entries))):
            entry = self._viewport.entries[index]
            if entry not in self._found:
                self.found(index)
                self._viewport.let_go(entry)
                yield

    def walk(self, start: int, by: int) -> Iterator[None]:
        """Go from the match where the user is, or else from an entry, to the next in a direction, round about.

        One entry is looked into at each step. What is folded away is unfolded where the next match is in it.
        """
        entries = self._viewport.entries
        count = len(entries)
        start = start if self.match is None else self.match.start.entry
        for step in range(count + 1 if count else 0):
            index = (start + by * step) % count
            match = self._next_in(index, by, onwards=step == 0)
            if match is not None:
                self.match = match
                return
            self._viewport.let_go(entries[index])
            yield

    def _next_in(self, index: int, by: int, *, onwards: bool) -> Stretch | None:
        """The first match in an entry, in a direction; ``onwards`` from where the user is."""
        found = self.found(index)
        if found.hidden:
            entry = self._viewport.entries[index]
            entry.set_folded(False)
            self.forget(entry)
            found = self.found(index)
        matches, here = found.matches if by > 0 else found.matches[::-1], self.match
        if onwards and here is not None:
            matches = [match for match in matches if (match > here if by > 0 else match < here)]
        return matches[0] if matches else None

    def _look(self, entry: Entry, index: int) -> Found:
        source = entry.source
        if not all(word.search(source) for word in self._words):
            return _NOTHING
        matches = list(self._matches(entry, index))
        hidden = sum(1 for _ in self._pattern.finditer(source)) - len(matches) if entry.folded else 0
        return Found(matches, max(0, hidden))

    def _matches(self, entry: Entry, index: int) -> Iterator[Stretch]:
        width, palette = self._viewport.width, self._viewport.palette
        for number, block in enumerate(entry.blocks(width)):
            for match in self._pattern.finditer(text_of(block.rows(width, palette))):
                yield Stretch(Spot(index, number, match.start()), Spot(index, number, match.end()))
