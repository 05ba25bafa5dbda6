"""What the widgets show of a program: its session, mode, model, and what its extensions have for the user."""

from collections.abc import Coroutine
from dataclasses import dataclass

from textual.geometry import Size
from textual.screen import Screen

from panto.bus import Rank
from panto.events import Event, Mode, ModeChange, ModelChange
from panto.offers import Command
from panto.program import Program
from panto.tui.approval import ApprovalPanel
from panto.tui.chat import Chat
from panto.tui.completion import Completion
from panto.tui.feed import EVENTS, Feed
from panto.tui.files.source import AtFiles, Running
from panto.tui.header import Header, git_state
from panto.tui.hints import keys_of
from panto.tui.prompt import Prompt
from panto.tui.side_panel import SidePanel
from panto.tui.sizes import LOW_ROWS, NARROW_COLUMNS, SMALL_ROWS, TINY_ROWS
from panto.tui.status import KeysLine, StatusLine

_RANK = Rank(0, "tui")


def fit(screen: Screen[object], size: Size) -> None:
    """Leave out what a screen of this size has no room for."""
    screen.set_class(size.height < LOW_ROWS, "low")
    screen.set_class(size.height < SMALL_ROWS, "small")
    screen.set_class(size.height < TINY_ROWS, "tiny")
    screen.set_class(size.width < NARROW_COLUMNS, "narrow")
    for prompt in screen.query(Prompt):
        prompt.look()
    for question in screen.query(ApprovalPanel):
        question.fit(size.height)


@dataclass
class View:
    """The widgets, and the program that they show now."""

    header: Header
    transcript: Chat
    side_panel: SidePanel
    prompt: Prompt
    status: StatusLine
    completion: Completion
    _program: Program | None = None
    _feed: Feed | None = None

    def begin(self, program: Program) -> Feed:
        """Show a program that is about to load. Gives what shows its events from now on."""
        self.transcript.clear()
        self._program = program
        self._feed = feed = Feed(self.transcript, self.status, self.prompt, program.queued)
        program.bus.watch(EVENTS, feed.show, rank=_RANK)
        program.bus.watch((ModeChange, ModelChange), self._on_choice, rank=_RANK)
        self.side_panel.show_panels(program.offers.panels)
        self.completion.offer(program.offers.commands)
        self.completion.add(self._at_files(program))
        self.show_hints()
        return feed

    def _at_files(self, program: Program) -> AtFiles:
        def mentionable() -> list[Command]:
            return [command for command in program.offers.commands.all() if command.mentionable]

        def start(work: Coroutine[object, object, None]) -> Running:
            return self.prompt.run_worker(work, exit_on_error=False)

        return AtFiles(program.paths.root, start, self.completion.look, mentionable)

    def show_session(self, program: Program) -> None:
        """Show a session from its beginning, and what keeps it from being answered, if anything."""
        if program.session is None or self._feed is None:
            return
        self._feed.begin(program.session.conversation.history, program.models.context_window)
        self.header.model = program.models.name or "no model"
        self.header.thinking = program.models.thinking or ""
        self._show_mode(program.gate.mode)
        problem = program.models.problem()
        if problem is not None:
            program.notify(problem.message, "warning", problem.hint)

    async def show_git(self, program: Program) -> None:
        """Show the state of the project's work tree."""
        self.header.git = await git_state(program.paths.root)

    def show_hints(self) -> None:
        """Say in the prompt's frame what may be typed: no more than there is."""
        panel = ["Ctrl+B panel"] if self.side_panel.has_sections else []
        self.prompt.show_hints(["@ file", "/ command", "! shell", *panel])

    def show_unseen(self, unseen: bool) -> None:
        """Say in the prompt's frame that there is more below what is seen."""
        self.prompt.border_title = "↓ new below" if unseen else ""

    def show_keys(self) -> None:
        """While the keys walk through what was said, say what they do."""
        chat = self.transcript
        if not chat.has_focus:
            self.status.keys = None
            return
        bindings = chat.screen.active_bindings
        shown = [bindings[key] for key in dict.fromkeys(keys_of(Chat.BINDINGS)) if key in bindings]
        count = chat.searching.count
        where = "" if chat.searching.finding is None else f"{count}{' with n/N' if count.total else ''}"
        self.status.keys = KeysLine(tuple(shown), where)

    def toggle_side_panel(self) -> None:
        """Open or close the side panel."""
        self.side_panel.toggle()
        self.side_panel.screen.set_class(self.side_panel.display, "aside")

    def scroll(self, how: str) -> None:
        """Scroll the transcript, or what is there in its place: a page_up or page_down, home or to the end."""
        shown = self.transcript if self.transcript.display else self.side_panel.text
        moves = {
            "page_up": shown.action_page_up,
            "page_down": shown.action_page_down,
            "home": shown.action_scroll_home,
            "end": shown.follow,
        }
        if shown.size.height:  # it has been laid out
            moves[how]()

    def _on_choice(self, event: Event) -> None:
        if isinstance(event, ModeChange):
            self._show_mode(event.mode)
        elif isinstance(event, ModelChange) and self._program is not None:
            self.header.model = event.model
            self.status.window = self._program.models.context_window

    def _show_mode(self, mode: Mode) -> None:
        self.prompt.border_subtitle = mode
        self.prompt.set_class(mode == "plan", "plan")
