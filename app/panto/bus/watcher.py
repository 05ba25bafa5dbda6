"""Watchers: they see events from a queue of their own, and can neither change them nor hold anybody up."""

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable

from panto.bus.foreign import contained, words
from panto.bus.order import Rank
from panto.events import Event

WATCHER_BACKLOG = 100_000
"""Events a watcher may lag behind before the oldest are dropped and its owner is named."""


class Watcher:
    """One watcher's queue, and the work that empties it. ``report`` takes what it was doing and what went wrong."""

    def __init__(
        self,
        call: Callable[[Event], Awaitable[None] | None],
        rank: Rank,
        report: Callable[[Rank, str, str], None],
    ) -> None:
        self._call = call
        self._rank = rank
        self._report = report
        self._backlog: deque[Event] = deque(maxlen=WATCHER_BACKLOG)
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._dropped = False
        self._closed = False
        self.owner = rank.id
        self.seeing: type[Event] | None = None
        """The class of the event that it is looking at."""

    def put(self, event: Event) -> None:
        """Have it see an event, in its turn."""
        if self._closed:
            return
        if len(self._backlog) == WATCHER_BACKLOG and not self._dropped:
            self._dropped = True
            self._report(self._rank, "watch", f"it lags {WATCHER_BACKLOG} events behind; the oldest are dropped")
        self._backlog.append(event)
        self._idle.clear()
        self._wake.set()

    async def drained(self) -> None:
        """Wait until it has seen all that was put, or is closed."""
        await self._idle.wait()

    def close(self) -> None:
        """Let it see nothing more. What it is looking at it may finish, unless its task is cancelled."""
        self._closed = True
        self._backlog.clear()
        if self.seeing is None:
            self._idle.set()
        self._wake.set()

    async def run(self) -> None:
        """Look at events until closed."""
        try:
            while not self._closed:
                await self._wake.wait()
                self._wake.clear()
                while self._backlog:
                    await self._look_at_these(len(self._backlog))
                self._idle.set()
        finally:
            self.close()

    async def _look_at_these(self, count: int) -> None:
        for _ in range(count):
            if self._backlog:
                await self._look(self._backlog.popleft())
        await asyncio.sleep(0)  # a watcher that makes events for itself leaves time for everybody else

    async def _look(self, event: Event) -> None:
        self.seeing = type(event)
        try:
            with contained():
                result = self._call(event)
                if inspect.isawaitable(result):
                    await result
        except Exception as error:  # noqa: BLE001 - a watcher is foreign code: its fault is reported, not spread
            self._report(self._rank, f"watch {event.name}", words(error))
        finally:
            self.seeing = None
