"""A session as the screen sees it: say something, stop, go on where one was."""

import asyncio
from collections import deque
from pathlib import Path

from panto.agent.conversation import Conversation
from panto.agent.loop import Loop
from panto.agent.model_call import ChooseModel
from panto.agent.prompt import system_prompt
from panto.agent.queue import Queued
from panto.bus import Bus
from panto.events import Input, Notification, SessionEnd, SessionReason, SessionStart
from panto.messages import User
from panto.offers import Prompt
from panto.permissions.guard import Guard
from panto.sessions.store import StoreError
from panto.tools import ToolBox


class AgentSession:
    """One conversation with its turns. `run` works until it is cancelled; everything else may be called meanwhile."""

    def __init__(
        self,
        *,
        bus: Bus,
        tools: ToolBox,
        guard: Guard,
        conversation: Conversation,
        project: Path,
        choose_model: ChooseModel,
        log_file: Path | None = None,
    ) -> None:
        self._bus = bus
        self._conversation = conversation
        self._project = project
        self._queue: deque[Queued] = deque()
        self._loop = Loop(
            bus, tools, guard, conversation, project, choose_model, steering=self._queue, log_file=log_file
        )
        self._wake = asyncio.Event()
        self._turn: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def conversation(self) -> Conversation:
        """What has been said."""
        return self._conversation

    @property
    def busy(self) -> bool:
        """Whether a turn is running."""
        return self._turn is not None

    @property
    def queued(self) -> tuple[str, ...]:
        """What was said while a turn is running and has not been delivered, in order."""
        return tuple(queued.user.as_typed for queued in self._queue) if self.busy else ()

    async def start(self, reason: SessionReason) -> None:
        """Let extensions have their say, then freeze the system prompt."""
        event = await self._bus.emit(SessionStart(self._conversation.id, reason, tuple(self._conversation.messages)))
        self._loop.system = system_prompt(self._project, event.system)

    async def submit(self, prompt: Prompt) -> None:
        """Say something. While a turn runs it is delivered between two of its steps, else it begins a turn.

        A prompt that wants a turn of its own waits for it.
        """
        event = await self._bus.emit(Input(prompt.text))
        if event.blocked is not None:
            self._bus.tell(Notification("not sent", "warning", event.blocked))
        elif not event.handled and event.text.strip():
            self._queue.append(Queued(prompt, event.text))
            self._wake.set()

    async def add(self, user: User) -> None:
        """Let the model know something with its next request, without asking it to say anything.

        While a turn runs it goes in before the turn's next request, or behind its end. Raises `StoreError`.
        """
        if self.busy:
            self._loop.beside.append(user)
        else:
            await self._conversation.append(user)

    def stop(self) -> list[str]:
        """Stop the running turn at once, and give back what was queued. Stopping twice is stopping once."""
        if self._stopping:
            return []
        waiting = [queued.user.as_typed for queued in self._queue]
        self._queue.clear()
        if self._turn is not None:
            self._stopping = True
            # Not now but behind its first step: a task cancelled before it has begun never runs, and tells nobody.
            asyncio.get_running_loop().call_soon(self._turn.cancel)
        return waiting

    async def run(self) -> None:
        """Run the turns, one after another."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._queue:
                    await self._one_turn(self._queue.popleft())
        finally:
            await self._bus.emit(SessionEnd(self._conversation.id))

    async def _one_turn(self, queued: Queued) -> None:
        self._turn = asyncio.create_task(self._loop.turn(queued), name="turn")
        try:
            await asyncio.wait({self._turn})
        except asyncio.CancelledError:
            self._turn.cancel()
            await asyncio.wait({self._turn})
            raise
        finally:
            await self._take_beside()
            turn, self._turn, self._stopping = self._turn, None, False
        if not turn.cancelled():
            turn.result()

    async def _take_beside(self) -> None:
        """What came while the turn's last answer did."""
        try:
            await self._loop.take_beside()
        except StoreError as error:
            self._bus.tell(Notification(str(error), "error", "the model is not told what your own command put out"))
