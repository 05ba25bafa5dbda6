"""Requests made again where that is worth it: when the trouble may pass, and nothing of the answer had come."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

import msgspec

from panto.llm.client import Clients
from panto.llm.stream import stream
from panto.llm.types import Done, Endpoint, Failed, FailureKind, Request, Retrying, StreamEvent

FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0
"""Seconds: waits double from the first to the longest, unless the server says how long to wait."""

_PASSES: frozenset[FailureKind] = frozenset({"rate_limit", "overloaded", "server", "network", "stalled"})


async def stream_with_retries(
    request: Request,
    endpoint: Endpoint,
    clients: Clients,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
) -> AsyncGenerator[StreamEvent, None]:
    """`stream`, tried up to ``endpoint.attempts`` times, with a `Retrying` before each wait.

    ``chance`` gives numbers from 0 to 1 that spread waits, so that many clients don't come back at once.
    """
    for attempt in range(1, max(endpoint.attempts, 1) + 1):
        begun = False
        failed: Failed | None = None
        async with aclosing(stream(request, endpoint, clients)) as events:
            async for event in events:
                if isinstance(event, Failed):
                    failed = event
                    continue
                begun = begun or not isinstance(event, Done)
                yield event
        if failed is None:
            return
        if begun or failed.failure.kind not in _PASSES or attempt >= endpoint.attempts:
            yield failed
            return
        asked = failed.failure.retry_after
        if asked is not None and asked > endpoint.max_retry_wait:
            yield _given_up(failed, asked)
            return
        wait = wait_before(attempt, asked, chance(), endpoint.max_retry_wait)
        yield Retrying(failed.failure, wait, attempt, endpoint.attempts)
        await sleep(wait)


def wait_before(attempt: int, asked: float | None, chance: float, longest: float) -> float:
    """Seconds to wait after a failed attempt, counted from 1.

    What the server asked for, and a little more; else longer each time, less up to a half by chance.
    """
    if asked is not None:
        return asked + 0.5 * chance
    return min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT, longest) * (1 - 0.5 * chance)


def _given_up(failed: Failed, asked: float) -> Failed:
    """The end, when the server asks for more patience than there is."""
    message = f"{failed.failure.message}; the server asks to wait {_duration(asked)}"
    return Failed(msgspec.structs.replace(failed.message, error=message), replace(failed.failure, message=message))


def _duration(seconds: float) -> str:
    whole = round(seconds)
    parts = ((whole // 3600, "h"), (whole % 3600 // 60, "min"), (whole % 60, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"
