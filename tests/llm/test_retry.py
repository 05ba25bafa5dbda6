"""Requests made again: which, how often, after what wait, and when not."""

import asyncio
from contextlib import aclosing

import pytest

from panto.llm.client import Clients
from panto.llm.retry import LONGEST_WAIT, stream_with_retries, wait_before
from panto.llm.types import Done, Endpoint, Failed, Retrying, StreamEvent, TextDelta
from tests.llm.talking import APIS, collected, endpoint, request, texts
from tests.support.llm_server import Cut, Delay, Failure, Gate, LLMServer, Raw, Reply, Status, StreamError

pytestmark = pytest.mark.parametrize("api", APIS)


class Clock:
    """Waits that take no time, and are written down."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


async def tried(where: Endpoint, clients: Clients) -> tuple[list[StreamEvent], list[float]]:
    clock = Clock()
    events = await collected(stream_with_retries(request(), where, clients, clock.sleep, lambda: 0.0))
    return events, clock.waits


WORTH_IT = [
    Failure("rate_limit"),
    Failure("overloaded"),
    Failure("server"),
    Status(502, "bad gateway"),
    Status(408, ""),
    StreamError("overloaded"),
    Cut("", "reset"),
    Cut("", "close"),
    Cut("", "finish"),
    Raw(b""),
]


@pytest.mark.parametrize("trouble", WORTH_IT, ids=[f"{type(step).__name__}-{n}" for n, step in enumerate(WORTH_IT)])
async def test_trouble_that_may_pass(api: str, trouble: Failure | Status, clients: Clients) -> None:
    with LLMServer([trouble, trouble, "At last."]) as server:
        events, waits = await tried(endpoint(api, server), clients)
    assert waits == [1.0, 2.0]
    retries = [event for event in events if isinstance(event, Retrying)]
    assert [(event.attempt, event.attempts, event.wait) for event in retries] == [(1, 4, 1.0), (2, 4, 2.0)]
    assert texts(events) == ["At", " last."]
    assert isinstance(events[-1], Done)


NOT_WORTH_IT = [
    Failure("auth"),
    Failure("permission"),
    Failure("not_found"),
    Failure("bad_request"),
    Failure("context"),
    Status(409, ""),
    Status(413, ""),
    Status(422, ""),
    Raw(b"<html>", headers={"content-type": "text/html"}),
    StreamError("bad_request"),
]


@pytest.mark.parametrize(
    "trouble", NOT_WORTH_IT, ids=[f"{type(step).__name__}-{n}" for n, step in enumerate(NOT_WORTH_IT)]
)
async def test_trouble_that_stays(api: str, trouble: Failure, clients: Clients) -> None:
    with LLMServer([trouble]) as server:
        events, waits = await tried(endpoint(api, server), clients)
        assert (len(events), waits, len(server.requests)) == (1, [], 1)


async def test_nothing_left_to_spend_is_no_rate_limit(api: str, clients: Clients) -> None:
    with LLMServer([Failure("quota")]) as server:
        events, _ = await tried(endpoint(api, server), clients)
        assert (len(events), len(server.requests)) == (1, 1)


async def test_there_is_an_end_to_trying(api: str, clients: Clients) -> None:
    with LLMServer([Failure("server")] * 4) as server:
        events, waits = await tried(endpoint(api, server), clients)
        assert waits == [1.0, 2.0, 4.0]
        assert isinstance(events[-1], Failed)
        server.add(Failure("server"))
        events, waits = await tried(endpoint(api, server, attempts=1), clients)
        assert (len(events), waits) == (1, [])


@pytest.mark.parametrize("begun", [Reply("Half"), Reply(thinking="Half")])
async def test_an_answer_that_had_begun_is_not_asked_for_again(api: str, begun: Reply, clients: Clients) -> None:
    with LLMServer([Cut(begun, "reset"), StreamError("overloaded", after=begun)]) as server:
        for _ in range(2):
            events, waits = await tried(endpoint(api, server), clients)
            assert waits == []
            assert isinstance(events[-1], Failed)


async def test_a_stall_before_the_first_piece_is_worth_another_try(api: str, clients: Clients) -> None:
    with LLMServer([Delay(Gate(), "never"), "Awake."], strict=False) as server:
        events, waits = await tried(endpoint(api, server, stall_timeout=1.0), clients)
        await asyncio.to_thread(server.wait_for_answers, 2)
    assert waits == [1.0]
    assert isinstance(events[-1], Done)


async def test_a_server_that_is_not_there_yet(api: str, clients: Clients) -> None:
    with LLMServer([]) as server:
        where = endpoint(api, server)
    events, waits = await tried(where, clients)
    assert len(waits) == 3
    assert isinstance(events[-1], Failed)


async def test_the_wait_that_the_server_asks_for(api: str, clients: Clients) -> None:
    asks = Status(429, '{"error": {"message": "slow down"}}', {"retry-after-ms": "2500"})
    with LLMServer([Failure("rate_limit", retry_after=17), asks, "Now."]) as server:
        _, waits = await tried(endpoint(api, server), clients)
    assert waits == [17.0, 2.5]


async def test_too_long_a_wait_ends_it_at_once_with_the_time(api: str, clients: Clients) -> None:
    with LLMServer([Failure("rate_limit", retry_after=1152)]) as server:
        events, waits = await tried(endpoint(api, server, max_retry_wait=60.0), clients)
    assert waits == []
    (end,) = events
    assert isinstance(end, Failed)
    assert end.failure.message.endswith("the server asks to wait 19 min 12 s")
    assert end.message.error == end.failure.message


async def test_stopping_in_a_wait_stops_at_once(api: str, clients: Clients) -> None:
    never = asyncio.Event()

    async def forever(_seconds: float) -> None:
        await never.wait()

    with LLMServer([Failure("server")]) as server:
        retrying = asyncio.Event()

        async def read() -> None:
            async with aclosing(stream_with_retries(request(), endpoint(api, server), clients, forever)) as events:
                async for event in events:
                    assert isinstance(event, Retrying)
                    retrying.set()

        reading = asyncio.create_task(read())
        await retrying.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert len(server.requests) == 1


async def test_closing_while_it_streams_closes_the_connection(api: str, clients: Clients) -> None:
    with LLMServer([Reply(["one", Gate()])], strict=False) as server:
        async with aclosing(stream_with_retries(request(), endpoint(api, server), clients)) as events:
            async for event in events:
                assert isinstance(event, TextDelta)
                break
        await asyncio.to_thread(server.wait_for_disconnect)


@pytest.mark.parametrize("attempt", range(1, 12))
def test_waits_grow_and_spread_within_bounds(api: str, attempt: int) -> None:
    del api
    longest, shortest = wait_before(attempt, None, 0.0, 120.0), wait_before(attempt, None, 1.0, 120.0)
    assert longest == min(2.0 ** (attempt - 1), LONGEST_WAIT)
    assert shortest == longest / 2
    assert wait_before(attempt, None, 0.0, 0.5) <= 0.5
    assert wait_before(attempt, 7.0, 0.0, 120.0) == 7.0
    assert 7.0 <= wait_before(attempt, 7.0, 1.0, 120.0) <= 7.5
