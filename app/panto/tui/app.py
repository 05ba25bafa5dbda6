"""The screen: header, transcript, prompt, status line, and the engine that works behind them."""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from panto.bus import Rank
from panto.events import Mode, Notification
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, Program, open_program
from panto.tui.approval import ApprovalPanel, Approvals
from panto.tui.commands import core_commands, run_command
from panto.tui.feed import EVENTS, Feed
from panto.tui.header import Header, git_state, short_directory
from panto.tui.log_file import log_to
from panto.tui.prompt import Prompt
from panto.tui.status import StatusLine
from panto.tui.themes import THEMES, theme_named
from panto.tui.transcript import Transcript

log = logging.getLogger(__name__)

MODES: tuple[Mode, ...] = ("plan", "ask", "build")
QUIT_SECONDS = 2.0
"""How close together two Ctrl+C must be to quit."""
SMALL_ROWS, TINY_ROWS = 12, 7
"""Below these heights the screen drops what it can do without."""


class PantoApp(App[str]):
    """The whole screen. Its result is the line that is printed when it is gone."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop"),
        Binding("ctrl+c", "interrupt", "clear, stop, quit", priority=True),
        Binding("ctrl+d", "leave", "quit", priority=True),
        Binding("shift+tab", "next_mode", "mode", priority=True),
        Binding("ctrl+o", "fold", "fold", priority=True),
        Binding("f1", "help", "help", priority=True),
        Binding("pageup", "scroll_transcript('page_up')", priority=True, show=False),
        Binding("pagedown", "scroll_transcript('page_down')", priority=True, show=False),
        Binding("ctrl+home", "scroll_transcript('home')", priority=True, show=False),
        Binding("ctrl+end", "scroll_transcript('end')", priority=True, show=False),
    ]

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._approvals = Approvals()
        self._requests: asyncio.Queue[Callable[[], Awaitable[None]] | None] = asyncio.Queue()
        self._early: list[str] = []
        self._last_interrupt = 0.0
        self._last_key = 0.0
        self.program: Program | None = None
        self.feed: Feed | None = None

    # -- the screen

    def compose(self) -> ComposeResult:
        """Top to bottom, one column."""
        yield Header(id="header")
        yield Transcript(id="transcript")
        yield Prompt(id="prompt")
        yield StatusLine(id="status")

    def on_mount(self) -> None:
        """Show the prompt at once; all else loads behind it."""
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = "panto-dark"
        self.prompt.focus()
        self.header.directory = short_directory(self._options.project.absolute())
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._requests.put_nowait, None)
        self._engine()

    def on_resize(self, event: events.Resize) -> None:
        """Leave out what a small terminal has no room for."""
        self.screen.set_class(event.size.height < SMALL_ROWS, "small")
        self.screen.set_class(event.size.height < TINY_ROWS, "tiny")

    @property
    def prompt(self) -> Prompt:
        """Where the user types."""
        return self.query_one("#prompt", Prompt)

    @property
    def header(self) -> Header:
        """The line on top."""
        return self.query_one("#header", Header)

    @property
    def status(self) -> StatusLine:
        """The line at the bottom."""
        return self.query_one("#status", StatusLine)

    @property
    def transcript(self) -> Transcript:
        """What has been said."""
        return self.query_one("#transcript", Transcript)

    # -- the engine

    @work(exit_on_error=False)
    async def _engine(self) -> None:
        """Everything behind the screen, from loading to the last stored word. The program ends when this does."""
        farewell = ""
        try:
            async with open_program(self._options, self._ask) as program:
                log_to(program.paths.log_file)
                farewell = await self._run_program(program)
        except Exception:  # whatever is wrong with us, the terminal is left as it was, and the log says more
            log.exception("the program failed")
            self._return_code = 1
            farewell = "panto-py ended on a fault of its own; the log in the state directory has more"
        finally:
            self.exit(farewell)

    async def _run_program(self, program: Program) -> str:
        self.program = program
        self.feed = Feed(self.transcript, self.status, self.prompt)
        program.bus.watch(EVENTS, self.feed.show, rank=Rank(0, "tui"))
        self._show_theme(program)
        for command in core_commands(self):
            program.commands.add(command)
        await program.load()
        await program.open_session()
        self._show_session(program)
        await self._serve(program)
        session = program.session
        return "" if session is None or session.conversation.is_empty else f"panto-py --resume {session.conversation.id}"

    async def _serve(self, program: Program) -> None:
        """Run sessions, one after another, until the user quits."""
        while program.session is not None:
            async with asyncio.TaskGroup() as group:
                turns = group.create_task(program.session.run(), name="session")
                group.create_task(self._show_git(program), name="git")
                for text in self._early:
                    await self.send(text)
                self._early.clear()
                request = await self._requests.get()
                turns.cancel()
            if request is None:
                return
            await request()

    def request(self, action: Callable[[], Awaitable[None]] | None) -> None:
        """Have something done between two sessions, with the present one ended; None ends the program."""
        self._requests.put_nowait(action)
