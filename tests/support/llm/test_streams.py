"""What the scripted answers look like on the wire."""

import json
import re

import httpx
import pytest
from hypothesis import given, strategies as st

from tests.support.llm.client import WIRES, body, events, url, words
from tests.support.llm.wire import divided, framed
from tests.support.llm_server import (
    Call,
    Cut,
    Events,
    Failure,
    Framing,
    Gate,
    LLMServer,
    OpenAIChat,
    Raw,
    Reply,
    Status,
    StreamError,
    Turn,
    Usage,
)


def test_openai_stream_is_as_the_api_sends_it(client: httpx.Client) -> None:
    reply = Reply("Hi you", thinking="hm", tool_calls=[Call("t", {"a": 1}, id="call_1")], usage=Usage(9, 5, cached=4))
    with LLMServer([reply]) as server:
        more = {"stream_options": {"include_usage": True}}
        answer = client.post(url(server, "openai-chat"), json=body("openai-chat", more=more))
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.text.endswith("data: [DONE]\n\n")
    *chunks, last = events(answer.text)
    assert len({str(chunk["id"]) for chunk in chunks}) == 1
    assert all(chunk["object"] == "chat.completion.chunk" and chunk["usage"] is None for chunk in chunks)
    assert [chunk["choices"] for chunk in chunks] == [
        [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        for delta, finish in [
            ({"role": "assistant", "content": "", "refusal": None}, None),
            ({"reasoning_content": "hm"}, None),
            ({"content": "Hi"}, None),
            ({"content": " you"}, None),
            ({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": START}]}, None),
            ({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}, None),
            ({"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]}, None),
            ({}, "tool_calls"),
        ]
    ]
    assert last["choices"] == []
    assert last["usage"] == {
        "prompt_tokens": 9,
        "completion_tokens": 5,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


START = {"name": "t", "arguments": ""}


def test_anthropic_stream_is_as_the_api_sends_it(client: httpx.Client) -> None:
    reply = Reply(
        "Hi", thinking="hm", redacted="x", tool_calls=[Call("t", {"a": 1}, id="toolu_1")], usage=Usage(9, 5, 4, 2)
    )
    with LLMServer([reply]) as server:
        answer = client.post(url(server, "anthropic"), json=body("anthropic"))
    names = re.findall(r"^event: (.*)$", answer.text, re.MULTILINE)
    found = events(answer.text)
    assert names == [event["type"] for event in found]
    assert names[:3] == ["message_start", "content_block_start", "ping"]
    assert names[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    starts = [event["content_block"] for event in found if event["type"] == "content_block_start"]
    assert [re.sub(r'"data": ".+"', '"data": "..."', json.dumps(start)) for start in starts] == [
        '{"type": "thinking", "thinking": "", "signature": ""}',
        '{"type": "redacted_thinking", "data": "..."}',
        '{"type": "text", "text": ""}',
        '{"type": "tool_use", "id": "toolu_1", "name": "t", "input": {}}',
    ]
    deltas = [(event["index"], event["delta"]) for event in found if event["type"] == "content_block_delta"]
    signature = deltas.pop(1)
    assert signature[0] == 0
    assert deltas == [
        (0, {"type": "thinking_delta", "thinking": "hm"}),
        (2, {"type": "text_delta", "text": "Hi"}),
        (3, {"type": "input_json_delta", "partial_json": ""}),
        (3, {"type": "input_json_delta", "partial_json": '{"a":'}),
        (3, {"type": "input_json_delta", "partial_json": " 1}"}),
    ]
    counts = {"input_tokens": 3, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 4, "output_tokens": 5}
    assert found[-2]["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}
    assert found[-2]["usage"] == {**counts, "output_tokens_details": {"thinking_tokens": 0}}


STOPS = [
    (None, "stop", "end_turn"),
    ("length", "length", "max_tokens"),
    ("refusal", "content_filter", "refusal"),
    ("strange", "strange", "strange"),
]


@pytest.mark.parametrize(("stop", "chat", "messages"), STOPS)
def test_stop_reasons_in_each_providers_words(client: httpx.Client, stop: str, chat: str, messages: str) -> None:
    with LLMServer([Reply("a", stop=stop)] * 2) as server:
        assert f'"finish_reason":"{chat}"' in client.post(url(server, WIRES[0]), json=body(WIRES[0])).text
        assert f'"stop_reason":"{messages}"' in client.post(url(server, WIRES[1]), json=body(WIRES[1])).text


@pytest.mark.parametrize("wire", WIRES)
def test_answers_whole_when_no_stream_is_wanted(client: httpx.Client, wire: str) -> None:
    with LLMServer([Reply("Hi there", thinking="hm", tool_calls=[Call("t", {"a": 1})])]) as server:
        answer = client.post(url(server, wire), json=body(wire, more={"stream": False})).json()
    text = json.dumps(answer)
    assert "Hi there" in text
    assert '"t"' in text
    assert "hm" in text
    assert answer["usage"]


FAILURES = [
    (Failure("rate_limit", retry_after=2), 429, "rate_limit_exceeded", 429, "rate_limit_error"),
    (Failure("overloaded"), 503, None, 529, "overloaded_error"),
    (Failure("quota"), 429, "insufficient_quota", 400, "invalid_request_error"),
    (Failure("context"), 400, "context_length_exceeded", 400, "invalid_request_error"),
    (Failure("server", message="boom"), 500, None, 500, "api_error"),
    (Status(418), 418, None, 418, "api_error"),
]


@pytest.mark.parametrize(("step", "status", "code", "other_status", "kind"), FAILURES)
def test_errors_in_each_providers_words(
    client: httpx.Client, step: Turn, status: int, code: str | None, other_status: int, kind: str
) -> None:
    with LLMServer([step, step]) as server:
        chat = client.post(url(server, "openai-chat"), json=body("openai-chat"))
        messages = client.post(url(server, "anthropic"), json=body("anthropic"))
    assert (chat.status_code, chat.json()["error"]["code"]) == (status, code)
    assert (messages.status_code, messages.json()["error"]["type"]) == (other_status, kind)
    assert messages.headers["request-id"] == messages.json()["request_id"]
    if isinstance(step, Failure) and step.retry_after:
        assert chat.headers["retry-after"] == messages.headers["retry-after"] == "2"


def test_hand_made_bodies(client: httpx.Client) -> None:
    script: list[Turn] = [
        Status(502, "<h1>Bad gateway</h1>", {"server": "nginx"}),
        Raw([b"data: {\xff", b"}\n\n"], headers={"content-type": "text/plain"}),
        Events([{"choices": None}, "[DONE]"]),
        Events([{"type": "ping", "a": "é"}], framing=Framing(crlf=True)),
    ]
    with LLMServer(script) as server:
        answers = [client.post(url(server, wire), json=body(wire)) for wire in [*WIRES[:1] * 3, "anthropic"]]
    assert (answers[0].status_code, answers[0].text, answers[0].headers["server"]) == (
        502,
        "<h1>Bad gateway</h1>",
        "nginx",
    )
    assert (answers[1].content, answers[1].headers["content-type"]) == (b"data: {\xff}\n\n", "text/plain")
    assert answers[2].content == b'data: {"choices":null}\n\ndata: [DONE]\n\n'
    assert answers[3].content == 'event: ping\r\ndata: {"type":"ping","a":"é"}\r\n\r\n'.encode()


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_in_mid_stream(client: httpx.Client, wire: str) -> None:
    with LLMServer([StreamError("overloaded", after="Some text")]) as server:
        answer = client.post(url(server, wire), json=body(wire))
    assert answer.status_code == 200
    assert words(wire, answer.text) == "Some text"
    assert "error" in events(answer.text)[-1]


def read_all(client: httpx.Client, address: str, wire: str) -> tuple[str, str]:
    """What came of a stream, and what it ended with."""
    text = ""
    try:
        with client.stream("POST", address, json=body(wire)) as answer:
            for piece in answer.iter_text():
                text += piece
    except httpx.HTTPError as error:
        return text, type(error).__name__
    return text, "end"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("how", "end"), [("reset", "ReadError"), ("close", "RemoteProtocolError"), ("finish", "end")])
def test_an_answer_cut_off_before_its_ending(client: httpx.Client, wire: str, how: str, end: str) -> None:
    cut: Turn = Cut("Half an answer", how=how)  # pyright: ignore[reportArgumentType] - the parameter is one of its words
    with LLMServer([cut, "whole"]) as server:
        text, ended = read_all(client, url(server, wire), wire)
        assert ended == end
        assert words(wire, text) == "Half an answer"
        assert "stop" not in text.replace("stop_reason", "").replace("stop_sequence", "")
        assert server.wait_for_answers(1)[0].outcome == ("answered" if how == "finish" else "cut")
        assert words(wire, client.post(url(server, wire), json=body(wire)).text) == "whole"


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_cut_off_at_a_byte_or_at_its_end(client: httpx.Client, wire: str) -> None:
    reply = Reply(tool_calls=[Call("t", '{"path": "a', id="x1")])
    with LLMServer([Cut(reply, at=7, how="finish"), Cut(reply, at="whole", how="close"), Cut(reply, at=0)]) as server:
        assert len(read_all(client, url(server, wire), wire)[0]) == 7
        text, ended = read_all(client, url(server, wire), wire)
        assert "[DONE]" in text or "message_stop" in text
        assert ended == "RemoteProtocolError"
        assert read_all(client, url(server, wire), wire) == ("", "ReadError")


FRAMINGS = [
    Framing(),
    Framing(together=True),
    Framing(split=1),
    Framing(split=[3, 5, 1000]),
    Framing(ping_every=2),
    Framing(crlf=True),
]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("framing", FRAMINGS, ids=str)
def test_however_it_is_framed_it_says_the_same(client: httpx.Client, wire: str, framing: Framing) -> None:
    text = "Größe: 日本 👩‍🔧 done"
    with LLMServer([Reply(text, framing=framing)]) as server:
        with client.stream("POST", url(server, wire), json=body(wire)) as answer:
            chunks = list(answer.iter_raw())
        whole = b"".join(chunks).decode()
    assert words(wire, whole) == text
    if framing.split == 1:
        assert {len(chunk) for chunk in chunks} == {1}
    if framing.together:
        assert len(chunks) == 1


items = st.lists(st.binary(min_size=1, max_size=9), max_size=8)


@given(items=items, split=st.none() | st.integers(1, 12) | st.lists(st.integers(0, 40)), together=st.booleans())
def test_framing_neither_adds_nor_loses_a_byte(
    items: list[bytes], split: int | list[int] | None, *, together: bool
) -> None:
    gate = Gate()
    mixed = [*items, gate, *items]
    out = framed(mixed, Framing(split=split, together=together), b"")
    place = out.index(gate)
    assert b"".join(chunk for chunk in out[:place] if isinstance(chunk, bytes)) == b"".join(items)
    assert b"".join(chunk for chunk in out[place + 1 :] if isinstance(chunk, bytes)) == b"".join(items)
    assert all(out)


@given(items=items, size=st.integers(0, 80))
def test_dividing_neither_adds_nor_loses_a_byte(items: list[bytes], size: int) -> None:
    head, tail = divided(items, size)
    whole = b"".join(items)
    assert b"".join(part for part in head if isinstance(part, bytes)) == whole[:size]
    assert b"".join(part for part in tail if isinstance(part, bytes)) == whole[size:]


def test_thinking_streamed_is_taken_back_as_it_was_and_no_other(client: httpx.Client) -> None:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000}
    with LLMServer([Reply("So", thinking="I think", tool_calls=[Call("t", {})]), "done"], strict=False) as server:
        first = client.post(url(server, "anthropic"), json=body("anthropic", more={"stream": False, **thinking})).json()
        call = first["content"][-1]["id"]
        answer = {"role": "assistant", "content": first["content"]}
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "a"}]}
        history = [{"role": "user", "content": "hi"}, answer, result]
        again = client.post(url(server, "anthropic"), json=body("anthropic", more={**thinking, "messages": history}))
        assert again.status_code == 200
        first["content"][0]["thinking"] = "I thought"
        changed = client.post(url(server, "anthropic"), json=body("anthropic", more={**thinking, "messages": history}))
        assert changed.status_code == 400
        assert "Invalid `signature`" in changed.json()["error"]["message"]


def test_a_format_can_be_changed(client: httpx.Client) -> None:
    with LLMServer([Reply("a", thinking="hm")], formats=[OpenAIChat(reasoning_field="reasoning")]) as server:
        assert '"delta":{"reasoning":"hm"}' in client.post(url(server, WIRES[0]), json=body(WIRES[0])).text
        assert client.post(url(server, "anthropic"), json=body("anthropic")).status_code == 404
