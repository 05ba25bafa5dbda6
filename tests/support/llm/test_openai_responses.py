"""What the responses validator takes and refuses, and what the answers look like."""

import json
import re

import pytest

from tests.support.llm.checks import JSONObject, RefusedError, objects, value_at
from tests.support.llm.openai_responses.format import OpenAIResponses
from tests.support.llm.openai_responses.sealing import seal
from tests.support.llm.request import Request
from tests.support.llm.script import Call, Reply, Usage

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE: JSONObject = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"}


def user(*parts: object) -> JSONObject:
    return {"type": "message", "role": "user", "content": list(parts) or [{"type": "input_text", "text": "hi"}]}


def call(identifier: str = "call_1", arguments: object = '{"path": "a"}', **more: object) -> JSONObject:
    return {"type": "function_call", "call_id": identifier, "name": "std_read", "arguments": arguments, **more}


def result(identifier: str = "call_1", output: object = "text") -> JSONObject:
    return {"type": "function_call_output", "call_id": identifier, "output": output}


def reasoning(identifier: str = "rs_stem_0", sealed: str | None = None, **more: object) -> JSONObject:
    encrypted = seal("hm", identifier, "m") if sealed is None else sealed
    return {"type": "reasoning", "id": identifier, "summary": [], "encrypted_content": encrypted, **more}


def said(**more: object) -> JSONObject:
    return {"type": "message", "role": "assistant", "content": "So.", **more}


def tool(name: str = "std_read", **more: object) -> JSONObject:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"type": "function", "name": name, "parameters": schema, "strict": False, **more}


def body(*items: object, **more: object) -> JSONObject:
    return {"model": "m", "input": list(items), "stream": True, "store": False, "tools": [tool()], **more}


def judge(given: JSONObject, wire: OpenAIResponses | None = None) -> None:
    wire = wire or OpenAIResponses()
    wire.check(Request(0, 1, "POST", wire.path, {}, b"", 0.0, body=given))


GOOD: dict[str, JSONObject] = {
    "plain": body(user()),
    "text alone": {"model": "m", "input": "hi"},
    "system": body({"type": "message", "role": "system", "content": "a"}, user()),
    "image": body(user({"type": "input_text", "text": "look"}, IMAGE)),
    "call and result": body(user(), call(), result()),
    "image in a result": body(user(), call(), result(output=[{"type": "input_text", "text": "a"}, IMAGE])),
    "parallel calls answered in any order": body(user(), call("a"), call("b"), result("b"), result("a")),
    "reasoning with what it led to": body(user(), reasoning(), call(id="fc_stem_1"), result()),
    "reasoning in two parts": body(user(), reasoning(), reasoning("rs_stem_1"), call(id="fc_stem_0"), result()),
    "an answer without ids": body(user(), said(), user()),
    "thinking": body(user(), reasoning={"effort": "low", "summary": "auto"}, include=["reasoning.encrypted_content"]),
}


@pytest.mark.parametrize("given", GOOD.values(), ids=GOOD)
def test_takes_what_the_api_takes(given: JSONObject) -> None:
    judge(given)


BAD: dict[str, tuple[JSONObject, str]] = {
    "no input": ({"model": "m"}, "Missing required parameter: 'input'"),
    "nothing": (body(), "'input': empty array"),
    "another API's parameter": (body(user(), max_tokens=10), "Unknown parameter: 'max_tokens'"),
    "too little": (body(user(), max_output_tokens=10), "Invalid value for 'max_output_tokens'"),
    "a long cache key": (body(user(), prompt_cache_key="x" * 65), "Invalid value for 'prompt_cache_key'"),
    "no such effort": (body(user(), reasoning={"effort": "off"}), "'reasoning.effort'"),
    "unknown item": (body({"type": "thought"}), "Invalid value: 'thought'"),
    "unknown field": (body({**user(), "name": "a"}), "Unknown parameter: 'input[0].name'"),
    "unknown role": (body({**user(), "role": "tool"}), "Invalid value: 'tool'"),
    "another API's part": (body(user({"type": "text", "text": "a"})), "Invalid value: 'text'"),
    "blank text": (body(user({"type": "input_text", "text": " "})), "must not be blank"),
    "no image": (body(user({**IMAGE, "image_url": "data:image/png;base64,aGk="})), "unsupported image"),
    "call without a result": (body(user(), call()), "No tool output found for function call call_1"),
    "result without a call": (
        body(user(), result()),
        "No tool call found for function call output with call_id call_1",
    ),
    "the same call twice": (body(user(), call(), call(), result()), "Duplicate item found with call_id call_1"),
    "broken arguments": (body(user(), call(arguments="{"), result()), "not valid JSON"),
    "decoded arguments": (body(user(), call(arguments={}), result()), "expected a string, but got an object"),
    "long id": (body(user(), call("x" * 65), result("x" * 65)), "at most 64 characters"),
    "an id of something else": (body(user(), call(id="call_1"), result()), "begins with 'fc_'"),
    "empty result": (body(user(), call(), result(output="")), "must not be blank"),
    "reasoning in clear": (body(user(), reasoning(sealed=""), said(id="msg_stem_0")), "Items are not persisted"),
    "reasoning of another": (body(user(), reasoning(sealed="Zm9v"), said()), "could not be verified"),
    "reasoning at the end": (body(user(), reasoning()), "without its required following item"),
    "reasoning before the user": (body(user(), reasoning(), user()), "without its required following item"),
    "reasoning with something else behind it": (
        body(user(), reasoning(), call(id="fc_other_1"), result()),
        "without its required following item",
    ),
    "its id without the reasoning": (body(user(), call(id="fc_stem_1"), result()), "without its required 'reasoning'"),
    "tools of the other API": (
        body(user(), tools=[{"type": "function", "function": {"name": "t", "parameters": dict[str, object]()}}]),
        "Missing required parameter: 'tools[0].name'",
    ),
    "strict unless told otherwise": (
        body(user(), tools=[{key: value for key, value in tool().items() if key != "strict"}]),
        "'additionalProperties' is required",
    ),
    "the same tool twice": (body(user(), tools=[tool(), tool()]), "'std_read' is there twice"),
}


@pytest.mark.parametrize(("given", "why"), BAD.values(), ids=BAD)
def test_refuses_what_the_api_refuses(given: JSONObject, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        judge(given)
    assert why in refused.value.message


def test_wants_phases_back_where_the_model_has_them() -> None:
    none: list[object] = []
    content = [{"type": "output_text", "text": "So.", "annotations": none}]
    without = body(user(), said(id="msg_1", content=content), user())
    judge(without)
    with pytest.raises(RefusedError, match="phase"):
        judge(without, OpenAIResponses(phases=True))
    judge(body(user(), said(id="msg_1", content=content, phase="final_answer")), OpenAIResponses(phases=True))


def asked(**more: object) -> Request:
    return Request(0, 1, "POST", "/v1/responses", {}, b"x" * 40, 0.0, body=body(user(), **more))


def streamed(reply: Reply, request: Request) -> list[JSONObject]:
    stream = OpenAIResponses().stream(reply, request)
    data = b"".join(item for item in [*stream.content, *stream.ending] if isinstance(item, bytes)).decode()
    events: list[JSONObject] = [json.loads(line) for line in re.findall(r"^data: (.*)$", data, re.MULTILINE)]
    assert re.findall(r"^event: (.*)$", data, re.MULTILINE) == [event["type"] for event in events]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    return events


def test_an_answer_is_told_item_by_item_and_as_a_whole() -> None:
    reply = Reply("Look there", thinking="hm", tool_calls=[Call("std_read", {"path": "a"}, "c1")], usage=Usage(9, 4, 3))
    events = streamed(reply, asked(include=["reasoning.encrypted_content"]))
    kinds = [str(event["type"]).removeprefix("response.") for event in events]
    assert kinds[:4] == ["created", "in_progress", "output_item.added", "reasoning_summary_part.added"]
    assert kinds.count("output_text.delta") == 2
    assert kinds[-3:] == ["function_call_arguments.done", "output_item.done", "completed"]
    response = events[-1]["response"]
    closed = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert value_at(response, "output") == closed
    assert [item["type"] for item in objects(value_at(response, "output"))] == ["reasoning", "message", "function_call"]
    assert value_at(response, "usage", "input_tokens_details", "cached_tokens") == 3
    judge(body(user(), *objects(closed)[:1], *objects(closed)[2:], result("c1")))  # and all of it can come back


def test_reasoning_is_encrypted_only_if_asked_for() -> None:
    include = ["reasoning.encrypted_content"]
    for request, there in ((asked(), False), (asked(include=include), True)):
        items = [event["item"] for event in streamed(Reply(thinking="hm"), request) if "item" in event]
        assert [value_at(item, "encrypted_content") is not None for item in items] == [there, there]


@pytest.mark.parametrize(
    ("stop", "kind", "reason"),
    [
        ("end", "completed", None),
        ("length", "incomplete", "max_output_tokens"),
        ("refusal", "incomplete", "content_filter"),
        ("boredom", "incomplete", "boredom"),
    ],
)
def test_how_it_ends(stop: str, kind: str, reason: str | None) -> None:
    end = streamed(Reply("a", stop=stop), asked())[-1]
    assert end["type"] == f"response.{kind}"
    assert value_at(end, "response", "incomplete_details", "reason") == reason
    whole = OpenAIResponses().whole(Reply("a", stop=stop), asked())
    assert (whole["object"], whole["status"]) == ("response", kind)


def test_what_a_request_says() -> None:
    given = body(
        user(), said(), call("c"), result("c", [{"type": "input_text", "text": "found"}]), instructions="rules"
    )
    reading = OpenAIResponses().read(Request(0, 1, "POST", "/v1/responses", {}, b"", 0.0, body=given))
    assert (reading.system, reading.user_texts, reading.assistant_texts) == ("rules", ["hi"], ["So."])
    assert reading.tool_names == ["std_read"]
    assert [(found.id, found.text) for found in reading.tool_results] == [("c", "found")]
