"""What the scripted answers of the Gemini API look like on the wire."""

import json
import re

import httpx

from tests.support.llm.checks import JSONObject, objects, value_at
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.gemini_requests import HEADERS, NEW, OLD, body, call, declared, model, path, result, signed, user
from tests.support.llm.request import ToolResult
from tests.support.llm_server import Call, Failure, LLMServer, Reply, StreamError, Usage


def ask(client: httpx.Client, server: LLMServer, given: JSONObject, name: str = OLD, way: str = "") -> httpx.Response:
    where = f"http://127.0.0.1:{server.port}{path(name, way) if way else path(name)}"
    return client.post(where, json=given, headers=HEADERS)


def events(answer: httpx.Response) -> list[JSONObject]:
    return [json.loads(line) for line in re.findall(r"^data: (.*?)\r?$", answer.text, re.MULTILINE)]


def test_a_stream_is_as_the_api_sends_it(client: httpx.Client) -> None:
    reply = Reply(
        "Hi you", thinking="hm", tool_calls=[Call("t", {"a": 1}, id="x1"), Call("u")], usage=Usage(9, 5, 4, reasoning=2)
    )
    with LLMServer([reply]) as server:
        answer = ask(client, server, body(user()), NEW)
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    *chunks, last = events(answer)
    found = [objects(value_at(chunk, "candidates", 0, "content", "parts")) for chunk in chunks]
    first: JSONObject = {"functionCall": {"name": "t", "args": {"a": 1}, "id": "x1"}}
    assert found[:4] == [[{"text": "hm", "thought": True}], [{"text": "Hi"}], [{"text": " you"}], [signed(first)]]
    assert set(found[4][0]) == {"functionCall"}
    assert last["candidates"] == [
        {"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP", "index": 0}
    ]
    assert last["usageMetadata"] == {
        "promptTokenCount": 9,
        "candidatesTokenCount": 3,
        "totalTokenCount": 14,
        "cachedContentTokenCount": 4,
        "thoughtsTokenCount": 2,
    }
    assert "[DONE]" not in answer.text


def test_an_answer_without_calls_is_signed_at_its_end(client: httpx.Client) -> None:
    with LLMServer(["Hi", "Hi", Reply("Hi", thinking="hm")]) as server:
        for name, is_signed in ((NEW, True), (OLD, False), (OLD, True)):
            last = events(ask(client, server, body(user()), name))[-1]
            (part,) = objects(value_at(last, "candidates", 0, "content", "parts"))
            assert ("thoughtSignature" in part) == is_signed


def test_whole_answers(client: httpx.Client) -> None:
    with LLMServer([Reply("Hi", tool_calls=[Call("t", ["[1", "]"]), Call("t", '{"a": '), Call("t", "")])]) as server:
        answer = ask(client, server, body(user()), way="generateContent").json()
    assert answer["candidates"][0]["content"]["parts"] == [
        {"text": "Hi"},
        {"functionCall": {"name": "t", "args": [1]}},
        {"functionCall": {"name": "t", "args": '{"a": '}},  # not as JSON allows, so as a text
        {"functionCall": {"name": "t"}},
        {"text": ""},
    ]


def test_what_was_asked_is_read(client: httpx.Client) -> None:
    failed = result("b", response={"error": "no"})
    history = [
        user(),
        model({"text": "hm", "thought": True}, {"text": "So"}, call("a"), call("b")),
        user(result("a"), failed),
    ]
    given = body(*history, systemInstruction={"parts": [{"text": "rules"}]}, tools=declared("t"))
    with LLMServer(["Hi"]) as server:
        ask(client, server, given)
        (request,) = server.requests
    assert (request.wire, request.model, request.system) == ("gemini", OLD, "rules")
    assert (request.user_texts, request.assistant_texts, request.tool_names) == (["hi"], ["So"], ["t"])
    assert request.tool_results == [ToolResult("a", "text", is_error=False), ToolResult("b", "no", is_error=True)]


def test_a_key_is_wanted_and_a_wrong_one_is_a_bad_argument(client: httpx.Client) -> None:
    with LLMServer([], api_key="right") as server:
        wrong = ask(client, server, body(user()))
        assert wrong.status_code == 400
        error = wrong.json()["error"]
        assert (error["status"], error["details"][0]["reason"]) == ("INVALID_ARGUMENT", "API_KEY_INVALID")
    with LLMServer([], strict=False) as server:
        none = client.post(f"http://127.0.0.1:{server.port}{path()}", json=body(user()))
        assert (none.status_code, none.json()["error"]["status"]) == (403, "PERMISSION_DENIED")


def test_errors_have_the_shape_of_the_api(client: httpx.Client) -> None:
    with LLMServer([Failure("quota", retry_after=3), StreamError("overloaded", after="Hi")]) as server:
        quota = ask(client, server, body(user()))
        assert (quota.status_code, quota.headers["retry-after"]) == (429, "3")
        assert quota.json()["error"]["status"] == "RESOURCE_EXHAUSTED"
        assert "PerDay" in quota.json()["error"]["details"][0]["violations"][0]["quotaId"]
        *_, last = events(ask(client, server, body(user())))
        assert last == {
            "error": {
                "code": 503,
                "message": "The model is overloaded. Please try again later.",
                "status": "UNAVAILABLE",
            }
        }


def test_the_list_of_models() -> None:
    assert Gemini().models(["a"]) == {
        "models": [{"name": "models/a", "supportedGenerationMethods": ["generateContent", "countTokens"]}]
    }
