"""One call of the model: the request as extensions leave it, the stream to the watchers, the answer as a message."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from panto.agent.conversation import Conversation
from panto.agent.set_aside import SetAside, described, suspects
from panto.bus import Bus
from panto.events import ModelDelta, ModelRequest, ModelResponse, ModelRetry, Notification
from panto.llm.types import (
    CallDelta,
    Done,
    Failed,
    Failure,
    Refused,
    Request,
    Retrying,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)
from panto.messages import Assistant, Text, Thinking, ToolCall, ToolSchema, Usage, new_id

Price: TypeAlias = Callable[[Usage], float | None]
"""What an answer costs in US dollars, by its tokens; None if that is not known."""
Stream: TypeAlias = Callable[[Request], AsyncGenerator[StreamEvent, None]]
"""The stream contract with the endpoint already chosen: it never raises, and ends with one `Done` or `Failed`."""


def _no_price(_usage: Usage) -> float | None:
    return None


@dataclass(frozen=True)
class Model:
    """A model to talk to. ``name`` is ``provider/model``; ``request`` has the provider's own name for it."""

    name: str
    request: Request
    stream: Stream
    context_window: int | None = None
    price: Price = _no_price


@dataclass(frozen=True)
class ModelUnavailable:
    """There is no model to talk to: what is wrong, and what to do."""

    message: str
    hint: str


ChooseModel: TypeAlias = Callable[[str | None], Awaitable[Model | ModelUnavailable]]
"""Finds the model of that name, as ``provider/model``, with its key; without one, the model that is chosen."""


@dataclass(frozen=True)
class Answer:
    """What a call of the model gave: the message, whole or partial, and why it failed, if it did."""

    message: Assistant
    failure: Failure | None = None


class _Partial:
    """The answer as far as it has come, for when it is cut short from this side."""

    def __init__(self) -> None:
        self._pieces: list[tuple[type[Text | Thinking], list[str]]] = []

    def add(self, kind: type[Text | Thinking], piece: str) -> None:
        if not self._pieces or self._pieces[-1][0] is not kind:
            self._pieces.append((kind, []))
        self._pieces[-1][1].append(piece)

    @property
    def parts(self) -> tuple[Text | Thinking, ...]:
        return tuple(kind("".join(pieces)) for kind, pieces in self._pieces)


def _refusal(answer: Answer) -> Failure | None:
    """Why the server does not take the request as it is, if that is what it says."""
    failure = answer.failure
    return failure if failure and failure.kind == "bad_request" and not answer.message.parts else None


_MOST_TRIES = 20
"""How often one request is made, each time without something more that the server refused."""


class ModelCall:
    """Calls models for one conversation, and tells the bus of everything."""

    def __init__(self, bus: Bus, conversation: Conversation, aside: SetAside) -> None:
        self._bus = bus
        self._conversation = conversation
        self._aside = aside

    async def ask(self, model: Model, system: tuple[str, ...], tools: Sequence[ToolSchema]) -> Answer:
        """Call the model once with the conversation, and store its answer.

        If the server refuses the request for something in it, the request is made again without. When this is
        cancelled, what had come is stored with stop reason ``cancelled`` before the cancellation goes on, and likewise
        with ``error`` when something raises.
        """
        request = await self._prepared(model, system, tools)
        answer = await self._taken(model, request)
        message = _finished(answer, model)
        await self._store(message)
        return Answer(message, answer.failure)

    async def _answer(self, model: Model, request: Request) -> Answer:
        """Ask once. What comes is shown as it comes."""
        partial = _Partial()
        answer: Answer | None = None
        try:
            async with aclosing(model.stream(request)) as stream:
                async for event in stream:
                    self._show(event, partial)
                    if isinstance(event, Done):
                        answer = Answer(event.message)
                    elif isinstance(event, Failed):
                        answer = Answer(event.message, event.failure)
        except (Exception, asyncio.CancelledError) as error:
            stop = "cancelled" if isinstance(error, asyncio.CancelledError) else "error"
            await self._store(Assistant(partial.parts, model.name, stop, Usage(cost=model.price(Usage()))))
            raise
        return answer or Answer(Assistant(partial.parts, stop="error"), Failure("protocol", "the stream had no end"))

    async def _taken(self, model: Model, request: Request) -> Answer:
        """Ask, without what the server says it does not take; at most `_MOST_TRIES` times."""
        sent = self._aside.apply(model.name, request)
        answer = await self._answer(model, sent)
        tries = 1
        while (failure := _refusal(answer)) is not None and failure.refused and tries < _MOST_TRIES:
            tries += 1
            self._aside.leave_out(model.name, failure.refused)
            self._tell_left_out(failure.refused, failure)
            sent = self._aside.apply(model.name, request)
            answer = await self._answer(model, sent)
        suspected = suspects(sent.messages, model.name)
        if failure is None or failure.refused or not suspected:
            return answer
        return await self._without(suspected, model, request, answer, failure)

    async def _without(
        self, suspected: Refused, model: Model, request: Request, answer: Answer, failure: Failure
    ) -> Answer:
        """Ask once more, without what the request was likely refused for. It stays out if that helps, and only then."""
        self._aside.leave_out(model.name, suspected)
        again = await self._answer(model, self._aside.apply(model.name, request))
        if again.failure is None:
            self._tell_left_out(suspected, failure)
            return again
        self._aside.take_back(model.name, suspected)
        return answer if _refusal(again) else again

    def _tell_left_out(self, refused: Refused, failure: Failure) -> None:
        told = f"not sent from now on, since the server does not take it: {described(refused)}"
        self._bus.tell(Notification(told, "warning", failure.message))

    async def _prepared(self, model: Model, system: tuple[str, ...], tools: Sequence[ToolSchema]) -> Request:
        event = await self._bus.emit(
            ModelRequest(
                session=self._conversation.id,
                model=model.name,
                system=system,
                messages=self._conversation.messages,
                tools=list(tools),
                parameters=dict(model.request.parameters),
            )
        )
        return replace(
            model.request,
            system=system,
            messages=tuple(event.messages),
            tools=tuple(event.tools),
            parameters=event.parameters,
            session=self._conversation.id,
        )

    async def _store(self, message: Assistant) -> None:
        told = ModelResponse(self._conversation.id, message)
        await self._conversation.append(message, lambda: self._bus.tell(told))

    def _show(self, event: StreamEvent, partial: _Partial) -> None:
        match event:
            case TextDelta(text):
                partial.add(Text, text)
                self._bus.tell(ModelDelta(self._conversation.id, "text", text))
            case ThinkingDelta(text):
                partial.add(Thinking, text)
                self._bus.tell(ModelDelta(self._conversation.id, "thinking", text))
            case CallDelta(index, name, ""):
                self._bus.tell(ModelDelta(self._conversation.id, "tool_call", name, index))
            case Retrying(failure, wait, attempt, attempts):
                why = f"{failure.kind.replace('_', ' ')}: {failure.message}"
                self._bus.tell(ModelRetry(self._conversation.id, why, wait, attempt + 1, attempts))
            case _:
                pass


def _finished(answer: Answer, model: Model) -> Assistant:
    """An answer as it is stored: with its model and cost, distinct call ids, and the failure's words."""
    seen: set[str] = set()
    parts: list[Text | Thinking | ToolCall] = []
    for part in answer.message.parts:
        if isinstance(part, ToolCall):
            distinct = part.id if part.id and part.id not in seen else f"call_{new_id()}"
            seen.add(distinct)
            parts.append(msgspec.structs.replace(part, id=distinct))
        else:
            parts.append(part)
    error = answer.failure.message if answer.failure else ""
    usage = answer.message.usage
    if usage.cost is None:
        usage = msgspec.structs.replace(usage, cost=model.price(usage))
    return msgspec.structs.replace(answer.message, parts=tuple(parts), model=model.name, error=error, usage=usage)
