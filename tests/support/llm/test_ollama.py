"""What the validator of ollama's chat takes and refuses, and that its answers are what ollama's own library reads."""

import json
from collections.abc import Sequence
from typing import cast

import pytest
from ollama import ChatResponse

from tests.support.llm.checks import JSONObject, RefusedError, objects
from tests.support.llm.ollama.format import FAILURES, Ollama
from tests.support.llm.request import Request
from tests.support.llm.script import Call, Reply, Usage

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
GIF = "R0lGODlhAQABAAAAACw="


def asked(body: JSONObject, **headers: str) -> Request:
    """A request with this body."""
    return Request(0, 1, "POST", "/api/chat", headers, json.dumps(body).encode(), 0.0, body=body)


def user(content: object = "hi", **more: object) -> JSONObject:
    """A user's message."""
    return {"role": "user", "content": content, **more}


def call(identifier: str = "c1", name: str = "t", arguments: object = None) -> JSONObject:
    """A call of a tool."""
    return {"id": identifier, "function": {"name": name, "arguments": {} if arguments is None else arguments}}


def calls(*made: JSONObject) -> JSONObject:
    """A message of calls alone."""
    return {"role": "assistant", "content": "", "tool_calls": list(made)}


def result(identifier: str = "c1", name: str = "t", content: object = "text") -> JSONObject:
    """A tool's message."""
    return {"role": "tool", "content": content, "tool_name": name, "tool_call_id": identifier}


def body(*messages: object, **more: object) -> JSONObject:
    """A request with these messages."""
    return {"model": "m", "messages": list(messages), **more}


def tool(parameters: object, **more: object) -> JSONObject:
    """A request with one tool."""
    function = {"name": "t", "description": "d", "parameters": parameters, **more}
    return body(user(), tools=[{"type": "function", "function": function}])


NOTHING: JSONObject = {}
PLAIN: JSONObject = {"type": "object", "properties": NOTHING}

GOOD: dict[str, JSONObject] = {
    "plain": body(user()),
    "system": body({"role": "system", "content": "a"}, user()),
    "image": body(user("", images=[PNG])),
    "call and result": body(user(), calls(call()), result()),
    "two of one tool": body(user(), calls(call("a"), call("b")), result("a"), result("b"), user()),
    "thinking": body(user(), {"role": "assistant", "content": "a", "thinking": "hm"}, user()),
    "parameters": body(user(), think="low", keep_alive=-1, format={"type": "object"}, options={"num_ctx": 9}),
    "tool": tool({**PLAIN, "$schema": "x", "required": ["a"], "properties": {"a": {"type": ["string", "null"]}}}),
}


@pytest.mark.parametrize("given", GOOD.values(), ids=GOOD)
def test_takes(given: JSONObject) -> None:
    Ollama().check(asked(given))


BAD: dict[str, JSONObject] = {
    "no model": {"messages": [user()]},
    "empty model": {**body(user()), "model": ""},
    "no messages": body(),
    "messages of no kind": body("hi"),
    "unknown role": body({"role": "developer", "content": "a"}),
    "unknown field": body(user(name="me")),
    "unknown parameter": body(user(), temperature=1),
    "unknown option": body(user(), options={"max_tokens": 1}),
    "num_ctx as text": body(user(), options={"num_ctx": "9"}),
    "think as a word": body(user(), think="minimal"),
    "stream as a number": body(user(), stream=1),
    "content as parts": body(user([{"type": "text", "text": "a"}])),
    "blank content": body(user(" ")),
    "no content": body({"role": "user"}),
    "image that is none": body(user("a", images=["AAAA"])),
    "image as an address": body(user("a", images=["https://a/b.png"])),
    "image as an object": body(user("a", images=[NOTHING])),
    "gif": body(user("a", images=[GIF])),
    "arguments as text": body(user(), calls(call(arguments="{}")), result()),
    "call without name": body(user(), calls(call(name="")), result()),
    "call without function": body(user(), calls({"id": "c1"}), result()),
    "call without result": body(user(), calls(call()), user()),
    "call at the end": body(user(), calls(call())),
    "result of nothing": body(user(), result()),
    "result of another": body(user(), calls(call()), result(name="u")),
    "results in another order": body(user(), calls(call("a"), call("b")), result("b"), result("a")),
    "result as an object": body(user(), calls(call()), result(content=NOTHING)),
    "late system": body(user(), {"role": "system", "content": "a"}),
    "answer at the end": body(user(), {"role": "assistant", "content": "a"}),
    "tool of no type": body(user(), tools=[{"function": {"name": "t", "parameters": PLAIN}}]),
    "tool without name": tool(PLAIN, name=""),
    "tool with more": tool(PLAIN, strict=True),
    "schema without properties": tool({"type": "object"}),
    "schema of no object": tool({"type": "string", "properties": {}}),
    "property that is true": tool({**PLAIN, "properties": {"a": True}}),
    "property of a broken type": tool({**PLAIN, "properties": {"a": {"type": 1}}}),
    "branch that is true": tool({**PLAIN, "properties": {"a": {"anyOf": [True]}}}),
    "required as a truth": tool({**PLAIN, "required": True}),
    "broken within": tool({**PLAIN, "properties": {"a": {"properties": {"b": {"enum": "c"}}}}}),
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD)
def test_refuses(given: JSONObject) -> None:
    with pytest.raises(RefusedError):
        Ollama().check(asked(given))


def test_reads_what_a_request_says() -> None:
    given = tool(PLAIN)
    given["messages"] = [
        {"role": "system", "content": "sys"},
        user("hi"),
        {**calls(call()), "content": "look"},
        result(),
        user("", images=[PNG]),
    ]
    reading = Ollama().read(asked(given))
    assert (reading.system, reading.user_texts, reading.assistant_texts) == ("sys", ["hi"], ["look"])
    assert (reading.tool_names, [tuple(item) for item in reading.tool_results]) == (["t"], [("c1", "text", False)])
    assert Ollama().read(asked({"messages": 3, "tools": [1, {}]})).user_texts == []


def lines(reply: Reply, wire: Ollama | None = None) -> list[ChatResponse]:
    """A reply's stream as the library of ollama reads it."""
    stream = (wire or Ollama()).stream(reply, asked(body(user())))
    data = b"".join(cast("Sequence[bytes]", [*stream.content, *stream.ending]))
    return [ChatResponse.model_validate_json(line) for line in data.splitlines()]


def test_answers_as_the_library_reads_them() -> None:
    reply = Reply("Hi you", "hm", [Call("t", {"a": 1}), Call("u", "{}")], usage=Usage(7, 3))
    found = lines(reply)
    assert "".join(line.message.content or "" for line in found) == "Hi you"
    assert "".join(line.message.thinking or "" for line in found) == "hm"
    made = [(made.function.name, made.function.arguments) for line in found for made in line.message.tool_calls or []]
    assert made == [("t", {"a": 1}), ("u", {})]
    assert [line.done for line in found[:-1]] == [False] * (len(found) - 1)
    last = found[-1]
    assert (last.done, last.done_reason, last.prompt_eval_count, last.eval_count) == (True, "stop", 7, 3)
    whole = ChatResponse.model_validate(Ollama().whole(reply, asked(body(user()))))
    assert (whole.message.content, whole.message.thinking, len(whole.message.tool_calls or [])) == ("Hi you", "hm", 2)
    assert lines(Reply("a", stop="length"))[-1].done_reason == "length"
    assert len(lines(Reply())) == 2


def test_ids_of_calls_are_the_newer_servers() -> None:
    reply = Reply(tool_calls=[Call("t", {})])
    for with_ids in (True, False):
        message = Ollama(calls_with_ids=with_ids).whole(reply, asked(body(user())))["message"]
        (made,) = objects(cast("JSONObject", message)["tool_calls"])
        assert ("id" in made) == with_ids


def test_the_key_where_one_stands_guard() -> None:
    Ollama().authorise(asked(body(user())), None)
    Ollama().authorise(asked(body(user()), authorization="Bearer k"), "k")
    with pytest.raises(RefusedError):
        Ollama().authorise(asked(body(user())), "k")


@pytest.mark.parametrize("kind", FAILURES)
def test_errors_are_a_text(kind: str) -> None:
    wire = Ollama()
    failure = wire.failure(kind, "boom")  # pyright: ignore[reportArgumentType] - a key of the table
    assert failure.body == {"error": "boom"}
    event = json.loads(wire.failure_event(kind))  # pyright: ignore[reportArgumentType] - likewise
    assert event["StatusCode"] == failure.status
    assert event["error"] == FAILURES[kind][1]  # pyright: ignore[reportArgumentType] - likewise
