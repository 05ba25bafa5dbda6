"""Rows to choose from, for a list that is searched by typing: a name, what it is, and something at the right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from panto.tui.fit import fit_of, folded
from panto.tui.pick_list import Span
from panto.tui.safe_text import cell_width, safe_line, truncate

_NAME_SHARE = 0.45
"""The most that names take of the width."""
_GAP = 2
_BY_WHAT_IT_IS = 10
"""Behind everything that fits by its name."""


@dataclass(frozen=True)
class ChoiceRow:
    """Something to choose. ``words`` are the names that it can be found by, if they are not the one that is shown.

    ``places`` are the letters of the name that were typed. A row without a key can't be chosen.
    """

    key: str
    name: str
    about: str = ""
    right: str = ""
    words: tuple[str, ...] = ()
    places: frozenset[int] = frozenset()

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        """The name, what it is, and what stands at the right."""
        most = width // 2
        right = f"  {truncate(safe_line(self.right), most - 3)} " if self.right and most > _GAP * 4 else ""
        room = width - 1 - cell_width(right)
        name = truncate(safe_line(self.name), room)
        column = min(room, max(cell_width(name), int(width * _NAME_SHARE)) if self.about else room)
        about = truncate(safe_line(self.about), room - column - _GAP) if room - column - _GAP > 0 else ""
        filled = f"{' ' * (column - cell_width(name) + _GAP)}{about}" if about else ""
        rest = room - cell_width(name) - cell_width(filled)
        return [
            Span("▌" if chosen else " ", "accent"),
            *self._letters(name, bold=chosen),
            Span(filled, "foreground" if chosen else "muted"),
            Span(f"{' ' * rest}{right}", "foreground" if chosen else "muted"),
        ]

    def _letters(self, shown: str, *, bold: bool) -> list[Span]:
        places = self.places if safe_line(self.name) == self.name else frozenset[int]()
        return [
            Span(letter, "accent" if at in places else "foreground" if self.key else "muted", bold or at in places)
            for at, letter in enumerate(shown)
        ]


def found(words: str, rows: Sequence[ChoiceRow]) -> list[ChoiceRow]:
    """The rows that fit what is typed, the likeliest first: an exact name always is."""
    wanted = folded(words)
    if not wanted:
        return list(rows)
    fits: list[tuple[int, int, ChoiceRow]] = []
    for number, row in enumerate(rows):
        fit = _fit(wanted, row)
        if fit is not None:
            fits.append((fit[0], number, fit[1]))
    return [row for _, _, row in sorted(fits, key=lambda each: each[:2])]


def _fit(wanted: str, row: ChoiceRow) -> tuple[int, ChoiceRow] | None:
    """How a row fits, and itself with the letters that were typed; by its names, else by what it is."""
    best: tuple[int, ChoiceRow] | None = None
    for word in row.words or (row.name,):
        fit, places = fit_of(wanted, folded(word))
        if fit is None or (best is not None and fit >= best[0]):
            continue
        offset = row.name.find(word)
        shown = frozenset(offset + place for place in places) if offset >= 0 else frozenset[int]()
        best = int(fit), replace(row, places=shown)
    if best is None and wanted in folded(row.about):
        return _BY_WHAT_IT_IS, row
    return best
