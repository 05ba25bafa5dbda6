"""The scripted LLM server: its script, its record, its manners."""

import json
import socket

import httpx
import pytest

from tests.support.llm.client import WIRES, body, url, words
from tests.support.llm_server import (
    Delay,
    Gate,
    Hold,
    LLMServer,
    Pause,
    Reply,
    Request,
    Turn,
)


@pytest.mark.parametrize("wire", WIRES)
def test_one_script_serves_both_and_is_taken_in_order(client: httpx.Client, wire: str) -> None:
    script: list[Turn] = ["first", Reply(["se", "cond"]), lambda request: f"third for {request.user_texts[-1]}"]
    with LLMServer(script) as server:
        answers = [words(wire, client.post(url(server, wire), json=body(wire, f"q{n}")).text) for n in range(3)]
        assert answers == ["first", "second", "third for q2"]
        assert [request.user_texts for request in server.requests] == [["q0"], ["q1"], ["q2"]]
        assert [request.outcome for request in server.wait_for_answers(3)] == ["answered"] * 3
        assert server.connections == 1


CONVERSATIONS: dict[str, dict[str, object]] = {
    "openai-chat": {
        "messages": [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {
                "role": "assistant",
                "content": "look",
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "found"},
        ],
        "tools": [{"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}}],
    },
    "anthropic": {
        "system": [{"type": "text", "text": "rules"}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "look"},
                    {"type": "tool_use", "id": "c1", "name": "t", "input": {}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "found"}]},
        ],
        "tools": [{"name": "t", "input_schema": {"type": "object"}}],
    },
}


@pytest.mark.parametrize("wire", WIRES)
def test_reads_every_request_the_same_way(client: httpx.Client, wire: str) -> None:
    with LLMServer(["ok"]) as server:
        client.post(url(server, wire), json=body(wire, more=CONVERSATIONS[wire]))
        (request,) = server.requests
    assert (request.wire, request.model, request.system) == (wire, "m", "rules")
    assert (request.user_texts, request.assistant_texts, request.tool_names) == (["a\nb"], ["look"], ["t"])
    assert [(found.id, found.text) for found in request.tool_results] == [("c1", "found")]
    assert request.at("messages", 0, "role") == ("system" if wire == "openai-chat" else "user")
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.raw) == request.body


@pytest.mark.parametrize("wire", WIRES)
def test_an_invalid_request_gets_the_providers_400_and_spoils_the_test(client: httpx.Client, wire: str) -> None:
    bad = body(wire, text=" ")
    with pytest.raises(AssertionError, match=r"request 0 .* was refused with 400: "), LLMServer() as server:
        answer = client.post(url(server, wire), json=bad)
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "invalid_request_error"
        assert [request.number for request in server.invalid] == [0]
    with LLMServer(["ok"], validate=False) as server:
        assert client.post(url(server, wire), json=bad).status_code == 200


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_beyond_the_script_gets_500_and_spoils_the_test(client: httpx.Client, wire: str) -> None:
    with pytest.raises(AssertionError, match="beyond the script; last user text: 'once more'"), LLMServer() as server:
        answer = client.post(url(server, wire), json=body(wire, "once more"))
        assert answer.status_code == 500
        assert "beyond the script" in answer.json()["error"]["message"]
        assert len(server.unexpected) == 1


def test_a_scripted_function_that_raises_spoils_the_test(client: httpx.Client) -> None:
    def broken(_: Request) -> str:
        raise KeyError("nothing there")

    with pytest.raises(AssertionError, match="nothing there"), LLMServer([broken]) as server:
        assert client.post(url(server, WIRES[0]), json=body(WIRES[0])).status_code == 500


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_forgotten_spoils_nothing(client: httpx.Client, wire: str) -> None:
    with LLMServer() as server:
        assert client.post(url(server, wire), json=body(wire)).status_code == 500
        server.add("never asked for")
        server.when(lambda _: True, "nor this")
        server.forget()
        server.assert_clean()
        server.add("new")
        assert client.post(url(server, wire), json=body(wire)).status_code == 200
        assert [request.number for request in server.requests] == [0]


def test_turns_nobody_asked_for_spoil_the_test() -> None:
    with pytest.raises(AssertionError, match="2 of the script's turns were not asked for"), LLMServer(["a", "b"]):
        pass
    with LLMServer(["a"], strict=False):
        pass


def test_a_failing_test_keeps_its_own_error() -> None:
    with pytest.raises(ZeroDivisionError), LLMServer(["a"]):
        _ = 1 / 0


def test_side_calls_have_turns_of_their_own(client: httpx.Client) -> None:
    with LLMServer(["answer"], default="again") as server:
        server.when(lambda request: "title" in request.user_texts[-1], "A title")
        texts = [client.post(url(server, WIRES[0]), json=body(WIRES[0], text)).text for text in ("title?", "q", "more")]
        server.add("later")
        texts.append(client.post(url(server, WIRES[0]), json=body(WIRES[0])).text)
    assert [words(WIRES[0], text) for text in texts] == ["A title", "answer", "again", "later"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "headers", [{"x-api-key": "no", "authorization": "Bearer no"}, {"x-api-key": "", "authorization": ""}]
)
def test_a_wrong_or_missing_key_gets_the_providers_401(
    client: httpx.Client, wire: str, headers: dict[str, str]
) -> None:
    with LLMServer(api_key="key") as server:
        answer = client.post(url(server, wire), json=body(wire), headers=headers)
        assert answer.status_code == 401
        kinds = {"openai-chat": "invalid_request_error", "anthropic": "authentication_error"}
        assert answer.json()["error"]["type"] == kinds[wire]
        assert client.get(f"{server.base_url}/models", headers=headers).status_code == 401
        assert client.get(f"{server.base_url}/models").json()["data"][0]["id"] == "test-model"
        assert [request.path for request in server.other_requests] == ["/v1/models"] * 2


def test_anything_else_is_not_found(client: httpx.Client) -> None:
    with LLMServer() as server:
        assert client.post(f"{server.base_url}/embeddings", json={}).status_code == 404
        assert client.get(url(server, WIRES[0])).status_code == 404
        assert not server.requests


@pytest.mark.parametrize("wire", WIRES)
def test_a_held_answer_goes_on_when_released(client: httpx.Client, wire: str) -> None:
    hold = Hold("Half")
    with LLMServer([hold]) as server, client.stream("POST", url(server, wire), json=body(wire)) as answer:
        chunks = answer.iter_text()
        text = ""
        while "Half" not in text:
            text += next(chunks)
        hold.wait_reached()
        assert server.requests[0].outcome == "pending"
        hold.release()
        text += "".join(chunks)
        assert words(wire, text) == "Half"
        assert "[DONE]" in text or "message_stop" in text


def test_a_client_that_leaves_is_noticed(client: httpx.Client) -> None:
    gate = Gate()
    script: list[Turn] = [Hold("Half"), Delay(gate, "late"), Hold("All", at="whole"), Reply(["a", Pause(600), "b"])]
    with LLMServer(script) as server:
        with client.stream("POST", url(server, WIRES[0]), json=body(WIRES[0])) as answer:
            next(answer.iter_text())
        assert server.wait_for_disconnect(0).number == 0
        sock = socket.create_connection(("127.0.0.1", server.port))
        sock.sendall(raw_request(body(WIRES[0])))
        gate.wait_reached()
        sock.close()
        assert server.wait_for_disconnect(1).status == 200
        with client.stream("POST", url(server, WIRES[0]), json=body(WIRES[0])) as answer:
            for piece in answer.iter_text():
                if "[DONE]" in piece:
                    break
        assert server.wait_for_disconnect(2).outcome == "disconnected"
        with client.stream("POST", url(server, WIRES[0]), json=body(WIRES[0])):
            pass
        assert server.wait_for_disconnect(3).ended_at is not None
        assert [request.outcome for request in server.requests] == ["disconnected"] * 4


def raw_request(content: dict[str, object]) -> bytes:
    """A model call as bytes, its body in two chunks, one byte at a time for the server to put together."""
    data = json.dumps(content).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"3\r\n" + data[:3] + b"\r\n" + b"%X;ext=1\r\n" % len(data[3:]) + data[3:] + b"\r\n0\r\n\r\n"


def test_waits_end_with_what_was_seen(client: httpx.Client) -> None:
    with LLMServer(["a"]) as server:
        client.post(url(server, WIRES[0]), json=body(WIRES[0]))
        with pytest.raises(TimeoutError, match=r"no 2 requests within 0 s; the server saw:\n  0 openai-chat 200"):
            server.wait_for_requests(2, timeout=0)
        with pytest.raises(TimeoutError, match="no disconnect"):
            server.wait_for_disconnect(timeout=0)
        with pytest.raises(TimeoutError, match="did not reach the gate"):
            Gate().wait_reached(timeout=0)


def test_leaving_ends_answers_that_would_never_end(client: httpx.Client) -> None:
    with LLMServer([Hold("a")]) as server, client.stream("POST", url(server, WIRES[0]), json=body(WIRES[0])) as answer:
        chunks = answer.iter_text()
        assert "a" in next(chunks)
        server.close()
        with pytest.raises(httpx.HTTPError):
            "".join(chunks)
        assert [request.outcome for request in server.requests] == ["cut"]
