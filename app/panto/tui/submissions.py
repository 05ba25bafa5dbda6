"""What the user sends, one thing after another: a command runs to its end before what was sent behind it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from panto.agent.session import AgentSession
from panto.bus import contained, words
from panto.messages import Image
from panto.offers import Command, CommandOutcome, CommandResult, Key, Prompt, Registry, Step
from panto.tui.at_words import at_words
from panto.tui.commands import parse_command
from panto.tui.own_commands import OwnCommand, parse_own_command

log = logging.getLogger(__name__)

GRACE_SECONDS = 2.0
"""How long a command that is cancelled may take to end before it is no longer waited for."""

Submitted: TypeAlias = str | Prompt | Key
"""A text from the prompt, that with pictures, or a key of an extension's."""


@dataclass(frozen=True)
class Desk:
    """Where submissions go: the session, the screen, and whoever takes the program's steps."""

    session: AgentSession
    commands: Registry[Command]
    show: Callable[[str], None]
    """Shows Markdown."""
    warn: Callable[[str, str], None]
    """Shows a warning, with what to do."""
    running: Callable[[str], None]
    """Says which command runs now; empty for none."""
    queued: Callable[[], None]
    """Shows how much waits for the model."""
    step: Callable[[Step], None]
    attach: Callable[[Prompt], Awaitable[Prompt]]
    """Adds to a text what it names."""
    run_own: Callable[[OwnCommand, asyncio.Event], Awaitable[None]]
    """Runs a command of the user's own, until the event is set."""

    async def say(self, prompt: Prompt) -> None:
        """Say something to the model."""
        await self.session.submit(prompt)
        self.queued()


@dataclass
class Submissions:
    """Everything sent and not dealt with yet. It outlives sessions: what is sent before one is open waits for it."""

    _waiting: asyncio.Queue[Submitted] = field(default_factory=asyncio.Queue[Submitted])
    _running: asyncio.Task[CommandOutcome] | None = None
    _own: asyncio.Event | None = None
    """Stops the command of the user's own that is running."""

    @property
    def busy(self) -> bool:
        """Whether a command is running."""
        return self._running is not None or self._own is not None

    def put(self, submitted: Submitted) -> None:
        """Have something dealt with, in its turn."""
        self._waiting.put_nowait(submitted)

    def stop(self) -> None:
        """Stop the command that is running, if one is."""
        if self._running is not None:
            self._running.cancel()
        if self._own is not None:
            self._own.set()

    async def run(self, desk: Desk) -> None:
        """Deal with submissions until cancelled."""
        while True:
            submitted = await self._waiting.get()
            if isinstance(submitted, Key):
                await self._run(desk, submitted.key, submitted.run())
            else:
                await self._send(desk, Prompt(submitted) if isinstance(submitted, str) else submitted)

    async def _send(self, desk: Desk, prompt: Prompt) -> None:
        typed = prompt.own_words
        own = None if parse_own_command(typed) is None else parse_own_command(prompt.text)
        called = None if parse_command(typed, desk.commands) is None else parse_command(prompt.text, desk.commands)
        mentioned = None if own is not None or called is not None else _mentioned(typed, desk.commands)
        if own is not None:
            await self._run_own(desk, own)
        elif mentioned is not None:
            await self._run(desk, f"@{mentioned.name}", _by_way_of(mentioned, desk, prompt))
        elif called is None:
            await desk.say(await desk.attach(prompt))
        elif isinstance(called, str):
            desk.warn(f"there is no command /{called}", "/help lists them all")
        else:
            command, arguments = called
            await self._run(desk, f"/{command.name}", _call(command, arguments.strip()), prompt.images)

    async def _run_own(self, desk: Desk, own: OwnCommand) -> None:
        """Run a command of the user's own. It shows by itself how that goes."""
        if not own.line:
            desk.warn("there is no command behind the !", "!ls runs one, and the model is told; !!ls is for you alone")
            return
        self._own = asyncio.Event()
        desk.running(f"!{own.line}" if own.told else f"!!{own.line}")
        try:
            await desk.run_own(own, self._own)
        except Exception as error:  # a fault of our own is a line on the screen
            log.exception("a command of the user's own failed")
            desk.warn(f"!{own.line} failed: {words(error)}", "")
        finally:
            self._own = None
            desk.running("")

    async def _run(
        self, desk: Desk, name: str, work: Awaitable[CommandOutcome], images: tuple[Image, ...] = ()
    ) -> None:
        """Run a command, then do what it asks for. It may be an extension's: its fault is a line on the screen."""
        desk.running(name)
        self._running = running = asyncio.create_task(_contained(work), name=name)
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError:
            running.cancel()
            await asyncio.wait({running}, timeout=GRACE_SECONDS)  # it may be an extension's, and refuse to end
            raise
        finally:
            self._running = None
            desk.running("")
        if running.cancelled():
            desk.warn(f"{name} was stopped", "")
            return
        error = running.exception()
        if error is not None:
            log.error("%s failed", name, exc_info=error)
            desk.show(f"{name} failed: {words(error)}")
            return
        await _deliver(desk, running.result(), images)


async def _call(command: Command, arguments: str) -> CommandOutcome:
    return await command.run(arguments)


async def _by_way_of(command: Command, desk: Desk, prompt: Prompt) -> CommandOutcome:
    """A text, and the files that it names, said as a command that it names would have it."""
    attached = await desk.attach(prompt)
    outcome = await command.run(prompt.text)
    if not isinstance(outcome, CommandResult) or outcome.prompt is None:
        return outcome
    made = replace(outcome.prompt, shown=prompt.text, attached=attached.attached, images=attached.images)
    return replace(outcome, prompt=made)


def _mentioned(text: str, commands: Registry[Command]) -> Command | None:
    """The first command that a text calls with ``@``."""
    named = (commands.get(word.path) for word in at_words(text)) if "@" in text else ()
    return next((command for command in named if command is not None and command.mentionable), None)


async def _contained(work: Awaitable[CommandOutcome]) -> CommandOutcome:
    with contained():
        return await work


async def _deliver(desk: Desk, outcome: CommandOutcome, images: tuple[Image, ...]) -> None:
    result = outcome if isinstance(outcome, CommandResult) else CommandResult(outcome or "")
    if result.text:
        desk.show(result.text)
    if result.prompt is not None:
        await desk.say(replace(result.prompt, images=result.prompt.images + images))
    if result.step is not None:
        desk.step(result.step)
