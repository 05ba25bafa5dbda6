"""However an answer ends, its stream ends once, in time, and with all that had come, in both wire formats."""

import asyncio
import time
from contextlib import aclosing

import pytest

from panto.llm.client import Clients
from panto.llm.stream import stream
from panto.llm.types import Endpoint, TextDelta
from tests.llm.talking import APIS, collected, done, endpoint, failed, request
from tests.support.llm.bedrock.frames import event
from tests.support.llm_server import Call, Cut, Delay, Gate, Hold, LLMServer, Pause, Raw, Reply

pytestmark = pytest.mark.parametrize("api", APIS)

SHORT = 1.0
"""Seconds: a timeout that is meant to run out."""
PINGS = {"ollama": b"\n", "bedrock": event("somethingNew", b"{}")}
"""Signs of life of formats that have no comments."""


@pytest.mark.parametrize("how", ["reset", "close", "finish"])
async def test_a_cut_connection_keeps_what_had_come(api: str, how: str, clients: Clients) -> None:
    reply = Reply("Half an ans", thinking="well", tool_calls=[Call("std_read", ['{"pa', 'th": '])])
    with LLMServer([Cut(reply, how)]) as server:  # pyright: ignore[reportArgumentType] - one of the three words
        end = await failed(request(), endpoint(api, server), clients)
    assert end.failure.kind == "network"
    assert end.message.text == "Half an ans"
    (call,) = end.message.calls
    assert (call.name, call.arguments, call.raw) == ("std.read", {}, '{"path": ')
    assert "broke off" in call.problem


async def test_a_call_that_came_whole_is_not_run_when_the_answer_broke_off(api: str, clients: Clients) -> None:
    with LLMServer([Cut(Reply(tool_calls=[Call("std_read", {"path": "a"})]), "close")]) as server:
        end = await failed(request(), endpoint(api, server), clients)
    assert [bool(call.problem) for call in end.message.calls] == [True]


@pytest.mark.parametrize("size", [1, 40, 150, 400])
async def test_a_cut_anywhere_ends_the_stream(api: str, size: int, clients: Clients) -> None:
    with LLMServer([Cut(Reply("żółw " * 30), "finish", at=size)]) as server:
        end = await failed(request(), endpoint(api, server), clients)
    assert end.failure.kind == "network"


async def test_a_silence_in_the_midst_ends_in_time(api: str, clients: Clients) -> None:
    with LLMServer([Hold("Thinking about")], strict=False) as server:
        end = await failed(request(), endpoint(api, server, stall_timeout=SHORT), clients)
        assert end.failure.kind == "stalled"
        assert f"{SHORT:g} s" in end.failure.message
        assert end.message.text == "Thinking about"
        await asyncio.to_thread(server.wait_for_disconnect)


async def test_a_silence_before_the_first_byte_ends_in_time(api: str, clients: Clients) -> None:
    never = Gate()
    with LLMServer([Delay(never, "late"), Delay(never, "late")], strict=False) as server:
        end = await failed(request(), endpoint(api, server, stall_timeout=SHORT), clients)
        assert end.failure.kind == "stalled"
        patient = endpoint(api, server, stall_timeout=600.0, header_timeout=SHORT)
        assert (await failed(request(), patient, clients)).failure.kind == "stalled"
        await asyncio.to_thread(server.wait_for_answers, 2)


async def test_pings_and_comments_are_signs_of_life(api: str, clients: Clients) -> None:
    pings: list[bytes | Gate | Pause] = []
    for _ in range(7):
        pings += [PINGS.get(api, b": ping\n\n"), Pause(SHORT / 5)]
    answer = {
        "openai-chat": b'data: {"choices": [{"delta": {"content": "awake"}}]}\n\ndata: [DONE]\n\n',
        "anthropic": (
            b'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "awake"}}\n\n'
            b'data: {"type": "message_stop"}\n\n'
        ),
        "openai-responses": (
            b'data: {"type": "response.output_text.delta", "output_index": 0, "delta": "awake"}\n\n'
            b'data: {"type": "response.completed", "response": {"status": "completed"}}\n\n'
        ),
        "bedrock": event("contentBlockDelta", b'{"contentBlockIndex": 0, "delta": {"text": "awake"}}')
        + event("messageStop", b'{"stopReason": "end_turn"}'),
        "ollama": b'{"message": {"content": "awake"}, "done": true}\n',
        "gemini": b'data: {"candidates": [{"content": {"parts": [{"text": "awake"}]}, "finishReason": "STOP"}]}\n\n',
    }
    with LLMServer([Raw([*pings, answer[api]])]) as server:
        message = await done(request(), endpoint(api, server, stall_timeout=SHORT), clients)
    assert message.text == "awake"


async def test_an_answer_ends_with_its_last_event_though_the_socket_stays_open(api: str, clients: Clients) -> None:
    with LLMServer([Hold("All said.", at="whole")], strict=False) as server:
        started = time.monotonic()
        message = await done(request(), endpoint(api, server, stall_timeout=600.0), clients)
        assert message.text == "All said."
        assert time.monotonic() - started < 60  # ten times less than the silence that would end it
        await asyncio.to_thread(server.wait_for_disconnect)


async def test_a_connection_that_breaks_behind_the_last_event_is_no_failure(api: str, clients: Clients) -> None:
    with LLMServer([Cut("All said.", "reset", at="whole")]) as server:
        assert (await done(request(), endpoint(api, server), clients)).text == "All said."


async def test_closing_the_stream_closes_the_connection_at_once(api: str, clients: Clients) -> None:
    with LLMServer([Hold("first words")], strict=False) as server:
        async with aclosing(stream(request(), endpoint(api, server), clients)) as events:
            async for event in events:
                assert isinstance(event, TextDelta)
                break
        await asyncio.to_thread(server.wait_for_disconnect)


async def test_cancelling_the_reader_closes_the_connection_at_once(api: str, clients: Clients) -> None:
    silence = Hold("first words")
    with LLMServer([silence, Delay(Gate(), "never")], strict=False) as server:
        for number in range(2):  # in the midst of an answer, and before it
            reading = asyncio.create_task(collected(stream(request(), endpoint(api, server), clients)))
            await asyncio.to_thread(server.wait_for_requests, number + 1)
            if number == 0:
                await asyncio.to_thread(silence.wait_reached)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            await asyncio.to_thread(server.wait_for_disconnect, number)


async def test_nothing_listens_there(api: str, clients: Clients) -> None:
    with LLMServer([]) as server:
        where = endpoint(api, server)
    end = await failed(request(), where, clients)
    assert end.failure.kind == "network"
    assert f"127.0.0.1:{server.port}" in end.failure.message
    assert "refused" in end.failure.message
    assert "base_url" in end.failure.hint


@pytest.mark.parametrize(
    "address", ["http://no-such-host.invalid/v1", "http://[::1/v1", "ftp://127.0.0.1/v1", "nonsense"]
)
async def test_addresses_that_lead_nowhere(api: str, address: str, clients: Clients) -> None:
    end = await failed(request(), Endpoint("local", api, address), clients)
    assert end.failure.kind in ("network", "config")
    assert end.failure.hint
