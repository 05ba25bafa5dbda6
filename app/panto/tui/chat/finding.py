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
    """A text that is looked for in what a viewport has: capitals count only if the text has some.

    Entries are looked into block by block: one may be so long that all of it would take too long.
    """

    def __init__(self, text: str, viewport: Viewport) -> None:
        self.text = text
        self.match: Stretch | None = None
        """The match that the user is at."""
        self._viewport = viewport
        flags = re.NOFLAG if text != text.lower() else re.IGNORECASE
        self._pattern = re.compile(re.escape(text), flags)
        self._words = [re.compile(re.escape(word), flags) for word in _WORD.findall(text)]
        self._may_have: dict[Entry, bool] = {}
        self._blocks: dict[Entry, dict[int, Sequence[Stretch]]] = {}
        self._totals: dict[Entry, int] = {}
        self._total = 0

    def forget(self, entry: Entry) -> None:
        """An entry has changed: look into it again when it is asked for."""
        self._may_have.pop(entry, None)
        self._blocks.pop(entry, None)
        self._total -= self._totals.pop(entry, 0)

    def forget_all(self) -> None:
        """What is written in tables and diffs stands elsewhere now, for the width has changed."""
        for kept in (self._may_have, self._blocks, self._totals):
            kept.clear()
        self._total = 0

    def in_block(self, index: int, number: int) -> Sequence[Stretch]:
        """The matches in a block of an entry, in order."""
        entry = self._viewport.entries[index]
        if not self._is_worth_a_look(entry):
            return ()
        found = self._blocks.setdefault(entry, {})
        if number not in found:
            view = self._viewport
            text = text_of(entry.blocks(view.width)[number].rows(view.width, view.palette))
            found[number] = [
                Stretch(Spot(index, number, match.start()), Spot(index, number, match.end()))
                for match in self._pattern.finditer(text)
            ]
        return found[number]

    def count(self) -> Count:
        """How far it is, by what is known."""
        entries, match = self._viewport.entries, self.match
        complete = len(self._totals) == len(entries)
        if match is None or match not in self.in_block(match.start.entry, match.start.block):
            return Count(0, self._total, complete)
        index, block = match.start.entry, match.start.block
        before = sum(self._totals.get(entry, 0) for entry in entries[:index])
        before += sum(len(self.in_block(index, number)) for number in range(block))
        return Count(before + self.in_block(index, block).index(match) + 1, self._total, complete)

    def look_through(self) -> Iterator[None]:
        """Look into all entries, one block at each step, the newest entries first."""
        for index in reversed(range(len(self._viewport.entries))):
            entry = self._viewport.entries[index]
            if entry not in self._totals:
                yield from self._look_into(entry, index)

    def walk(self, start: int, by: int) -> Iterator[None]:
        """Go from the match where the user is, or else from an entry, to the next in a direction, round about.

        One block is looked into at each step. What is folded away is unfolded where the next match is in it.
        """
        entries = self._viewport.entries
        count = len(entries)
        here = self.match
        start = start if here is None else here.start.entry
        for step in range(count + 1 if count else 0):
            index = (start + by * step) % count
            self._unfold(entries[index], index)
            for number in self._numbers(entries[index])[::by]:
                matches = self.in_block(index, number)[::by]
                if step == 0 and here is not None:
                    matches = [match for match in matches if (match > here if by > 0 else match < here)]
                if matches:
                    self.match = matches[0]
                    return
                yield
            self._viewport.let_go(entries[index])

    def _look_into(self, entry: Entry, index: int) -> Iterator[None]:
        """Look into an entry, one block at each step, and keep how many matches it has, also where it is folded."""
        seen = 0
        for number in self._numbers(entry):
            seen += len(self.in_block(index, number))
            yield
        total = max(seen, self._in_source(entry)) if entry.folded else seen
        self._totals[entry] = total
        self._total += total
        self._viewport.let_go(entry)
        yield

    def _numbers(self, entry: Entry) -> range:
        """The blocks of an entry that are worth a look."""
        return range(len(entry.blocks(self._viewport.width)) if self._is_worth_a_look(entry) else 0)

    def _unfold(self, entry: Entry, index: int) -> None:
        """Unfold an entry if something is found in what is folded away."""
        if entry.folded and self._is_worth_a_look(entry):
            seen = sum(len(self.in_block(index, number)) for number in self._numbers(entry))
            if self._in_source(entry) > seen:
                entry.set_folded(False)
                self.forget(entry)

    def _in_source(self, entry: Entry) -> int:
        return sum(1 for _ in self._pattern.finditer(entry.source))

    def _is_worth_a_look(self, entry: Entry) -> bool:
        known = self._may_have.get(entry)
        if known is None:
            source = entry.source
            known = self._may_have[entry] = all(word.search(source) for word in self._words)
        return known
