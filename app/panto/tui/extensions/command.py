"""The command ``/extensions``: opens the screen, and does what is wished for there until it is closed."""

from typing import TYPE_CHECKING

from panto.config.diagnostics import short_path
from panto.loader import Target
from panto.program import Program
from panto.tui.extensions.screen import ExtensionsScreen

if TYPE_CHECKING:
    from textual.app import App


async def manage_extensions(app: "App[str]", program: Program) -> None:
    """Let the user look at the extensions and switch them. Comes back when the screen is closed.

    What is being switched then is switched to its end, and told in the transcript.
    """
    paths = program.paths
    files: dict[Target, str] = {
        "user": short_path(paths.user.config_file),
        "project": str(paths.project.config_file.relative_to(paths.root)),
    }
    screen = ExtensionsScreen(await program.switches.facts(), files)
    await app.push_screen(screen)
    try:
        while (wish := await screen.wish()) is not None:
            told = await program.toggle_extension(wish.extension, wish.on, wish.target)
            if screen.closed:
                program.bus.tell(told)
            else:
                screen.show(await program.switches.facts(), told)
    finally:
        screen.close()
