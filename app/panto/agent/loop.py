"""The loop: ask the model, run the tools it calls, give it the results, until it has nothing more to call.

It knows no widget and no wire format. Cancelling its task ends the request, the tools and their processes.
"""

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from panto.agent.conversation import Conversation
from panto.agent.model_call import ChooseModel, ModelCall, ModelUnavailable
from panto.agent.queue import Queued
from panto.agent.set_aside import SetAside
from panto.agent.stuck import Stuck, Word
from panto.agent.tool_calls import ToolRunner
from panto.bus import Bus
from panto.events import Notification, TurnEnd, TurnStart, UserSaid
from panto.messages import Message, System, Tool, ToolOutput, User
from panto.permissions.guard import Guard
from panto.sessions.store import StoreError
from panto.tools import ToolBox

log = logging.getLogger(__name__)

MAX_STEPS = 90
"""Calls of the model in one turn."""

TurnReason: TypeAlias = Literal["done", "stopped", "failed", "max_steps"]


@dataclass(frozen=True)
class _End:
    reason: TurnReason
    error: str = ""
    hint: str = ""


@dataclass
class Loop:
    """What a conversation's turns need. ``steering`` is what the user said meanwhile: it goes in between two steps."""

    bus: Bus
    tools: ToolBox
    guard: Guard
    conversation: Conversation
    project: Path
    choose_model: ChooseModel
    system: tuple[str, ...] = ()
    steering: deque[Queued] = field(default_factory=deque[Queued])
    beside: deque[User] = field(default_factory=deque[User])
    """What the model is to know with its next request, though nobody asks it for an answer."""
    log_file: Path | None = None
    """Where faults of our own are written down in full, to be named to the user."""
    aside: SetAside = field(default_factory=SetAside)
    """What servers did not take of this conversation."""

    async def turn(self, queued: Queued) -> None:
        """Run one turn to its end, which the bus is told of in any case. Only being cancelled is raised."""
        started = time.monotonic()
        before = len(self.conversation)
        end = _End("stopped")
        try:
            end = await self._run(queued)
        except StoreError as error:
            end = _End("failed", str(error), "nothing is sent that can't be stored; make room, then try again")
        except Exception as error:  # a fault of our own ends the turn, never the session
            log.exception("a turn failed")
            where = f"; {self.log_file} has more" if self.log_file else ""
            end = _End("failed", f"{type(error).__name__}: {error}", f"this is a fault of panto-py{where}")
        finally:
            self.bus.tell(
                TurnEnd(
                    session=self.conversation.id,
                    reason=end.reason,
                    error=end.error,
                    hint=end.hint,
                    unsent=queued.user.as_typed if len(self.conversation) == before else "",
                    seconds=time.monotonic() - started,
                )
            )

    async def _run(self, queued: Queued) -> _End:
        model = await self.choose_model(queued.prompt.model)
        if isinstance(model, ModelUnavailable):
            return _End("failed", model.message, model.hint)
        user = queued.user
        start = await self.bus.emit(TurnStart(self.conversation.id, user, queued.prompt.tag))
        await self._say(user)
        for message in start.messages:
            await self.conversation.append(message)
        call = ModelCall(self.bus, self.conversation, self.aside)
        runner = ToolRunner(self.bus, self.tools, self.guard, self.conversation, self.project)
        stuck = Stuck()
        for _ in range(MAX_STEPS):
            await self.take_beside()
            answer = await call.ask(model, self.system, [tool.schema for tool in self.tools])
            if answer.failure is not None:
                return _End("failed", answer.failure.message, answer.failure.hint)
            before = len(self.conversation)
            await runner.run(answer.message.calls)
            word = stuck.after(answer.message, _outputs(self.conversation.messages[before:]))
            if word is not None and not word.to_model:
                return _End("failed", word.to_user, word.hint)
            if word is not None:
                await self._point_out(word)
            steered = await self._steer()
            if not answer.message.calls and not steered and word is None:
                return _End("done", *_unusual(answer.message.stop, has_text=bool(answer.message.text.strip())))
        return _End("max_steps", f"the turn ended after {MAX_STEPS} calls of the model", "say “go on” to let it")

    async def _point_out(self, word: Word) -> None:
        """Tell the model, and the user, that it is stuck."""
        await self.conversation.append(System(word.to_model))
        self.bus.tell(Notification(word.to_user, "warning", word.hint))

    async def _steer(self) -> bool:
        """Put what the user said meanwhile into the conversation."""
        steered = False
        while self.steering and self.steering[0].steers:
            queued = self.steering.popleft()
            try:
                await self._say(queued.user)
            except StoreError:
                self.steering.appendleft(queued)
                raise
            steered = True
        return steered

    async def take_beside(self) -> None:
        """Put what the model is to know into the conversation. Raises `StoreError`."""
        while self.beside:
            await self.conversation.append(self.beside[0])
            self.beside.popleft()

    async def _say(self, user: User) -> None:
        await self.conversation.append(user, lambda: self.bus.tell(UserSaid(self.conversation.id, user)))


def _outputs(messages: Iterable[Message]) -> Iterator[ToolOutput]:
    for message in messages:
        if isinstance(message, Tool):
            yield from message.parts


_STOPS = {
    "length": ("the answer met the length limit", "say “go on”, or raise max_tokens of the model in config"),
    "refused": ("the provider kept the model from answering", "put the request in other words"),
}


def _unusual(stop: str, *, has_text: bool) -> tuple[str, str]:
    """What the user should know of how an answer ended, if anything."""
    if stop in _STOPS:
        return _STOPS[stop]
    return ("", "") if has_text else ("the model ended without an answer", "ask again, or in other words")
