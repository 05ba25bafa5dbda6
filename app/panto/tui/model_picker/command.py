"""The command ``/model``: says or changes which model answers, with a screen to pick one from."""

import asyncio
from typing import TYPE_CHECKING

from panto.config.diagnostics import short_path
from panto.config.edit import EditError, set_key
from panto.events import Notification
from panto.messages import images_of
from panto.model_shelf import Shelf, change_shelf, read_shelf
from panto.program import Program
from panto.tui.model_picker.screen import ModelScreen
from panto.tui.model_picker.stock import Marks, meant
from panto.tui.model_picker.supply import Supply

if TYPE_CHECKING:
    from textual.app import App


async def choose_model(app: "App[str]", program: Program, words: str) -> str | None:
    """Talk to the model that the words name, or let the user pick one. What comes back is to be shown."""
    words = words.strip()
    supply = Supply(program)
    if "/" in words and " " not in words:
        return await _choose(program, words)
    if words:
        names = meant(words, supply.stock())
        if len(names) == 1:
            return await _choose(program, names[0])
    return await _Picking(app, program, supply).run(words)


async def _choose(program: Program, name: str) -> str | None:
    """Talk to a model. What comes back is what the user should know of it."""
    await program.set_model(name)
    problem = program.models.problem()
    if problem is not None:
        return f"{problem.message}: {problem.hint}"
    notices = [program.models.thinking_notice()]
    messages = program.session.conversation.messages if program.session else []
    if not program.models.sees_images and any(map(images_of, messages)):
        notices.append(f"{name} can't see images: those of this conversation are left out of what it is sent.")
    return "\n\n".join(filter(None, notices)) or None


class _Picking:
    """The screen while it is open, and what is done for it."""

    def __init__(self, app: "App[str]", program: Program, supply: Supply) -> None:
        self._app = app
        self._program = program
        self._supply = supply
        self._shelf = Shelf()
        self._named = program.config.origin("model")
        self._default = None if self._named.layer == "command line" else program.config.model

    async def run(self, words: str) -> str | None:
        """Show the screen until it is closed. What comes back is to be shown."""
        self._shelf = await asyncio.to_thread(read_shelf, self._program.paths.model_shelf)
        screen = ModelScreen(self._supply.stock(), self._marks(), words)
        await self._app.push_screen(screen)
        try:
            async with asyncio.TaskGroup() as group:
                asking = group.create_task(self._supply.ask(lambda: self._show(screen)), name="models to pick from")
                picked = await self._until_picked(screen)
                asking.cancel()
        finally:
            screen.close()
        return None if picked is None else await _choose(self._program, picked)

    async def _until_picked(self, screen: ModelScreen) -> str | None:
        """Do what is wished for until a model is chosen, or the screen is closed."""
        while (wish := await screen.wish()) is not None:
            match wish.what:
                case "choose":
                    return wish.model
                case "favour":
                    told = await self._favour(wish.model)
                case "default":
                    told = await self._make_default(wish.model)
            if not screen.closed:
                self._show(screen)
                screen.tell(told)
        return None

    async def _favour(self, name: str) -> Notification:
        try:
            file = self._program.paths.model_shelf
            self._shelf = await asyncio.to_thread(change_shelf, file, lambda shelf: shelf.toggled(name))
        except OSError as error:
            return Notification(f"favourites can't be kept: {error.strerror}", "error")
        return Notification(f"{name} is {'a favourite' if name in self._shelf.favourites else 'no favourite any more'}")

    async def _make_default(self, name: str) -> Notification:
        file = self._program.paths.user.config_file
        try:
            await asyncio.to_thread(set_key, file, ("model",), name)
        except EditError as error:
            return Notification(str(error), "error")
        told = f"{name} is the default from the next start on: {short_path(file)}"
        if self._named.layer == "project":
            return Notification(told, "warning", f"not in this project, which names its own ({self._named})")
        self._default = name
        return Notification(told)

    def _marks(self) -> Marks:
        return Marks(self._program.models.name, self._default, self._shelf, self._supply.price)

    def _show(self, screen: ModelScreen) -> None:
        screen.show(self._supply.stock(), self._marks())
