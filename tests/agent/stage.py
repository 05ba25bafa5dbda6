"""A session on a real bus and a real store, with a model that says what a test wrote down."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from panto import events
from panto.agent.conversation import Conversation
from panto.agent.model_call import Model, ModelUnavailable, Price, Stream
from panto.agent.session import AgentSession
from panto.bus import Bus, Rank
from panto.events import Event, ToolEnd, TurnEnd
from panto.json_values import JSONObject
from panto.llm.types import Done, Failed, Failure, FailureKind, Request, StreamEvent, TextDelta
from panto.messages import (
    Assistant,
    Message,
    StopReason,
    Text,
    Thinking,
    Tool as ToolMessage,
    ToolCall,
    ToolOutput,
    User,
)
from panto.offers import Prompt
from panto.permissions.approval import Approval, ApprovalRequest
from panto.permissions.gate import Gate
from panto.permissions.guard import Guard
from panto.sessions.store import Store, memory_store
from panto.tools import Need, Reply, Tool, ToolBox, ToolContext

E = TypeVar("E", bound=Event)

ANYBODY = Rank(2, "user.anybody")
MODEL = "fake/model"
ALL_EVENTS = tuple(
    found
    for found in vars(events).values()
    if isinstance(found, type) and issubclass(found, Event) and found is not Event
)

Run: TypeAlias = Callable[[JSONObject, ToolContext], Awaitable[Reply]]


def said(text: str) -> User:
    """What a user says."""
    return User((Text(text),))


def say(*pieces: str, thinking: str = "", calls: Iterable[ToolCall] = (), stop: StopReason | None = None) -> Stream:
    """Answer with text, piece by piece, and with calls."""
    made = tuple(calls)
    text = "".join(pieces)
    parts = (*((Thinking(thinking),) if thinking else ()), *((Text(text),) if text else ()), *made)

    async def stream(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        for piece in pieces:
            yield TextDelta(piece)
        yield Done(Assistant(parts, MODEL, stop or ("tool_calls" if made else "end")))

    return stream


def call(name: str, identity: str = "c1", problem: str = "", **arguments: object) -> ToolCall:
    """A call as a model makes it."""
    return ToolCall(identity, name, arguments, problem=problem)


def fail(kind: FailureKind = "server", *pieces: str, calls: Iterable[ToolCall] = ()) -> Stream:
    """Begin to answer, then fail."""

    async def stream(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        for piece in pieces:
            yield TextDelta(piece)
        parts = (*map(Text, pieces), *calls)
        yield Failed(Assistant(parts, MODEL, "error"), Failure(kind, "the server said no", "try later"))

    return stream


class Endless:
    """Begin to answer, and never end. ``began`` is set when the pieces are out, ``closed`` when the stream is."""

    def __init__(self, *pieces: str) -> None:
        self._pieces = pieces
        self.began = asyncio.Event()
        self.closed = asyncio.Event()

    async def __call__(self, _request: Request) -> AsyncGenerator[StreamEvent, None]:
        """The stream."""
        try:
            for piece in self._pieces:
                yield TextDelta(piece)
            self.began.set()
            await asyncio.Event().wait()
        finally:
            self.closed.set()


async def done(_arguments: JSONObject, _context: ToolContext) -> Reply:
    """Run a tool that has nothing to do."""
    return Reply("done")


def tool(name: str, run: Run = done, *needs: Need) -> Tool[JSONObject]:
    """A tool that takes any arguments."""
    return Tool(name, f"The tool {name}.", {"type": "object"}, run, needs=lambda _arguments, _context: needs)


@dataclass
class Stage:
    """What a test sees and touches."""

    bus: Bus
    store: Store
    conversation: Conversation
    session: AgentSession
    tools: ToolBox
    gate: Gate
    project: Path
    running: asyncio.Task[None]
    steps: deque[Stream] = field(default_factory=deque[Stream])
    requests: list[Request] = field(default_factory=list[Request])
    asked: list[ApprovalRequest] = field(default_factory=list[ApprovalRequest])
    answers: deque[Approval] = field(default_factory=deque[Approval])
    told: list[Event] = field(default_factory=list[Event])
    ends: asyncio.Queue[TurnEnd] = field(default_factory=asyncio.Queue[TurnEnd])
    unavailable: ModelUnavailable | None = None
    price: Price | None = None
    chosen: list[str | None] = field(default_factory=list[str | None])
    asking: asyncio.Event = field(default_factory=asyncio.Event)

    async def turn(self, text: str, *steps: Stream) -> TurnEnd:
        """Say something, and wait for the end of the turn."""
        self.steps.extend(steps)
        await self.session.submit(Prompt(text))
        return await self.ends.get()

    async def works(self) -> None:
        """Whatever happened: the next turn works, and the model sees each call with its one result."""
        self.unavailable = None
        self.steps.clear()
        end = await self.turn("and now?", say("Here."))
        assert end.reason == "done", end
        assert self.messages[-1] == Assistant((Text("Here."),), MODEL)
        await self.in_step()

    async def in_step(self) -> None:
        """Memory and store hold the same."""
        (found,) = await self.store.find(self.conversation.id)
        entries, unreadable = await self.store.entries(found)
        assert unreadable == 0
        assert [entry.message for entry in entries] == self.messages

    @property
    def messages(self) -> list[Message]:
        """The conversation."""
        return self.conversation.messages

    @property
    def results(self) -> dict[str, ToolOutput]:
        """The results by the ids of their calls: never two for one."""
        outputs = [part for message in self.messages if isinstance(message, ToolMessage) for part in message.parts]
        by_id = {output.call_id: output for output in outputs}
        assert len(by_id) == len(outputs)
        return by_id

    def events(self, kind: type[E]) -> list[E]:
        """What was told of one kind."""
        return [event for event in self.told if isinstance(event, kind)]

    async def see(self, kind: type[E]) -> E:
        """The first event of a kind, as soon as it is there."""
        seen = asyncio.Event()
        watching = self.bus.watch((kind,), lambda _event: seen.set(), rank=ANYBODY)
        if not self.events(kind):
            await seen.wait()
        watching.close()
        return self.events(kind)[0]

    def every_call_has_its_result(self) -> bool:
        """Whether each call in the conversation has a result, and each was told."""
        calls = {part.id for message in self.messages if isinstance(message, Assistant) for part in message.calls}
        return calls == set(self.results) == {event.call.id for event in self.events(ToolEnd)}

    async def approve(self, request: ApprovalRequest) -> Approval:
        """What the user would be asked. Without an answer at hand they think about it for ever."""
        self.asked.append(request)
        self.asking.set()
        if not self.answers:
            await asyncio.Event().wait()
        return self.answers.popleft()

    async def choose_model(self, name: str | None) -> Model | ModelUnavailable:
        """The scripted model, unless there is none."""
        self.chosen.append(name)
        if self.unavailable is not None:
            return self.unavailable
        model = Model(MODEL, Request("model", (), ()), self._stream)
        return model if self.price is None else replace(model, price=self.price)

    async def _stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        self.requests.append(request)
        step = self.steps.popleft()
        async for event in step(request):
            yield event


@asynccontextmanager
async def staged(project: Path, store: Store | None = None) -> AsyncGenerator[Stage]:
    """A session that runs until the test is over."""
    async with Bus() as bus, store or await memory_store() as opened:
        tools, gate = ToolBox(), Gate(project)
        conversation = Conversation(opened, await opened.new_session(project))

        async def approve(request: ApprovalRequest) -> Approval:
            return await stage.approve(request)

        async def choose_model(name: str | None) -> Model | ModelUnavailable:
            return await stage.choose_model(name)

        session = AgentSession(
            bus=bus,
            tools=tools,
            guard=Guard(gate, approve),
            conversation=conversation,
            project=project,
            choose_model=choose_model,
        )
        running = asyncio.create_task(session.run())
        stage = Stage(bus, opened, conversation, session, tools, gate, project, running)

        def note(event: Event) -> None:
            stage.told.append(event)
            if isinstance(event, TurnEnd):
                stage.ends.put_nowait(event)

        bus.watch(ALL_EVENTS, note, rank=Rank(0, "test"))
        try:
            await session.start("new")
            yield stage
        finally:
            running.cancel()
            await asyncio.wait({running})
        assert running.cancelled()
