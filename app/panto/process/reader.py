"""Reads a command's pipe in a thread until the command has ended, and shows what comes at a pace a screen can take."""

import asyncio
import errno
import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context

from panto.process.child import Child
from panto.process.output import Captured, OutputBuffer

_CHUNK_BYTES = 65_536
_PIPE_BYTES = 65_536
"""What a pipe holds: as much may have been written by a command that has ended."""
_DRAIN_SECONDS = 0.2
"""How long output is read after the command itself has ended, for children of it that are about to end too."""
_LIVE_SECONDS = 0.05
_LIVE_CHARACTERS = 32_768
"""Live output that waits to be shown. Of more than that only the end is shown: nobody can read it as fast."""


class Live:
    """Hands output to the event loop, some times a second and never too much at once. Made on the loop.

    It is shown in the context in which this was made: the reader's thread has none.
    """

    def __init__(self, show: Callable[[str], None] | None) -> None:
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._waiting = ""
        self._due = 0.0

    def add(self, text: str) -> None:
        """Take text; to be called by the reader, like `flush` and `seconds_left`."""
        if self._show is None:
            return
        self._waiting += text
        if len(self._waiting) > 2 * _LIVE_CHARACTERS:
            end = self._waiting[-_LIVE_CHARACTERS:]
            self._waiting = "[...]\n" + end[end.find("\n") + 1 :]

    def seconds_left(self, now: float) -> float | None:
        """How long what waits may wait still; None if nothing waits."""
        return max(0.0, self._due - now) if self._waiting else None

    def flush(self, now: float) -> None:
        """Show what waits."""
        text, self._waiting = self._waiting, ""
        self._due = now + _LIVE_SECONDS
        if text:
            with suppress(RuntimeError):  # the loop is closed: nobody looks any more
                self._loop.call_soon_threadsafe(self._deliver, text, context=self._context)

    def silence(self) -> None:
        """Show nothing more; to be called on the loop."""
        self._show = None

    def _deliver(self, text: str) -> None:
        if self._show is not None:
            self._show(text)


class Reader:
    """Reads a child's output to the end, or to shortly after the child's own end. ``held`` says which, afterwards."""

    def __init__(self, child: Child, buffer: OutputBuffer, live: Live, sink: Callable[[bytes], None] | None) -> None:
        self._output = child.output
        self._gone = child.gone.readable
        self._buffer = buffer
        self._live = live
        self._sink = sink
        self._fault: Exception | None = None
        self.held = False

    def run(self) -> Captured:
        """Read; returns what is kept. Raises what the sink raised, but only after all was read."""
        self.held = not self._read()
        os.close(self._gone)
        self._live.flush(time.monotonic())
        captured = self._buffer.finish()
        if self.held:
            # A pipe that nobody reads would stop, and a closed one would kill, the child that runs on.
            threading.Thread(target=_discard, args=(self._output,), name="discard output", daemon=True).start()
        else:
            os.close(self._output)
        if self._fault is not None:
            raise self._fault
        return captured

    def _read(self) -> bool:
        """Whether the output came to its end."""
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        poll.register(self._gone, select.POLLIN)
        until: float | None = None
        since_gone = 0
        while True:
            ready = {fd for fd, _ in poll.poll(self._patience(until))}
            now = time.monotonic()
            if self._gone in ready:
                poll.unregister(self._gone)
                until = now + _DRAIN_SECONDS
            if self._output in ready:
                chunk = _read(self._output)
                if not chunk:
                    return True
                self._take(chunk)
                since_gone += len(chunk) if until is not None else 0
            if self._live.seconds_left(now) == 0:
                self._live.flush(now)
            if until is not None and now >= until and (self._output not in ready or since_gone >= _PIPE_BYTES):
                return False

    def _patience(self, until: float | None) -> float | None:
        """Milliseconds until there is something to do even if nothing comes."""
        now = time.monotonic()
        seconds = [self._live.seconds_left(now), None if until is None else max(0.0, until - now)]
        return min((1000 * each for each in seconds if each is not None), default=None)

    def _take(self, chunk: bytes) -> None:
        self._live.add(self._buffer.feed(chunk))
        if self._sink is not None:
            try:
                self._sink(chunk)
            except Exception as error:  # noqa: BLE001 - foreign code: reading must go on, or the command would hang
                self._fault, self._sink = error, None


def _read(output: int) -> bytes:
    """What has come; nothing at the end, which a terminal tells of by an error."""
    try:
        return os.read(output, _CHUNK_BYTES)
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise


def _discard(output: int) -> None:
    with suppress(OSError):
        while os.read(output, _CHUNK_BYTES):
            pass
    os.close(output)
