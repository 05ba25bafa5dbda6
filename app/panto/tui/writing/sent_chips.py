"""The chips that were sent last, for a text that comes back unsent: it gets its pictures and its pastes again."""

from dataclasses import dataclass, field

from panto.tui.writing.chips import Chip, Chips
from panto.tui.writing.written import Written

MOST = 20


@dataclass
class SentChips:
    """Chips by what a text that is sent has in their place."""

    _chips: dict[str, Chip] = field(default_factory=dict[str, Chip])

    def add(self, chips: Chips, here: str) -> None:
        """Keep the chips of an editor's text, and no more than so many."""
        for _, _, chip in chips.at(here):
            self._chips.pop(chip.sent, None)
            self._chips[chip.sent] = chip
        while len(self._chips) > MOST:
            del self._chips[next(iter(self._chips))]

    def again(self, chips: Chips, text: str) -> str:
        """A text that was to be sent, as it is put into an editor with these chips."""
        pieces: list[str] = []
        while True:
            found = [(at, -len(sent), sent) for sent in self._chips if (at := text.find(sent)) >= 0]
            if not found:
                return "".join((*pieces, chips.folded(Written(text))))
            at, _, sent = min(found)
            chip = self._chips[sent]
            again = chips.paste(chip.text) if chip.image is None else chips.image(chip.text, chip.name, chip.image)
            pieces += [chips.folded(Written(text[:at])), again]
            text = text[at + len(sent) :]
