"""The screen: header, transcript, prompt, status line, and the engine that works behind them."""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.filter import LineFilter

from panto.events import Mode
from panto.offers import Key, Prompt as Said, Step
from panto.paths import Paths
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, Program, open_program
from panto.tui import resizing
from panto.tui.approval import ApprovalPanel, Approvals
from panto.tui.chat import Chat, ChatBox
from panto.tui.clipboard import copy
from panto.tui.commands import core_commands
from panto.tui.completion import CommandList, Completion
from panto.tui.feed import Feed
from panto.tui.fewer_colors import FewerColors, depth_of
from panto.tui.files.attached import with_files
from panto.tui.header import Header, short_directory
from panto.tui.help import TO_CHAT
from panto.tui.log_file import log_to
from panto.tui.no_links import filters_for
from panto.tui.own_commands import OwnCommands
from panto.tui.palette import Palette, PaletteError, default_palette
from panto.tui.prompt import Prompt
from panto.tui.side_panel import SidePanel
from panto.tui.status import StatusLine
from panto.tui.stray_output import stray_output_to
from panto.tui.submissions import Desk, Submissions
from panto.tui.terminal_keys import teach_textual
from panto.tui.themes import Themes
from panto.tui.transcript import ThinkingEntry
from panto.tui.transcript.links import Target
from panto.tui.view import View, fit
from panto.tui.writing.deeds import bring_back, edit_outside, search_sent
from panto.tui.writing.keeper import Keeper, prompts_directory

log = logging.getLogger(__name__)

MODES: tuple[Mode, ...] = ("plan", "ask", "build")
QUIT_SECONDS = 2.0
"""How close together two Ctrl+C must be to quit."""
TYPING_SECONDS = 0.7
"""How long after a key the user counts as typing."""
COVERED = frozenset(
    {
        "next_mode",
        "fold",
        "fold_thinking",
        "side_panel",
        "help",
        "scroll_transcript",
        "find",
        "search_sent",
        "edit_outside",
        "go_to_prompt",
        "go_to_chat",
    }
)
"""Actions on what a dialog covers."""


class PantoApp(App[str]):
    """The whole screen. Its result is the line that is printed when it is gone."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop"),
        Binding("ctrl+c", "interrupt", show=False),
        Binding("shift+tab", "next_mode", "mode", priority=True),
        Binding("ctrl+o", "fold", "fold", priority=True),
        Binding("ctrl+p", "palette", "all commands", priority=True),
        Binding("ctrl+t", "fold_thinking", "fold thinking", priority=True),
        Binding("ctrl+f", "find", "find", priority=True),
        Binding("ctrl+r", "search_sent", "find what was sent before", priority=True),
        Binding("ctrl+g", "edit_outside", "write in your editor", priority=True),
        Binding("alt+1", "go_to_prompt", "to the prompt", priority=True),
        Binding(TO_CHAT, "go_to_chat", "walk through what was said", priority=True),
        Binding("ctrl+b", "side_panel", "side panel", priority=True),
        Binding("f1", "help", "help", priority=True),
        Binding("pageup", "scroll_transcript('page_up')", priority=True, show=False),
        Binding("pagedown", "scroll_transcript('page_down')", priority=True, show=False),
        Binding("ctrl+home", "scroll_transcript('home')", priority=True, show=False),
        Binding("ctrl+end", "scroll_transcript('end')", priority=True, show=False),
    ]

    def __init__(self, options: Options, typed: str = "", log_file: Path | None = None) -> None:
        super().__init__()
        self.themes = Themes()
        self._link_filters = filters_for(os.environ)
        self.fewer_colors = FewerColors("true", default_palette())
        self.wear(self.themes.palette(options.theme) if options.theme in self.themes.names() else default_palette())
        self._options = options
        self._approvals = Approvals()
        self._steps: asyncio.Queue[Step] = asyncio.Queue()
        self._submissions = Submissions()
        self._typed = typed
        self._log_file = log_file
        self._early_keys: list[events.Key | events.Paste] | None = []
        self._last_interrupt = 0.0
        self._terminal_gone = False
        self._keeper = Keeper(prompts_directory(Paths.discover(options.project)))
        self.program: Program | None = None
        self.feed: Feed | None = None

    def compose(self) -> ComposeResult:
        """Top to bottom, one column."""
        yield Header(id="header")
        with Horizontal(id="body"):
            yield ChatBox(id="chat")
            yield SidePanel(id="side")
        yield CommandList(id="commands")
        yield Prompt(id="prompt")
        yield StatusLine(id="status")

    async def on_mount(self) -> None:
        """Show the prompt at once, with what was typed before it was there; all else loads behind it."""
        completion = Completion(self.prompt, self.query_one(CommandList), lambda: bool(self.query(ApprovalPanel)))
        self._view = View(self.header, self.transcript, self.side_panel, self.prompt, self.status, completion)
        self.watch(self.side_panel, "has_sections", self._view.show_hints)
        self.watch(self.transcript, "unseen", self._view.show_unseen)
        self.watch(self.transcript, "has_focus", self._view.show_keys)
        self.screen.set_focus(self.prompt)
        self.prompt.keeper = self._keeper
        self.run_worker(bring_back(self.prompt, self._keeper.open()), exit_on_error=False)
        self.prompt.type_ahead(self._typed)
        early, self._early_keys = self._early_keys, None
        for event in early or ():
            await super().on_event(event)
        self.header.directory = short_directory(self._options.project.absolute())
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.request, "quit")
        loop.add_signal_handler(signal.SIGHUP, self._hang_up)
        resizing.take_in_turn(loop)
        self._engine()

    async def on_event(self, event: events.Event) -> None:
        """Keys that would go nowhere go to the prompt; those that come before it is there are kept for it."""
        if isinstance(event, events.Key | events.Paste):
            if self._early_keys is not None:
                self._early_keys.append(event)
                return
            if self._press(event):
                return
            if self.focused is None and len(self.screen_stack) == 1:
                self.screen.set_focus(self.prompt)
        await super().on_event(event)

    @property
    def _fault(self) -> str:
        return f"panto-py ended on a fault of its own; {self._log_file} says more. --continue takes up the session."

    def _fatal_error(self) -> None:
        """In place of the traceback that Textual prints: one line. The traceback is in the log."""
        log.error("the screen failed", exc_info=self._exception)
        self.panic(self._fault)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What our style sheet needs of any theme, also while one is being changed for another."""
        return default_palette().theme().variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What makes do with the colours that the terminal has."""
        return [*self.fewer_colors.among(super().get_line_filters(), self._palette), *self._link_filters]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A dialog keeps the keys for itself that act on what it covers."""
        return len(self.screen_stack) < 2 or action not in COVERED

    def on_resize(self, event: events.Resize) -> None:
        """Leave out what a small terminal has no room for."""
        fit(self.screen_stack[0], event.size)

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
    def transcript(self) -> Chat:
        """What has been said."""
        return self.query_one("#transcript", Chat)

    @property
    def side_panel(self) -> SidePanel:
        """What extensions show beside it."""
        return self.query_one("#side", SidePanel)

    @work(exit_on_error=False)
    async def _engine(self) -> None:
        """Everything behind the screen, from loading to the last stored word. The program ends when this does."""
        farewell = ""
        options: Options | None = self._options
        try:
            while options is not None:
                async with open_program(options, self._ask) as program:
                    step = await self._run_program(program)
                    farewell = _way_back(program)
                options = program.options_now() if step == "reload" else None
        except Exception:  # whatever is wrong with us, the terminal is left as it was, and the log says more
            log.exception("the program failed")
            self._return_code = 1
            farewell = self._fault
        finally:
            self._view.prompt.keep_draft()
            await self._keeper.close()
            if self._terminal_gone:
                logging.shutdown()
                os._exit(1)  # everything is stored and closed; Textual would wait for ever to write to no terminal
            self.exit(farewell)

    async def _run_program(self, program: Program) -> Step:
        """Run a program until it is left or is to be loaded anew."""
        self.program = program
        for command in core_commands(self):
            program.offers.commands.add(command)
        program.offers.keys.reserve(frozenset(self.active_bindings))
        self.feed = self._view.begin(program)
        self._show_theme(program)
        self.prompt.use_vi(program.config.ui.vi)
        await program.load()
        await program.open_session()
        self._view.show_session(program)
        return await self._serve(program)

    async def _serve(self, program: Program) -> Step:
        """Run sessions, one after another, until the user wants something else."""
        while True:
            async with asyncio.TaskGroup() as group:
                work = self._work(program)
                tasks = [group.create_task(coroutine, name=name) for name, coroutine in work.items()]
                step = await self._steps.get()
                for task in tasks:
                    task.cancel()
            if step != "new_session":
                return step
            await program.new_session()
            self.transcript.clear()
            self._view.show_session(program)

    def _work(self, program: Program) -> dict[str, Coroutine[object, object, None]]:
        """What runs beside the screen while a session is open."""
        if program.session is None or self.feed is None:
            return {}
        desk = Desk(
            session=program.session,
            commands=program.offers.commands,
            show=self.feed.show_text,
            warn=lambda text, hint: program.notify(text, "warning", hint),
            running=self._show_running,
            queued=self.feed.count_queue,
            step=self.request,
            attach=lambda prompt: with_files(prompt, program.paths.root, program.guard),
            run_own=OwnCommands(program, self.feed.show_entry, lambda: self.transcript.size.width - 4).run,
        )
        return {
            "session": program.session.run(),
            "submissions": self._submissions.run(desk),
            "git": self._view.show_git(program),
        }

    def _hang_up(self) -> None:
        """The terminal is gone: end, and don't try to restore it."""
        self._terminal_gone = True
        self.request("quit")

    def request(self, step: Step) -> None:
        """Have the program take a step, which ends the present session first."""
        self._steps.put_nowait(step)

    async def _ask(self, request: ApprovalRequest) -> Approval:
        return await self._approvals.ask(request, self._show_panel)

    async def _show_panel(self, panel: ApprovalPanel) -> None:
        """Put a question above the prompt. It takes the keys unless the user is typing: then Tab leads to it."""
        await self.screen_stack[0].mount(panel, before="#prompt")
        self.screen.post_message(panel.Asked())
        self.prompt.look()
        self.bell()
        typing = self.prompt.text or time.monotonic() - self.prompt.last_key < TYPING_SECONDS
        if not typing:
            panel.focus()

    def _show_theme(self, program: Program) -> None:
        self.themes = Themes([layer.themes for layer in program.paths.layers])
        try:
            self.wear(self.themes.palette(program.config.theme))
        except PaletteError as error:
            program.notify(str(error), "warning")

    def wear(self, palette: Palette) -> None:
        """Show everything in these colours."""
        self._palette = palette
        self.register_theme(palette.theme())
        if self.theme != palette.name:
            self.theme = palette.name
        elif self.is_running:
            self.mutate_reactive(App.theme)  # another theme of the same name

    def submit(self, what: str | Key) -> None:
        """Do what a text or an extension's key asks for, as soon as a session is open."""
        self._submissions.put(what)

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        """Run a command, or say something, as soon as a session is open."""
        self._submissions.put(Said(message.text, images=message.images, typed=message.typed))

    def on_writing_area_told(self, message: Prompt.Told) -> None:
        """The user should know something of what they put into the prompt."""
        self.status.tell(message.text)

    def _press(self, event: events.Key | events.Paste) -> bool:
        """Whether a key is an extension's, which then has it; a dialog keeps all keys for itself."""
        if self.program is None or not isinstance(event, events.Key) or len(self.screen_stack) > 1:
            return False
        key = self.program.offers.keys.get(event.key)
        if key is not None:
            self._submissions.put(key)
        return key is not None

    def _show_running(self, command: str) -> None:
        self._view.status.command = command  # which may be gone from the screen already

    def on_approval_panel_answered(self, message: ApprovalPanel.Answered) -> None:
        """Hand the user's answer to the call that waits for it."""
        self._approvals.answer(message.approval)
        self.prompt.focus()

    def action_stop(self) -> None:
        """Stop the turn. What was queued goes back into the prompt."""
        self._submissions.stop()
        if self.program is None or self.program.session is None:
            return
        waiting = self.program.session.stop()
        if waiting:
            self.prompt.give_back("\n".join(waiting))
        self.prompt.focus()

    def action_interrupt(self) -> None:
        """Copy what is marked, else clear the text, else stop the turn, else, twice, quit."""
        if self.prompt.selected_text:
            self.prompt.action_copy()
        elif self.transcript.selection is not None:
            self.transcript.action_copy()
        elif self.prompt.text:
            self.prompt.remember(self.prompt.text)
            self.prompt.text = ""
        elif self._submissions.busy or (self.program and self.program.session and self.program.session.busy):
            self.action_stop()
        elif time.monotonic() - self._last_interrupt < QUIT_SECONDS:
            self.request("quit")
        else:
            self._last_interrupt = time.monotonic()
            self.status.tell("Ctrl+C again quits", QUIT_SECONDS)

    def action_leave(self) -> None:
        """Quit from an empty prompt; else delete the character under the caret, as shells do."""
        if self.prompt.text:
            self.prompt.action_delete_right()
        else:
            self.request("quit")

    async def action_next_mode(self) -> None:
        """Take the next mode."""
        if self.program is not None:
            mode = MODES[(MODES.index(self.program.gate.mode) + 1) % len(MODES)]
            await self.program.set_mode(mode)

    def action_fold(self) -> None:
        """Fold or unfold what can be."""
        self.transcript.toggle_folds()

    def action_fold_thinking(self) -> None:
        """Fold or unfold what the model thought."""
        self.transcript.toggle_folds(ThinkingEntry)

    async def action_find(self) -> None:
        """Find something in the session."""
        await self.query_one(ChatBox).find()

    def action_search_sent(self) -> None:
        """Find what was sent before, in any session of the project."""
        self.run_worker(search_sent(self), exit_on_error=False)

    def action_edit_outside(self) -> None:
        """Write in the user's own editor."""
        self.run_worker(self._edit_outside(), exit_on_error=False, group="editor", exclusive=True)

    async def _edit_outside(self) -> None:
        from panto.tui.editor import EditorError  # noqa: PLC0415 - only who opens it pays for it

        try:
            told = await edit_outside(self)
        except EditorError as error:
            told = f"{error}: {error.hint}" if error.hint else str(error)
        if told:
            self.status.tell(told)

    def action_palette(self) -> None:
        """Show all that can be done, to be found by typing."""
        from panto.tui.command_palette import open_palette  # noqa: PLC0415 - only who opens it pays for it

        if self.program is not None:
            self.run_worker(open_palette(self, self.program), exit_on_error=False)

    def action_go_to_prompt(self) -> None:
        """Type."""
        self.prompt.focus()

    def action_go_to_chat(self) -> None:
        """Walk through what was said."""
        self.transcript.focus()

    def on_chat_found(self) -> None:
        """More is known of what the user looks for."""
        self._view.show_keys()

    def on_chat_left(self) -> None:
        """The user has seen enough of what was said."""
        self.prompt.focus()

    def on_chat_edited(self, message: Chat.Edited) -> None:
        """The user wants to say something otherwise. What was in the prompt comes back with Up."""
        self.prompt.remember(self.prompt.text)
        self.prompt.replace_text(message.text)
        self.prompt.focus()

    def on_chat_copied(self, message: Chat.Copied) -> None:
        """The user wants a text in the clipboard."""
        if message.text:
            self.copy_to_clipboard(message.text)
            self.status.tell(f"copied {message.what}")
        else:
            self.status.tell(f"there is nothing to copy in {message.what}")

    def on_chat_opened(self, message: Chat.Opened) -> None:
        """The user wants to go where a link or a path leads."""
        if message.target is None:
            self.status.tell("there is nothing to open in this")
        else:
            self.run_worker(self._open(message.target), exit_on_error=False)

    async def _open(self, target: Target) -> None:
        from panto.tui.editor import EditorError  # noqa: PLC0415 - only who opens something pays for it
        from panto.tui.opening import open_target  # noqa: PLC0415 - as above

        try:
            told = await open_target(self, target, self._options.project)
        except EditorError as error:
            if self.program is not None:
                self.program.notify(str(error), "warning", error.hint)
        else:
            if told:
                self.status.tell(told)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text to wherever the user may want to paste it."""
        self._clipboard = text
        self.run_worker(self._copy(text), exit_on_error=False)

    async def _copy(self, text: str) -> None:
        problem = await copy(text, self._write_raw)
        if problem:
            self.status.tell(f"not copied: {problem}")

    def _write_raw(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)

    def action_focus_next(self) -> None:
        """Go to the question, if there is one, before anything else."""
        question = next(iter(self.screen.query(ApprovalPanel)), None)
        if question is not None and not question.has_focus:
            question.focus()
        else:
            super().action_focus_next()

    def action_side_panel(self) -> None:
        """Open or close the side panel."""
        self._view.toggle_side_panel()

    def action_help(self) -> None:
        """Show keys and commands."""
        self._submissions.put("/help")

    def action_scroll_transcript(self, how: str) -> None:
        """Scroll the transcript while the keys go elsewhere."""
        self._view.scroll(how)


def _way_back(program: Program) -> str:
    """The command that comes back to a session, if there is something to come back to."""
    session = program.session
    return "" if session is None or session.conversation.is_empty else f"panto-py --resume {session.conversation.id}"


def run(options: Options, typed: str = "") -> int:
    """Run the screen, with what was typed before it came. Gives the exit status, and prints how to come back."""
    log_file = Paths.discover(options.project).log_file
    log_to(log_file)
    teach_textual()
    app = PantoApp(options, typed, log_file)
    depth = depth_of(app.console.color_system, no_color=app.no_color)
    app.fewer_colors = FewerColors(depth, default_palette())
    with stray_output_to(log_file):
        farewell = app.run()
    if farewell:
        print(farewell, file=sys.stderr if app.return_code else sys.stdout)
    return app.return_code or 0
