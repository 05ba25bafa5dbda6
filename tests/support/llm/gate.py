"""A point in an answer at which the server waits until the test says go on."""

import asyncio
import threading


class Gate:
    """A door in a scripted answer: the server stops in front of it, the test sees that it did, and opens it.

    Opening is final, and may come before the server is there. Both sides may live in different threads and loops.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened = False
        self._reached = threading.Event()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def open(self) -> None:
        """Let the server pass, now and later."""
        with self._lock:
            self._opened = True
            waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            loop.call_soon_threadsafe(event.set)

    def wait_reached(self, timeout: float = 30.0) -> None:
        """Block until the server stands at the gate (or went through it). Seconds; raises `TimeoutError`."""
        if not self._reached.wait(timeout):
            raise TimeoutError(f"the server did not reach the gate within {timeout:g} s")

    async def passage(self) -> None:
        """The server's side: come to the gate, and wait until it is open."""
        event = asyncio.Event()
        with self._lock:
            if self._opened:
                event.set()
            else:
                self._waiting.append((asyncio.get_running_loop(), event))
        self._reached.set()
        await event.wait()
