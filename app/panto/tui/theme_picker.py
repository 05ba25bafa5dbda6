"""The command ``/theme``: pick colours by looking at them."""

import asyncio
from typing import TYPE_CHECKING

from panto.config.diagnostics import short_path
from panto.config.edit import EditError, set_key
from panto.events import Notification
from panto.program import Program
from panto.tui.choice_row import ChoiceRow, found
from panto.tui.search_panel import SearchPanel
from panto.tui.themes import themes

if TYPE_CHECKING:
    from panto.tui.app import PantoApp


async def choose_theme(app: "PantoApp", program: Program, name: str) -> str | None:
    """Show the screen in other colours, and keep those that are picked, also for later starts.

    Without a name the user picks one, and the screen has its colours while they look around. What comes back is to be
    shown.
    """
    before = app.theme
    if name.strip() in themes():
        chosen = name.strip()
    else:
        rows = [
            ChoiceRow(each, each, "dark" if theme.dark else "light", "now" if each == before else "")
            for each, theme in themes().items()
        ]

        def preview(key: str) -> None:
            app.theme = key

        chosen = await SearchPanel("theme", lambda words: found(words, rows), name.strip(), preview).ask(app)
    app.theme = chosen or before
    if not chosen:
        return None
    told = await _kept(program, chosen)
    if told is not None:
        program.bus.tell(told)
    return None


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
