"""Run a command in a session of its own: bounded memory, a time limit, and an end for all of it.

One pipe takes stdout and stderr, or a terminal if one is asked for; stdin is closed. Three things block and so have
threads of their own: starting and waiting for the command, reading its pipe, and ending its session. The event loop
never does, and neither does the shared thread pool, which may be busy.
"""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from panto.process.child import Child, ProcessError, Size
from panto.process.output import Captured, Keep, OutputBuffer, TerminalText
from panto.process.reader import Live, Reader
from panto.process.sessions import KILL_SECONDS

T = TypeVar("T")
V = TypeVar("V")

START_SECONDS = 10.0
GRACE_SECONDS = 1.0
"""Between asking processes to end and killing them."""
KEEP = Keep()

_Ending: TypeAlias = Literal["exit", "timeout", "stop"]


@dataclass(frozen=True)
class ProcessResult:
    """How a command ended.

    ``exit_code`` is None if a ``signal`` ended it (its name, such as ``SIGKILL``), or if it could not be ended at all.
    ``timed_out`` and ``cancelled``: it was ended by us. ``left_behind`` are the process groups of its children that
    still run; ``holds_output`` says that one of them still has the output open, of which nothing more is kept.
    """

    exit_code: int | None
    signal: str
    timed_out: bool
    cancelled: bool
    output: Captured
    seconds: float
    left_behind: tuple[int, ...] = ()
    holds_output: bool = False

    @property
    def ok(self) -> bool:
        """It ended by itself, and said that all went well."""
        return self.exit_code == 0 and not (self.timed_out or self.cancelled)


async def run_process(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout_seconds: float | None = None,
    stop: asyncio.Event | None = None,
    on_output: Callable[[str], None] | None = None,
    sink: Callable[[bytes], None] | None = None,
    keep: Keep = KEEP,
) -> ProcessResult:
    """Run a program with its arguments, and wait until it ends, its time is up or ``stop`` is set.

    It returns when the program itself ends, even if children of it run on and hold its output. After a time-out, a
    stop or a cancellation, TERM goes to all of its session, and KILL to what is left after the grace; only then does
    this return, or raise `CancelledError`. A second cancellation kills at once.

    ``on_output`` gets decoded text as it comes, escapes and all, on the event loop, some times a second. ``sink`` gets
    every chunk of bytes, in a thread, and must be quick. ``keep`` says how much of the output the result holds.

    Raises `ProcessError` if it can't be started.
    """
    reading = _Reading(OutputBuffer(keep), Live(on_output), sink)
    return await _run(lambda: Child(command, cwd, env), command[0], reading, timeout_seconds, stop)


async def run_in_terminal(
    command: Sequence[str],
    size: Size,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stop: asyncio.Event | None = None,
    on_output: Callable[[str], None] | None = None,
    keep: Keep = KEEP,
) -> ProcessResult:
    """The same with the output to a terminal of that size, into which nothing can be typed."""
    reading = _Reading(OutputBuffer(keep, TerminalText()), Live(on_output), None)
    return await _run(lambda: Child(command, cwd, env, size), command[0], reading, None, stop)


@dataclass(frozen=True)
class _Reading:
    """What becomes of the output."""

    buffer: OutputBuffer
    live: Live
    sink: Callable[[bytes], None] | None


async def _run(
    start: Callable[[], Child],
    name: str,
    reading: _Reading,
    timeout_seconds: float | None,
    stop: asyncio.Event | None,
) -> ProcessResult:
    started = time.monotonic()
    child = await _started(start, name)
    live = reading.live
    try:
        reader = Reader(child, reading.buffer, live, reading.sink)
        exit_code = _in_thread(child.wait)
        captured = _in_thread(reader.run)
        ending = await _wait(exit_code, timeout_seconds, stop)
        if ending != "exit":
            await _end(child)
            await asyncio.wait({exit_code}, timeout=KILL_SECONDS)
            child.gone.set()
        output = await captured
        left = await _in_thread(child.left_behind)
    except BaseException:  # nothing half-made stays behind, whatever ended this; it goes on being raised
        live.silence()
        await _end(child)
        raise
    code = exit_code.result() if exit_code.done() else None
    return ProcessResult(
        exit_code=code if code is None or code >= 0 else None,
        signal=_signal_name(-code) if code is not None and code < 0 else "",
        timed_out=ending == "timeout",
        cancelled=ending == "stop",
        output=output,
        seconds=time.monotonic() - started,
        left_behind=tuple(sorted(left)),
        holds_output=reader.held,
    )


async def _started(start: Callable[[], Child], name: str) -> Child:
    starting = _in_thread(start)
    try:
        done, _ = await asyncio.wait({starting}, timeout=START_SECONDS)
    except asyncio.CancelledError:
        starting.add_done_callback(_kill_unwanted)
        done, _ = await asyncio.wait({starting}, timeout=GRACE_SECONDS)
        if done and starting.exception() is None:
            await _end(starting.result())
        raise
    if not done:
        starting.add_done_callback(_kill_unwanted)
        raise ProcessError(f"{name} did not start within {START_SECONDS:g} seconds; nothing was run")
    return starting.result()


def _kill_unwanted(starting: "asyncio.Future[Child]") -> None:
    """It came up after all, and nobody waits for it any more."""
    if starting.cancelled() or starting.exception() is not None:
        return
    child = starting.result()
    child.kill()
    # reading to the end closes what is open, waiting reaps it
    _in_thread(child.wait)
    _in_thread(Reader(child, OutputBuffer(KEEP), Live(None), None).run)


async def _wait(exit_code: "asyncio.Future[int]", seconds: float | None, stop: asyncio.Event | None) -> _Ending:
    """Until it ends, its time is up, or it is to stop."""
    waiting: set[asyncio.Future[int] | asyncio.Task[bool]] = {exit_code}
    stopping = None if stop is None else asyncio.create_task(stop.wait())
    if stopping is not None:
        waiting.add(stopping)
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped = stopping is not None and not stopping.cancel()
    if exit_code.done():
        return "exit"
    return "stop" if stopped else "timeout"


async def _end(child: Child) -> None:
    hurry = threading.Event()
    try:
        await _in_thread(lambda: child.end(GRACE_SECONDS, hurry))
    except asyncio.CancelledError:
        hurry.set()
        raise
    except ProcessError:
        child.kill()  # there is no thread to be had; the rest of it would need one


def _in_thread(work: Callable[[], T]) -> "asyncio.Future[T]":
    """Do blocking work in a thread of its own; the future is its result. Raises `ProcessError` if none can be had."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(how: Callable[[V], None], value: V) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(lambda: None if future.done() else how(value))

    def run() -> None:
        try:
            value = work()
        except Exception as error:  # noqa: BLE001 - it is raised where the result is awaited
            settle(future.set_exception, error)
        else:
            settle(future.set_result, value)

    try:
        threading.Thread(target=run, name="process", daemon=True).start()
    except RuntimeError as error:
        raise ProcessError(f"can't run anything: {error}; the system's limit on processes may be reached") from None
    return future


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
