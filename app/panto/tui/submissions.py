"""What the user sends, one thing after another: a command runs to its end before what was sent behind it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from panto.agent.session import AgentSession
from panto.bus import contained, words
from panto.offers import Command, CommandOutcome, CommandResult, Key, Prompt, Registry, Step
from panto.tui.commands import parse_command

log = logging.getLogger(__name__)

GRACE_SECONDS = 2.0
"""How long a command that is cancelled may take to end before it is no longer waited for."""

Submitted: TypeAlias = str | Key
"""A text from the prompt, or a key of an extension's."""


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

    async def say(self, prompt: Prompt) -> None:
        """Say something to the model."""
        await self.session.submit(prompt)
        self.queued()


@dataclass
class Submissions:
    """Everything sent and not dealt with yet. It outlives sessions: what is sent before one is open waits for it."""

    _waiting: asyncio.Queue[Submitted] = field(default_factory=asyncio.Queue[Submitted])
    _running: asyncio.Task[CommandOutcome] | None = None

    def put(self, submitted: Submitted) -> None:
        """Have something dealt with, in its turn."""
        self._waiting.put_nowait(submitted)

    def stop(self) -> None:
        """Stop the command that is running, if one is."""
        if self._running is not None:
            self._running.cancel()

    async def run(self, desk: Desk) -> None:
        """Deal with submissions until cancelled."""
        while True:
            submitted = await self._waiting.get()
            if isinstance(submitted, Key):
                await self._run(desk, submitted.key, submitted.run())
            else:
                await self._send(desk, submitted)

    async def _send(self, desk: Desk, text: str) -> None:
        called = parse_command(text, desk.commands)
        if called is None:
            await desk.say(Prompt(text))
        elif isinstance(called, str):
            desk.warn(f"there is no command /{called}", "/help lists them all")
        else:
            command, arguments = called
            await self._run(desk, f"/{command.name}", _call(command, arguments.strip()))

    async def _run(self, desk: Desk, name: str, work: Awaitable[CommandOutcome]) -> None:
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
        await _deliver(desk, running.result())


async def _call(command: Command, arguments: str) -> CommandOutcome:
    return await command.run(arguments)


async def _contained(work: Awaitable[CommandOutcome]) -> CommandOutcome:
    with contained():
        return await work


async def _deliver(desk: Desk, outcome: CommandOutcome) -> None:
    result = outcome if isinstance(outcome, CommandResult) else CommandResult(outcome or "")
    if result.text:
        desk.show(result.text)
    if result.prompt is not None:
        await desk.say(result.prompt)
    if result.step is not None:
        desk.step(result.step)
