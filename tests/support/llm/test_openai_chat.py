"""What the chat completions validator takes and refuses."""

import pytest

from tests.support.llm.checks import JSONObject, RefusedError, parse_body
from tests.support.llm.openai_chat.format import OpenAIChat
from tests.support.llm.request import Request

NOTHING: JSONObject = {}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def call(identifier: str = "call_1", name: str = "std_read", arguments: str = '{"path": "a"}') -> JSONObject:
    """An assistant's tool call."""
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*made: JSONObject) -> JSONObject:
    """An assistant message of tool calls alone."""
    return {"role": "assistant", "content": None, "tool_calls": list(made)}


def result(identifier: str = "call_1", content: object = "text") -> JSONObject:
    """A tool message."""
    return {"role": "tool", "tool_call_id": identifier, "content": content}


def user(content: object = "hi") -> JSONObject:
    """A user message."""
    return {"role": "user", "content": content}


def tool(name: str = "std_read", parameters: object = None) -> JSONObject:
    """A tool on offer."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}} if parameters is None else parameters
    return {"type": "function", "function": {"name": name, "description": "Reads.", "parameters": schema}}


def body(*messages: JSONObject, **more: object) -> JSONObject:
    """A request with these messages, streamed, with its one tool."""
    return {"model": "m", "messages": list(messages), "stream": True, "tools": [tool()], **more}


def judge(given: JSONObject, wire: OpenAIChat | None = None) -> None:
    """Have the validator look at a body."""
    wire = wire or OpenAIChat()
    wire.check(Request(0, 1, "POST", wire.path, {}, b"", 0.0, body=given))


GOOD: dict[str, JSONObject] = {
    "plain": body(user()),
    "system and developer": body({"role": "system", "content": "a"}, {"role": "developer", "content": "b"}, user()),
    "text parts": body(user([{"type": "text", "text": "hi"}])),
    "image": body(user([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}])),
    "image by address": body(user([{"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}}])),
    "call and result": body(user(), calls(call()), result()),
    "text beside calls": body(user(), {**calls(call()), "content": "Let me see."}, result(), user()),
    "parallel calls answered in any order": body(user(), calls(call("a"), call("b")), result("b"), result("a")),
    "the same id in two turns": body(user(), calls(call("a")), result("a"), calls(call("a")), result("a")),
    "reasoning of a compatible server": body(user(), {**calls(call()), "reasoning_content": "hm"}, result()),
    "usage wanted": body(user(), stream_options={"include_usage": True}),
    "choice": body(user(), tool_choice={"type": "function", "function": {"name": "std_read"}}),
    "limits": body(user(), max_completion_tokens=10, temperature=0.5, reasoning_effort="high"),
    "ends with the assistant": body(user(), {"role": "assistant", "content": "So"}),
    "nested schema": body(
        user(),
        tools=[
            tool(
                "t",
                {
                    "type": "object",
                    "properties": {"a": {"type": "array", "items": {"type": ["string", "null"]}}, "b": {"enum": [1]}},
                    "required": ["a"],
                    "additionalProperties": False,
                },
            )
        ],
    ),
}


@pytest.mark.parametrize("given", GOOD.values(), ids=GOOD)
def test_takes_what_the_api_takes(given: JSONObject) -> None:
    judge(given)


def without(name: str) -> JSONObject:
    """A good body without one of its parameters."""
    return {key: value for key, value in body(user()).items() if key != name}


BAD: dict[str, tuple[JSONObject, str]] = {
    "no model": (without("model"), "Missing required parameter: 'model'"),
    "no messages": (without("messages"), "Missing required parameter: 'messages'"),
    "empty messages": (body(), "'messages': empty array"),
    "unknown parameter": (body(user(), thinking=NOTHING), "Unknown parameter: 'thinking'"),
    "wrong type": (body(user(), stream="yes"), "Invalid value for 'stream'"),
    "true is no number": (body(user(), max_tokens=True), "Invalid value for 'max_tokens'"),
    "no tokens": (body(user(), max_tokens=0), "Invalid value for 'max_tokens'"),
    "both limits": (body(user(), max_tokens=1, max_completion_tokens=1), "at the same time"),
    "usage without a stream": (body(user(), stream=False, stream_options={"include_usage": True}), "'stream_options'"),
    "choice without tools": ({**without("tools"), "tool_choice": "auto"}, "only allowed when 'tools' are specified"),
    "choice of no tool": (
        body(user(), tool_choice={"type": "function", "function": {"name": "x"}}),
        "Tool choice 'x' not found",
    ),
    "unknown role": (body({"role": "human", "content": "hi"}), "Invalid value: 'human'"),
    "unknown message field": (body({**user(), "id": "1"}), "Unknown parameter: 'messages[0].id'"),
    "message is no object": ({**body(), "messages": ["hi"]}, "expected an object, but got a string"),
    "no content": (body({"role": "user"}), "Missing required parameter: 'messages[0].content'"),
    "null content": (body(user(None)), "but got null instead"),
    "number as content": (body(user(3)), "but got an integer instead"),
    "blank text": (body(user(" \n")), "must not be blank"),
    "blank text part": (body(user([{"type": "text", "text": ""}])), "must not be blank"),
    "no parts": (body(user([])), "'messages[0].content': empty array"),
    "unknown part": (body(user([{"type": "tool_result"}])), "Invalid value: 'tool_result'"),
    "unknown part field": (
        body(user([{"type": "text", "text": "a", "cache_control": NOTHING}])),
        "Unknown parameter: 'messages[0].content[0].cache_control'",
    ),
    "empty assistant": (body(user(), {"role": "assistant", "content": None}, user()), "but got null instead"),
    "blank assistant": (body(user(), {"role": "assistant", "content": ""}, user()), "must not be blank"),
    "blank beside calls": (body(user(), {**calls(call()), "content": ""}, result()), "must not be blank"),
    "image in a tool result": (
        body(user(), calls(call()), result(content=[{"type": "image_url", "image_url": {"url": "https://a"}}])),
        "Invalid value: 'image_url'",
    ),
    "image that is none": (
        body(user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}])),
        "unsupported image",
    ),
    "image of a wrong type": (
        body(user([{"type": "image_url", "image_url": {"url": f"data:image/tiff;base64,{PNG}"}}])),
        "unsupported image",
    ),
    "image by file name": (body(user([{"type": "image_url", "image_url": {"url": "a.png"}}])), "data URL"),
    "empty tool result": (body(user(), calls(call()), result(content="")), "must not be blank"),
    "call without a result": (body(user(), calls(call("call_9")), user()), "did not have response messages: call_9"),
    "call without a result at the end": (body(user(), calls(call())), "did not have response messages: call_1"),
    "one of two results": (body(user(), calls(call("a"), call("b")), result("a"), user()), "response messages: b"),
    "user between call and result": (body(user(), calls(call()), user(), result()), "did not have response messages"),
    "two results for a call": (body(user(), calls(call()), result(), result()), "'call_1' is answered already"),
    "result without a call": (body(user(), result()), "must be a response to a preceeding message"),
    "result without an id": (body(user(), calls(call()), {"role": "tool", "content": "a"}), "[2].tool_call_id'"),
    "empty calls": (body(user(), {"role": "assistant", "content": "a", "tool_calls": []}), "tool_calls': empty array"),
    "the same id twice": (body(user(), calls(call(), call()), result()), "'call_1' is there twice"),
    "long id": (body(user(), calls(call("x" * 41)), result("x" * 41)), "at most 40 characters, but got 41"),
    "illegal name called": (body(user(), calls(call(name="std.read")), result()), "does not match pattern"),
    "arguments are an object": (
        body(user(), calls({**call(), "function": {"name": "t", "arguments": NOTHING}}), result()),
        "expected a string, but got an object",
    ),
    "broken arguments": (body(user(), calls(call(arguments='{"a": ')), result()), "not valid JSON"),
    "empty arguments": (body(user(), calls(call(arguments="")), result()), "not valid JSON"),
    "arguments are a list": (body(user(), calls(call(arguments="[]")), result()), "expected a JSON object"),
    "a delta's index sent back": (
        body(user(), calls({**call(), "index": 0}), result()),
        "Unknown parameter: 'messages[1].tool_calls[0].index'",
    ),
    "no tools": (body(user(), tools=[]), "'tools': empty array"),
    "too many tools": (body(user(), tools=[tool(f"t{n}") for n in range(129)]), "array too long"),
    "illegal tool name": (body(user(), tools=[tool("std.read")]), "does not match pattern"),
    "long tool name": (body(user(), tools=[tool("t" * 65)]), "does not match pattern"),
    "the same tool twice": (body(user(), tools=[tool(), tool()]), "'std_read' is there twice"),
    "tool in another API's shape": (body(user(), tools=[{"name": "t", "input_schema": NOTHING}]), "tools[0].type"),
    "schema without a type": (body(user(), tools=[tool("t", NOTHING)]), "schema must be a JSON Schema of 'type"),
    "union at the top": (body(user(), tools=[tool("t", {"type": "object", "anyOf": [NOTHING]})]), "not have anyOf"),
    "array of nothing": (
        body(user(), tools=[tool("t", {"type": "object", "properties": {"a": {"type": "array"}}})]),
        "In context=('properties', 'a'), array schema missing items",
    ),
    "no such type": (
        body(user(), tools=[tool("t", {"type": "object", "properties": {"a": {"type": "str"}}})]),
        "/properties/a/type: 'str' is not a type",
    ),
    "draft 4": (
        body(
            user(), tools=[tool("t", {"type": "object", "properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}})]
        ),
        "exclusiveMinimum: must be a number",
    ),
    "required twice": (
        body(user(), tools=[tool("t", {"type": "object", "required": ["a", "a"]})]),
        "different strings",
    ),
}


@pytest.mark.parametrize(("given", "why"), BAD.values(), ids=BAD)
def test_refuses_what_the_api_refuses(given: JSONObject, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        judge(given)
    assert why in refused.value.message


def test_wants_reasoning_back_where_the_server_does() -> None:
    wire = OpenAIChat(require_reasoning=True)
    judge(body(user(), {**calls(call()), "reasoning_content": "hm"}, result()), wire)
    with pytest.raises(RefusedError, match="must be passed back"):
        judge(body(user(), calls(call()), result()), wire)


def test_takes_extra_names_where_the_server_does() -> None:
    wire = OpenAIChat(extra=frozenset({"reasoning", "cache_control"}))
    judge(body(user([{"type": "text", "text": "a", "cache_control": NOTHING}]), reasoning={"effort": "low"}), wire)


UNREADABLE: list[tuple[bytes, str]] = [
    (b'{"a": "\xff"}', "not valid UTF-8: byte 7"),
    (b'{"a": ', "not valid JSON"),
    (b"[]", "must be an object, not an array"),
    (b'{"a": NaN}', "NaN is not a number"),
    (b'{"a": ["\\ud83d"]}', "lone surrogate"),
    (b'{"\\udc00": 1}', "lone surrogate"),
]


@pytest.mark.parametrize(("raw", "why"), UNREADABLE, ids=[why for _, why in UNREADABLE])
def test_refuses_a_body_that_is_no_json(raw: bytes, why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        parse_body(raw)


def test_reads_a_pair_of_surrogates() -> None:
    assert parse_body(b'{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}
