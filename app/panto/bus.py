"""The bus that every ability lives on: ordered handlers that take part, watchers that only look.

Handlers of one event run one after another, ordered by layer, then by what they declare to come ``after``, then by id,
so that the order is the same on every run. A handler that raises, overruns its time or leaves a field with the wrong
type has not taken part: the event is as it found it, the fault becomes one `ExtensionError`, and the rest goes on. Only
a `ToolCallEvent` fails closed. Watchers have a queue and a task of their own.
"""

import asyncio
import inspect
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Generic, Self, TypeVar

from panto.events import Event, ExtensionError, ToolCallEvent

E = TypeVar("E", bound=Event)

HANDLER_SECONDS = 10.0
"""How long a handler may take, unless it was registered with another limit."""
GRACE_SECONDS = 1.0
"""How long a handler that overran its time, or was cancelled, may take to end."""
WATCHER_BACKLOG = 100_000
"""Events a watcher may lag behind before the oldest are dropped and its owner is named."""

_running: ContextVar[tuple[type[Event], ...]] = ContextVar("panto_bus_running", default=())


class BusError(RuntimeError):
    """The bus was used in a way it does not allow."""


@dataclass(frozen=True, order=True)
class Rank:
    """Where an owner stands in the order: its layer's number (0 is built-in), then its id."""

    layer: int
    id: str


@dataclass
class Timing:
    """What an owner's handlers of one event have cost so far, in seconds."""

    calls: int = 0
    seconds: float = 0.0


@dataclass
class Record:
    """What is known of one owner: faults so far, the last of them, and time by event name."""

    errors: int = 0
    last_error: str = ""
    timings: dict[str, Timing] = field(default_factory=dict[str, Timing])


class Handle:
    """Something registered. `close` takes it back; closing twice is fine."""

    def __init__(self, kind: str, name: str, close: Callable[[], None]) -> None:
        self.kind = kind
        self.name = name
        self._close: Callable[[], None] | None = close

    @property
    def closed(self) -> bool:
        """Whether it has been taken back."""
        return self._close is None

    def close(self) -> None:
        """Take back what was registered."""
        close, self._close = self._close, None
        if close is not None:
            close()


@dataclass(eq=False)
class _Handler(Generic[E]):
    event: type[E]
    call: Callable[[E], Awaitable[None] | None]
    rank: Rank
    after: frozenset[str]
    where: Callable[[E], bool] | None
    seconds: float


class _Watcher:
    """One watcher's queue, and the task that empties it."""

    def __init__(self, call: Callable[[Event], Awaitable[None] | None], rank: Rank, bus: "Bus") -> None:
        self._call = call
        self._rank = rank
        self._bus = bus
        self._backlog: deque[Event] = deque(maxlen=WATCHER_BACKLOG)
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._dropped = False
        self._stopping = False

    def put(self, event: Event) -> None:
        if len(self._backlog) == WATCHER_BACKLOG and not self._dropped:
            self._dropped = True
            self._bus.fault(self._rank, "watch", f"it lags {WATCHER_BACKLOG} events behind; the oldest are dropped")
        self._backlog.append(event)
        self._idle.clear()
        self._wake.set()

    async def drained(self) -> None:
        """Wait until it has seen all that was emitted."""
        await self._idle.wait()

    def stop(self) -> None:
        self._stopping = True
        self._wake.set()

    async def run(self) -> None:
        while not self._stopping:
            while self._backlog and not self._stopping:
                await self._deliver(self._backlog.popleft())
            self._idle.set()
            await self._wake.wait()
            self._wake.clear()
        self._idle.set()

    async def _deliver(self, event: Event) -> None:
        try:
            result = self._call(event)
            if inspect.isawaitable(result):
                await result
        except Exception as error:  # noqa: BLE001 - a watcher is foreign code: its fault is reported, not spread
            self._bus.fault(self._rank, f"watch {event.name}", _text(error))


class Bus:
    """Carries events to handlers and watchers. An async context: watchers' and owners' tasks live as long as it."""

    def __init__(self) -> None:
        self._handlers: dict[type[Event], list[_Handler[Event]]] = {}
        self._watchers: dict[type[Event], list[_Watcher]] = {}
        self._records: dict[str, Record] = {}
        self._tasks: asyncio.TaskGroup | None = None
        self._strays: set[asyncio.Task[None]] = set()
        self._running_watchers: set[_Watcher] = set()

    async def __aenter__(self) -> Self:
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        for watcher in tuple(self._running_watchers):
            watcher.stop()
        for task in tuple(self._strays):
            task.cancel()
        if tasks is not None:
            await tasks.__aexit__(kind, error, trace)

    def on(
        self,
        event: type[E],
        call: Callable[[E], Awaitable[None] | None],
        *,
        rank: Rank,
        after: frozenset[str] = frozenset(),
        where: Callable[[E], bool] | None = None,
        seconds: float = HANDLER_SECONDS,
    ) -> Handle:
        """Take part in an event. ``where`` limits it to some; ``seconds`` is how long one call may take."""
        handler = _Handler(event, call, rank, after, where, seconds)
        handlers = self._handlers.setdefault(event, [])
        handlers.append(handler)  # pyright: ignore[reportArgumentType] - kept under its own event class
        handlers[:] = _ordered(handlers)

        def close() -> None:
            self._handlers[event] = [other for other in self._handlers[event] if other is not handler]

        return Handle("handler", event.name, close)

    def watch(
        self, events: tuple[type[Event], ...], call: Callable[[Event], Awaitable[None] | None], *, rank: Rank
    ) -> Handle:
        """Look at events, in order, from a queue of its own. A watcher can change nothing and holds nothing up."""
        watcher = _Watcher(call, rank, self)
        for event in events:
            self._watchers.setdefault(event, []).append(watcher)
        self._running_watchers.add(watcher)
        self.spawn(watcher.run(), name=f"watch {rank.id}")

        def close() -> None:
            for event in events:
                self._watchers[event] = [other for other in self._watchers[event] if other is not watcher]
            self._running_watchers.discard(watcher)
            watcher.stop()

        return Handle("watcher", ", ".join(event.name for event in events), close)

    def spawn(self, work: Coroutine[object, object, None], *, name: str) -> asyncio.Task[None]:
        """Run a task that ends with the bus at the latest."""
        if self._tasks is None:
            work.close()
            raise BusError("the bus is not running")
        return self._tasks.create_task(work, name=name)

    def background(self, work: Coroutine[object, object, None], *, rank: Rank, name: str) -> Handle:
        """Run an owner's task: its failure is a fault of the owner's, and closing the handle cancels it."""

        async def owned() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - foreign code: its fault is reported, not spread
                self.fault(rank, f"task {name}", _text(error))
            finally:
                self._strays.discard(task)

        task = self.spawn(owned(), name=f"{rank.id}: {name}")
        self._strays.add(task)

        def close() -> None:
            task.cancel()

        return Handle("task", name, close)

    async def emit(self, event: E) -> E:
        """Let every handler take part, in order, then seal the event and show it to the watchers."""
        kind = type(event)
        if kind in _running.get():
            event.seal()
            raise BusError(f"{event.name} was emitted while it is being handled")
        token = _running.set((*_running.get(), kind))
        try:
            for handler in tuple(self._handlers.get(kind, ())):
                await self._take_part(handler, event)
        finally:
            _running.reset(token)
        self.tell(event)
        return event

    def tell(self, event: Event) -> None:
        """Show an event to the watchers alone, at once and without waiting: for what handlers can't change."""
        event.seal()
        for watcher in self._watchers.get(type(event), ()):
            watcher.put(event)

    async def settle(self) -> None:
        """Wait until every watcher has seen all that was emitted so far."""
        for watcher in tuple(self._running_watchers):
            await watcher.drained()

    async def _take_part(self, handler: _Handler[Event], event: Event) -> None:
        before = event.snapshot()
        started = time.perf_counter()
        try:
            if handler.where is None or handler.where(event):
                await self._call(handler, event)
                event.validate()
        except Exception as error:  # noqa: BLE001 - a handler is foreign code: its fault is reported, not spread
            event.restore(before)
            self.fault(handler.rank, event.name, _text(error))
            if isinstance(event, ToolCallEvent):
                event.deny(f"{handler.rank.id} failed to judge this call, so it is not run")
        finally:
            timing = self.record(handler.rank.id).timings.setdefault(event.name, Timing())
            timing.calls += 1
            timing.seconds += time.perf_counter() - started

    async def _call(self, handler: _Handler[Event], event: Event) -> None:
        result = handler.call(event)
        if not inspect.isawaitable(result):
            return
        task = asyncio.ensure_future(_awaited(result))
        try:
            done, _ = await asyncio.wait({task}, timeout=handler.seconds)
        except asyncio.CancelledError:
            await self._abandon(task)
            raise
        if done:
            task.result()
            return
        await self._abandon(task)
        raise TimeoutError(f"took longer than {handler.seconds:g} s")

    async def _abandon(self, task: asyncio.Task[None]) -> None:
        """Cancel a handler; one that won't end is kept in sight until it does, and no longer waited for."""
        task.cancel()
        _, pending = await asyncio.wait({task}, timeout=GRACE_SECONDS)
        if pending:
            self._strays.add(task)
            task.add_done_callback(self._strays.discard)

    def record(self, owner: str) -> Record:
        """Faults and times of one owner."""
        return self._records.setdefault(owner, Record())

    def fault(self, rank: Rank, doing: str, message: str) -> None:
        """Count an owner's fault and tell the watchers of it."""
        record = self.record(rank.id)
        record.errors += 1
        record.last_error = f"{doing}: {message}"
        self.tell(ExtensionError(rank.id, doing, message))

    def counts(self) -> Counter[str]:
        """How many handlers, watchers and tasks there are now: for finding what was left behind."""
        return Counter(
            handlers=sum(map(len, self._handlers.values())),
            watchers=len(self._running_watchers),
            tasks=len(self._strays),
        )


async def _awaited(result: Awaitable[None]) -> None:
    await result


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _ordered(handlers: list[_Handler[Event]]) -> Iterator[_Handler[Event]]:
    """By layer and id, each behind those it declares to come after; a circle is cut where the order meets it."""
    waiting = sorted(handlers, key=lambda handler: handler.rank)
    while waiting:
        ids = {handler.rank.id for handler in waiting}
        ready = next((h for h in waiting if not (h.after - {h.rank.id}) & ids), waiting[0])
        waiting.remove(ready)
        yield ready
