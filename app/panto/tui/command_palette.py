"""The command palette: all that can be done now, by a command or by a key, to be found by typing."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from textual.binding import ActiveBinding

from panto.offers import Command, Key, Offers
from panto.program import Program
from panto.tui.choice_row import ChoiceRow, found
from panto.tui.help import key_name
from panto.tui.search_panel import SearchPanel

if TYPE_CHECKING:
    from panto.tui.app import PantoApp

Deed: TypeAlias = Command | Key | ActiveBinding
"""What is done when a row is picked."""


async def open_palette(app: "PantoApp", program: Program) -> None:
    """Let the user pick something, and have it done. A command that wants more behind its name is written out."""
    if app.query(SearchPanel):
        return
    deeds = palette(program.offers, [active for active in app.active_bindings.values() if active.node is app])
    rows = list(deeds)
    key = await SearchPanel("commands", lambda words: found(words.removeprefix("/"), rows)).ask(app)
    deed = next((deed for row, deed in deeds.items() if row.key == key), None)
    if isinstance(deed, Command) and deed.hint:
        app.prompt.remember(app.prompt.text)
        app.prompt.replace_text(f"/{deed.name} ")
    elif isinstance(deed, Command):
        app.submit(f"/{deed.name}")
    elif isinstance(deed, Key):
        app.submit(deed)
    elif deed is not None:
        await app.run_action(deed.binding.action, deed.node)


def palette(offers: Offers, bindings: Iterable[ActiveBinding]) -> dict[ChoiceRow, Deed]:
    """All there is: commands, with the key that does the same; then what only keys do, each once."""
    keys: dict[str, list[str]] = {}
    actions: dict[str, ActiveBinding] = {}
    for active in bindings:
        if active.binding.show and active.binding.description and active.enabled:
            keys.setdefault(active.binding.action, []).append(key_name(active.binding.key))
            actions.setdefault(active.binding.action, active)
    rows: dict[ChoiceRow, Deed] = {}
    for command in offers.commands.all():
        name = f"/{command.name} {command.hint}".rstrip()
        words = (command.name, *command.aliases)
        right = ", ".join(keys.get(command.name, []))
        rows[ChoiceRow(f"/{command.name}", name, command.description, right, words)] = command
    for key in offers.keys.all():
        rows[ChoiceRow(f"key {key.key}", key.description, right=key_name(key.key))] = key
    for action, active in actions.items():
        if offers.commands.get(action) is None:
            rows[ChoiceRow(f"action {action}", active.binding.description, right=", ".join(keys[action]))] = active
    return rows
