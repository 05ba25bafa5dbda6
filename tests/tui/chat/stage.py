"""A transcript alone on a screen, for tests of what one can do with it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from panto.tui.chat import Chat, ChatBox
from panto.tui.palette import built_in_palettes
from panto.tui.transcript import Entry


class Stage(App[None]):
    """The box alone. ``said`` are the messages that came out of it."""

    CSS = "ChatBox, Chat { height: 1fr; }"
    AUTO_FOCUS = None

    def __init__(self) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = "panto-dark"
        self.said: list[Message] = []

    def compose(self) -> ComposeResult:
        """The box."""
        yield ChatBox(id="chat")

    @property
    def chat(self) -> Chat:
        """The transcript."""
        return self.query_one(Chat)

    def on_chat_copied(self, message: Chat.Copied) -> None:
        """Something was copied."""
        self.said.append(message)

    def on_chat_edited(self, message: Chat.Edited) -> None:
        """Something is to be edited."""
        self.said.append(message)

    def on_chat_left(self, message: Chat.Left) -> None:
        """The prompt is wanted."""
        self.said.append(message)

    def rows(self) -> list[str]:
        """What the view shows."""
        return [self.chat.render_line(y).text.rstrip() for y in range(self.chat.size.height)]

    def at(self, text: str) -> tuple[int, int]:
        """Where a text begins on the screen. Raises StopIteration if it does not."""
        return next((row.index(text), y) for y, row in enumerate(self.rows()) if text in row)

    def marked(self) -> list[str]:
        """The texts that are shown reversed, row by row."""
        found: list[str] = []
        for y in range(self.chat.size.height):
            strip = self.chat.render_line(y)
            text = "".join(segment.text for segment in strip if segment.style and segment.style.reverse)
            found += [text] if text else []
        return found


@asynccontextmanager
async def stage(*entries: Entry, width: int = 60, height: int = 20) -> AsyncGenerator[tuple[Stage, Pilot[None]]]:
    """A running app with some entries in its transcript."""
    app = Stage()
    async with app.run_test(size=(width, height)) as pilot:
        for entry in entries:
            app.chat.add(entry)
        await settled(pilot)
        yield app, pilot


async def settled(pilot: Pilot[None]) -> None:
    """Waits until nothing is left to paint and nothing is being looked for."""
    app = pilot.app
    assert isinstance(app, Stage)
    await pilot.pause()
    while app.chat._frame is not None or app.chat._paint_is_due:  # pyright: ignore[reportPrivateUsage] - no other sign
        await pilot.pause(0.01)
    await app.workers.wait_for_complete()  # pyright: ignore[reportUnknownMemberType] - whatever the workers give
    await pilot.pause()
