"""The bus: who takes part in what, and what became of it.

Handlers of one event run one after another, ordered by layer, then by what they declare to come ``after``, then by id,
so that the order is the same on every run. Each works on a draft of the event. One that raises, overruns its time or
leaves a field with the wrong type has not taken part: its draft is thrown away, the fault becomes one `ExtensionError`,
and the rest goes on. Only a `ToolCallEvent` fails closed. Watchers have a queue and a task of their own.
"""

import asyncio
import inspect
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Generic, Self, TypeVar

from panto.bus.foreign import GRACE_SECONDS, Tasks, contained, words
from panto.bus.order import Rank, ordered
from panto.bus.record import Record
from panto.bus.watcher import Watcher
from panto.events import Event, ExtensionError, ToolCallEvent

log = logging.getLogger(__name__)

E = TypeVar("E", bound=Event)

HANDLER_SECONDS = 10.0
"""How long a handler may take, unless it was registered with another limit."""

_handling: ContextVar[tuple[type[Event], ...]] = ContextVar("panto_bus_handling", default=())


class BusError(RuntimeError):
    """The bus was used in a way it does not allow."""


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
    number: int


class Bus:
    """Carries events to handlers and watchers. An async context: watchers' and owners' tasks live as long as it."""

    def __init__(self) -> None:
        self._handlers: dict[type[Event], list[_Handler[Event]]] = {}
        self._watchers: dict[type[Event], list[Watcher]] = {}
        self._watching: dict[asyncio.Task[None], Watcher] = {}
        self._records: dict[str, Record] = {}
        self._tasks = Tasks()
        self._open = False
        self._numbers = count()

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the watchers see what is left, for `GRACE_SECONDS` at most, then end all tasks."""
        self._open = False
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self.settle()
        finally:
            await self._tasks.end()

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
        """Take part in an event. ``where`` limits it to some; ``seconds`` is how long one call may take.

        Raises `BusError` for an event that can only be watched.
        """
        if event.watch_only:
            raise BusError(f"nobody takes part in {event.name}: it can only be watched")
        handler = _Handler(event, call, rank, after, where, seconds, next(self._numbers))
        handlers = self._handlers.get(event, [])
        self._handlers[event] = ordered([*handlers, handler])  # pyright: ignore[reportArgumentType] - kept under its own event class

        def close() -> None:
            self._handlers[event] = ordered(other for other in self._handlers[event] if other is not handler)

        return Handle("handler", event.name, close)

    def watch(
        self, events: tuple[type[Event], ...], call: Callable[[Event], Awaitable[None] | None], *, rank: Rank
    ) -> Handle:
        """Look at events, in order, from a queue of its own. A watcher can change nothing and holds nothing up."""
        self._require_open()
        watcher = Watcher(call, rank, self.fault)
        task = self._tasks.start(watcher.run(), name=f"watch {rank.id}", context=_afresh())
        self._watching[task] = watcher
        task.add_done_callback(self._watching.pop)
        for event in events:
            self._watchers.setdefault(event, []).append(watcher)

        def close() -> None:
            for event in events:
                self._watchers[event] = [other for other in self._watchers[event] if other is not watcher]
            watcher.close()
            if _current_task() is not task:  # one that closes itself may finish what it is at
                task.cancel()

        return Handle("watcher", ", ".join(event.name for event in events), close)

    def background(self, work: Awaitable[None], *, rank: Rank, name: str) -> Handle:
        """Run an owner's task: its failure is a fault of the owner's, and closing the handle cancels it."""
        try:
            self._require_open()
        except BusError:
            _never_awaited(work)
            raise

        async def owned() -> None:
            try:
                with contained():
                    await work
            except Exception as error:  # noqa: BLE001 - foreign code: its fault is reported, not spread
                self.fault(rank, f"task {name}", words(error))

        task = self._tasks.start(owned(), name=f"{rank.id}: {name}", context=_afresh())

        def cancel() -> None:
            task.cancel()

        def ended(_task: asyncio.Task[None]) -> None:
            _never_awaited(work)
            handle.close()

        handle = Handle("task", name, cancel)
        task.add_done_callback(ended)
        return handle

    async def limited(self, work: Awaitable[None], seconds: float, *, name: str) -> None:
        """Await work of an extension's, for so many seconds at most. It is cancelled with the caller.

        Raises `TimeoutError`, or whatever `Exception` the work raises.
        """
        await self._tasks.within(seconds, work, name=name)

    async def emit(self, event: E, *, to: str | None = None) -> E:
        """Let every handler take part, in order, then seal the event and show it to the watchers.

        ``to`` limits it to one owner's handlers and watchers: for an owner that came too late for it.
        """
        kind = type(event)
        if kind in _handling.get():
            event.seal()
            raise BusError(f"{event.name} was emitted while it is being handled")
        token = _handling.set((*_handling.get(), kind))
        try:
            for handler in tuple(self._handlers.get(kind, ())):
                if handler not in self._handlers[kind]:  # it was closed meanwhile
                    continue
                if to in (None, handler.rank.id):
                    await self._take_part(handler, event)
        finally:
            _handling.reset(token)
        self._show(event, to)
        return event

    def tell(self, event: Event) -> None:
        """Show an event that is ``watch_only`` to the watchers, at once and without waiting.

        Raises `BusError` for any other, and for one that a watcher tells while it is looking at another of its kind.
        """
        if not event.watch_only:
            raise BusError(f"{event.name} has handlers: it must be emitted")
        if self._seeing() is type(event):
            raise BusError(f"{event.name} was told by a watcher that is looking at one")
        self._show(event)

    async def settle(self) -> None:
        """Wait until every watcher has seen all that was emitted so far, and until what was closed has ended."""
        for watcher in tuple(self._watching.values()):
            await watcher.drained()
        await self._tasks.ended()

    def record(self, owner: str) -> Record:
        """Faults and times of one owner."""
        return self._records.setdefault(owner, Record())

    def fault(self, rank: Rank, doing: str, message: str) -> None:
        """Count an owner's fault and tell the watchers of it.

        A fault in looking at another one is only counted and logged: telling it could go on for ever.
        """
        record = self.record(rank.id)
        record.add_fault(doing, message)
        if self._seeing() is ExtensionError:
            log.warning("%s: %s", rank.id, record.last_error)
        else:
            self.tell(ExtensionError(rank.id, doing, message))

    def counts(self) -> Counter[str]:
        """How many handlers, watchers and tasks there are now: for finding what was left behind."""
        return Counter(
            handlers=sum(map(len, self._handlers.values())), watchers=len(self._watching), tasks=len(self._tasks)
        )

    def _show(self, event: Event, to: str | None = None) -> None:
        event.seal()
        for watcher in tuple(self._watchers.get(type(event), ())):
            if to in (None, watcher.owner):
                watcher.put(event)

    def _seeing(self) -> type[Event] | None:
        """What the watcher whose code is running now is looking at; None if none is running."""
        task = _current_task()
        watcher = None if task is None else self._watching.get(task)
        return None if watcher is None else watcher.seeing

    async def _take_part(self, handler: _Handler[Event], event: Event) -> None:
        draft = event.draft()
        try:
            with contained():
                if handler.where is not None and not handler.where(draft):
                    return
            with self.record(handler.rank.id).timed(event.name):
                await self._call(handler, draft)
            draft.validate()
            event.restore(draft.snapshot())
        except Exception as error:  # noqa: BLE001 - a handler is foreign code: its fault is reported, not spread
            self.fault(handler.rank, event.name, words(error))
            if isinstance(event, ToolCallEvent):
                event.deny(f"{handler.rank.id} failed to judge this call, so it is not run")
        finally:
            draft.seal()

    async def _call(self, handler: _Handler[Event], draft: Event) -> None:
        with contained():
            result = handler.call(draft)
        if inspect.isawaitable(result):
            await self._tasks.within(handler.seconds, result, name=f"{handler.rank.id}: {draft.name}")

    def _require_open(self) -> None:
        if not self._open:
            raise BusError("the bus is not running")


def _current_task() -> asyncio.Task[None] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no event loop runs here
        return None


def _afresh() -> Context:
    """The context for a task that outlives what started it: it is in the middle of no event."""
    context = copy_context()
    context.run(_handling.set, ())
    return context


def _never_awaited(work: Awaitable[None]) -> None:
    """Close a coroutine that nobody will await; one that ended already does not mind."""
    if inspect.iscoroutine(work):
        work.close()
