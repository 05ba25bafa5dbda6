"""Extensions' code, run so that it may fail, hang or refuse to end, and nothing else does."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine, Generator, Iterable
from contextlib import contextmanager
from contextvars import Context

log = logging.getLogger(__name__)

GRACE_SECONDS = 1.0
"""How long code that was cancelled may take to end before it is no longer waited for."""


class MisbehaviourError(Exception):
    """Extensions' code raised what would have ended more than itself."""


@contextmanager
def contained() -> Generator[None]:
    """Extensions' code runs in here, and what it raises comes out as an `Exception`.

    So it can neither end the program nor be taken for a cancellation. Being cancelled from outside goes through.
    """
    try:
        yield
    except SystemExit as error:
        raise _misbehaviour(f"it tried to end the program ({error})", error) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise _misbehaviour("it was cancelled, and not from outside", error) from error


def _misbehaviour(what: str, error: BaseException) -> MisbehaviourError:
    """The fault, raised where that was raised."""
    return MisbehaviourError(what).with_traceback(error.__traceback__)


def words(error: BaseException) -> str:
    """What was raised, as its type and its message."""
    if isinstance(error, MisbehaviourError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Tasks:
    """The tasks of a bus: each is known until it has ended, also one that won't."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(
        self, work: Coroutine[object, object, None], *, name: str, context: Context | None = None
    ) -> asyncio.Task[None]:
        """Run a coroutine as a task."""
        task = asyncio.create_task(work, name=name, context=context)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def within(self, seconds: float, work: Awaitable[None], *, name: str) -> None:
        """Await work of an extension's. It is cancelled with the caller, and when its time is over.

        Raises `TimeoutError` then, even if it came to an end meanwhile, and else what the work raises.
        """
        task = self.start(_contained(work), name=name)
        try:
            in_time, _ = await asyncio.wait({task}, timeout=seconds)
        finally:
            if not task.done():
                await self.end({task})
        if not in_time:
            raise TimeoutError(f"took longer than {seconds:g} s")
        if task.cancelled():
            raise MisbehaviourError("it cancelled itself")
        task.result()

    async def end(self, tasks: Iterable[asyncio.Task[None]] | None = None) -> None:
        """Cancel tasks (None: all), and wait for them a little while. Those that won't end are named in the log."""
        ending = set(self._running if tasks is None else tasks)
        for task in ending:
            task.cancel()
        await self._wait(ending)

    async def ended(self) -> None:
        """Wait, a little while, for those that are being cancelled."""
        await self._wait({task for task in self._running if task.cancelling()})

    async def _wait(self, ending: set[asyncio.Task[None]]) -> None:
        if not ending:
            return
        _, stubborn = await asyncio.wait(ending, timeout=GRACE_SECONDS)
        for task in stubborn:
            log.warning("%s was cancelled and does not end", task.get_name())

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits for it takes it from there; nobody may be left to


async def _contained(work: Awaitable[None]) -> None:
    with contained():
        await work
