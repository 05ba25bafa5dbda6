"""The command ``/theme``: pick colours by looking at them."""

import asyncio
from typing import TYPE_CHECKING

from panto.config.diagnostics import short_path
from panto.config.edit import EditError, set_key
from panto.events import Notification
from panto.program import Program
from panto.tui.choice_row import ChoiceRow, found
from panto.tui.search_panel import SearchPanel

if TYPE_CHECKING:
    from panto.tui.app import PantoApp


async def choose_theme(app: "PantoApp", program: Program, name: str) -> None:
    """Show the screen in other colours, and keep those that are picked, also for later starts.

    Without a name the user picks one, and the screen has its colours while they look around.
    """
    before = app.themes.palette(app.theme)
    known = {palette.name: palette for palette in await asyncio.to_thread(lambda: list(app.themes.all()))}
    chosen = name.strip()
    if chosen not in known:
        rows = [
            ChoiceRow(each, each, "dark" if palette.dark else "light", "now" if palette is before else "")
            for each, palette in known.items()
        ]
        panel = SearchPanel("theme", lambda words: found(words, rows), chosen, lambda key: app.wear(known[key]))
        chosen = await panel.ask(app)
    app.wear(known.get(chosen, before))
    told = await _kept(program, chosen) if chosen else None
    if told is not None:
        program.bus.tell(told)


async def _kept(program: Program, theme: str) -> Notification | None:
    """Write it to the user's config. What comes back is what they should know of it, if anything."""
    file = program.paths.user.config_file
    try:
        await asyncio.to_thread(set_key, file, ("theme",), theme)
    except EditError as error:
        return Notification(str(error), "error", "these colours are for now")
    origin = program.config.origin("theme")
    if origin.layer in ("project", "command line"):
        return Notification(f"{theme} is in {short_path(file)}; the next start has what {origin} says", "warning")
    return None
