"""The command palette: all that can be done now, by a command or by a key, to be found by typing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from textual.binding import ActiveBinding

from panto.offers import Command, Key, Offers
from panto.program import Program
from panto.tui.fit import fit_of, folded
from panto.tui.help import key_name
from panto.tui.pick_list import Span
from panto.tui.safe_text import cell_width, safe_line, truncate
from panto.tui.search_panel import SearchPanel

if TYPE_CHECKING:
    from panto.tui.app import PantoApp

Deed: TypeAlias = Command | Key | ActiveBinding
"""What is done when a row is picked."""
_NAME_SHARE = 0.45
"""The most that names take of the width."""
_GAP = 2
_BY_WHAT_IT_DOES = 10
"""Behind everything that fits by its name."""


@dataclass(frozen=True)
class PaletteRow:
    """Something to do: its name, what it does, the keys for it. ``places`` are the letters that were typed."""

    key: str
    deed: Deed
    name: str
    does: str
    keys: str = ""
    words: tuple[str, ...] = ()
    places: frozenset[int] = frozenset()

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        """The name, what it does, and at the right the keys."""
        keys = f"  {self.keys} " if self.keys and cell_width(self.keys) * 2 < width else ""
        room = width - 1 - cell_width(keys)
        name = truncate(safe_line(self.name), room)
        column = min(room, max(cell_width(name), int(width * _NAME_SHARE)) if self.does else room)
        does = truncate(safe_line(self.does), room - column - _GAP) if room - column - _GAP > 0 else ""
        filled = f"{' ' * (column - cell_width(name) + _GAP)}{does}" if does else ""
        rest = room - cell_width(name) - cell_width(filled)
        return [
            Span("▌" if chosen else " ", "accent"),
            *self._letters(name, bold=chosen),
            Span(filled, "foreground" if chosen else "muted"),
            Span(f"{' ' * rest}{keys}", "foreground" if chosen else "muted"),
        ]

    def _letters(self, shown: str, *, bold: bool) -> list[Span]:
        places = self.places if safe_line(self.name) == self.name else frozenset[int]()
        return [
            Span(letter, "accent" if at in places else "foreground", bold or at in places)
            for at, letter in enumerate(shown)
        ]


async def open_palette(app: "PantoApp", program: Program) -> None:
    """Let the user pick something, and have it done. A command that wants more behind its name is written out."""
    if app.query("#palette"):
        return
    own = [active for active in app.active_bindings.values() if active.node is app]
    rows = palette_rows(program.offers, own)
    panel = SearchPanel("commands", lambda words: found(words, rows), id="palette")
    await app.screen_stack[0].mount(panel, before="#commands")
    key = await panel.picked()
    app.prompt.focus()
    deed = next((row.deed for row in rows if row.key == key), None)
    if isinstance(deed, Command) and deed.hint:
        app.prompt.remember(app.prompt.text)
        app.prompt.replace_text(f"/{deed.name} ")
    elif isinstance(deed, Command):
        app.submit(f"/{deed.name}")
    elif isinstance(deed, Key):
        app.submit(deed)
    elif deed is not None:
        await app.run_action(deed.binding.action, deed.node)


def palette_rows(offers: Offers, bindings: Iterable[ActiveBinding]) -> list[PaletteRow]:
    """All there is: commands, with the key that does the same; then what only keys do, each once."""
    keys: dict[str, list[str]] = {}
    actions: dict[str, ActiveBinding] = {}
    for active in bindings:
        if active.binding.show and active.binding.description and active.enabled:
            keys.setdefault(active.binding.action, []).append(key_name(active.binding.key))
            actions.setdefault(active.binding.action, active)
    return [
        *(_command_row(command, keys.get(command.name, [])) for command in offers.commands.all()),
        *(PaletteRow(f"key {key.key}", key, key.description, "", key_name(key.key)) for key in offers.keys.all()),
        *(
            PaletteRow(f"action {action}", active, active.binding.description, "", ", ".join(keys[action]))
            for action, active in actions.items()
            if offers.commands.get(action) is None
        ),
    ]


def _command_row(command: Command, keys: Iterable[str]) -> PaletteRow:
    name = f"/{command.name} {command.hint}".rstrip()
    words = (command.name, *command.aliases)
    return PaletteRow(f"/{command.name}", command, name, command.description, ", ".join(keys), words)


def found(words: str, rows: Sequence[PaletteRow]) -> list[PaletteRow]:
    """The rows that fit what is typed, the likeliest first: an exact name always is."""
    wanted = folded(words.removeprefix("/"))
    if not wanted:
        return list(rows)
    fits: list[tuple[int, int, PaletteRow]] = []
    for number, row in enumerate(rows):
        fit = _fit(wanted, row)
        if fit is not None:
            fits.append((fit[0], number, fit[1]))
    return [row for _, _, row in sorted(fits, key=lambda each: each[:2])]


def _fit(wanted: str, row: PaletteRow) -> tuple[int, PaletteRow] | None:
    """How a row fits, and itself with the letters that were typed; by its names, else by what it does."""
    best: tuple[int, PaletteRow] | None = None
    for word in row.words or (row.name,):
        fit, places = fit_of(wanted, folded(word))
        if fit is None or (best is not None and fit >= best[0]):
            continue
        offset = row.name.find(word)
        shown = frozenset(offset + place for place in places) if offset >= 0 else frozenset[int]()
        best = int(fit), replace(row, places=shown)
    if best is None and wanted in folded(row.does):
        return _BY_WHAT_IT_DOES, row
    return best
