"""What was killed last, to be put back: words that are killed one after another come back as one text."""

from dataclasses import dataclass, field

from panto.tui.writing.written import Written


@dataclass
class Kills:
    """The text that was killed last."""

    last: Written = field(default_factory=Written)
    _joins: bool = False

    def add(self, text: Written, *, forward: bool) -> None:
        """Keep a text that was killed, behind or before the one that was killed just before it."""
        before = self.last if self._joins else Written()
        self.last = before + text if forward else text + before
        self._joins = True

    def end(self) -> None:
        """Something else was done: the next text that is killed stands for itself."""
        self._joins = False
