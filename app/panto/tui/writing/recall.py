"""What was sent before, to walk through: back from the text that is being written, and forth to it again."""

from dataclasses import dataclass, field

from panto.tui.writing.written import Written


@dataclass
class Recall:
    """Texts in the order in which they were sent, and where among them one is: behind the last, to begin with."""

    entries: list[Written] = field(default_factory=list[Written])
    _place: int = 0
    _unsent: Written = field(default_factory=Written)

    def add(self, written: Written) -> bool:
        """Add a text, and be behind it. Gives whether it is kept: not if it is blank, or was the last one too."""
        kept = bool(written.text.strip()) and (not self.entries or self.entries[-1] != written)
        if kept:
            self.entries.append(written)
        self._place = len(self.entries)
        return kept

    def add_earlier(self, entries: list[Written]) -> None:
        """Put texts before all others."""
        self.entries[:0] = entries
        self._place += len(entries)

    def back(self, now: Written) -> Written | None:
        """The text before, if there is one. ``now`` is what is written; it is kept if it is the one to come back to."""
        if self._place == 0:
            return None
        if self._place == len(self.entries):
            self._unsent = now
        self._place -= 1
        return self.entries[self._place]

    def forth(self) -> Written | None:
        """The text behind, which in the end is the one that is not sent; None behind that."""
        if self._place == len(self.entries):
            return None
        self._place += 1
        return self._unsent if self._place == len(self.entries) else self.entries[self._place]
