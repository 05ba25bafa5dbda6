"""What the validator of generated contents takes and refuses, and what the scripted answers look like."""

import base64
import json
import re
import struct

import httpx
import pytest

from tests.support.llm.checks import JSONObject, RefusedError, objects, value_at
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.gemini.signatures import UNCHECKED, sign
from tests.support.llm.request import Request, ToolResult
from tests.support.llm_server import Call, Failure, LLMServer, Reply, StreamError, Usage

OLD, NEW = "gemini-2.5-flash", "gemini-3.8-flash"
NOTHING: JSONObject = {}
HEADERS = {"content-type": "application/json", "x-goog-api-key": "key"}


def path(model: str = OLD, way: str = "streamGenerateContent?alt=sse") -> str:
    return f"/v1beta/models/{model}:{way}"


def body(*contents: JSONObject, **more: object) -> JSONObject:
    return {"contents": list(contents), **more}


def user(*parts: JSONObject) -> JSONObject:
    return {"role": "user", "parts": list(parts) or [{"text": "hi"}]}


def model(*parts: JSONObject) -> JSONObject:
    return {"role": "model", "parts": list(parts) or [{"text": "hello"}]}


def call(identifier: str = "c1", name: str = "t", signature: str = "", **more: object) -> JSONObject:
    wire: JSONObject = {"functionCall": {"id": identifier, "name": name, "args": {}, **more}}
    return {**wire, "thoughtSignature": signature} if signature else wire


def result(identifier: str = "c1", name: str = "t", **more: object) -> JSONObject:
    return {"functionResponse": {"id": identifier, "name": name, "response": {"output": "text"}, **more}}


def image(media_type: str = "image/png", data: str = "") -> JSONObject:
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 1, 1)).decode()
    return {"inlineData": {"mimeType": media_type, "data": data or png}}


def signed(part: JSONObject) -> JSONObject:
    return {**part, "thoughtSignature": sign(part)}


def declared(*names: str, schema: object = None) -> list[JSONObject]:
    """Tools of these names."""
    more = {} if schema is None else {"parametersJsonSchema": schema}
    return [{"functionDeclarations": [{"name": name, "description": "", **more} for name in names]}]


def thinks(**config: object) -> JSONObject:
    return {"generationConfig": {"thinkingConfig": config}}


def judge(given: JSONObject, name: str = OLD) -> None:
    """Have the validator look at a body."""
    Gemini().check(Request(0, 1, "POST", path(name), HEADERS, b"", 0.0, body=given))


def schema(**properties: object) -> JSONObject:
    return {"type": "object", "properties": properties}


PICTURES = [image()]

GOOD: dict[str, tuple[JSONObject, str]] = {
    "plain": (body(user()), OLD),
    "system": (body(user(), systemInstruction={"parts": [{"text": "You are."}]}), OLD),
    "image": (body(user(image(), {"text": "hi"})), OLD),
    "call and result": (body(user(), model({"text": "a"}, call()), user(result(), {"text": "go on"})), OLD),
    "two calls": (body(user(), model(call("a"), call("b")), user(result("a"), result("b"))), OLD),
    "call without an id": (
        body(user(), model({"functionCall": {"name": "t"}}), user({"functionResponse": {"name": "t", "response": {}}})),
        OLD,
    ),
    "thought": (body(user(), model({"text": "hm", "thought": True}, {"text": "a"}), user()), OLD),
    "signed text": (body(user(), model(signed({"text": "a"}), signed({"text": ""})), user()), NEW),
    "signed call": (body(user(), model(signed(call()), call("b")), user(result(), result("b"))), NEW),
    "unsigned call of the past": (body(user(), model(call()), user(result()), model(), user()), NEW),
    "dummy signature": (body(user(), model(call(signature=UNCHECKED[0])), user(result())), NEW),
    "result with an image": (body(user(), model(signed(call())), user(result(parts=PICTURES))), NEW),
    "tools": (body(user(), tools=declared("t", "a.b:c-d", schema=schema(a={"type": "string"}))), OLD),
    "mode": (body(user(), tools=declared("t"), toolConfig={"functionCallingConfig": {"mode": "NONE"}}), OLD),
    "config": (body(user(), generationConfig={"temperature": 1, "topK": 1, "maxOutputTokens": 9}), OLD),
    "no thinking": (body(user(), **thinks(thinkingBudget=0)), OLD),
    "level": (body(user(), **thinks(thinkingLevel="low", includeThoughts=True)), NEW),
    "minimal": (body(user(), **thinks(thinkingLevel="minimal")), "gemini-3-flash-preview"),
}


@pytest.mark.parametrize(("given", "name"), GOOD.values(), ids=GOOD)
def test_takes_what_the_api_takes(given: JSONObject, name: str) -> None:
    judge(given, name)


BAD: dict[str, tuple[JSONObject, str, str]] = {
    "no contents": (body(), OLD, "contents is not specified"),
    "unknown field": (body(user(), stream=True), OLD, 'Unknown name "stream": Cannot find field.'),
    "unknown field of a part": (body(user({"txt": "a"})), OLD, "Unknown name \"txt\" at 'contents[0].parts[0]'"),
    "unknown field of the config": (body(user(), generationConfig={"stop": []}), OLD, 'Unknown name "stop"'),
    "value out of range": (body(user(), generationConfig={"temperature": 3}), OLD, "generation_config.temperature"),
    "blank system": (body(user(), systemInstruction={"parts": [{"text": " "}]}), OLD, "not blank"),
    "no system": (body(user(), systemInstruction={"parts": []}), OLD, "must include at least one parts field"),
    "another role": (body({"role": "assistant", "parts": [{"text": "a"}]}), OLD, "Please use a valid role"),
    "no parts": (body({"role": "user", "parts": []}), OLD, "must include at least one parts field"),
    "empty text": (body(user({"text": ""})), OLD, "must have a text parameter"),
    "two kinds in one part": (body(user({**image(), "text": "a"})), OLD, "must have one initialized field"),
    "call of the user": (body(user(call())), OLD, "may not hold functionCall"),
    "result of the model": (body(user(), model(result()), user()), OLD, "may not hold functionResponse"),
    "the user thinks": (body(user({"text": "a", "thought": True})), OLD, "only the model thinks"),
    "model first": (body(model(), user()), OLD, "start with a user role"),
    "model last": (body(user(), model()), OLD, "end with a user role"),
    "call without a result": (
        body(user(), model(call()), user()),
        OLD,
        "is equal to the number of function call parts",
    ),
    "one result for two": (body(user(), model(call("a"), call("b")), user(result("a"))), OLD, "is equal to the number"),
    "result without a call": (body(user(result())), OLD, "comes immediately after a function call turn"),
    "results in another order": (
        body(user(), model(call("a"), call("b")), user(result("b"), result("a"))),
        OLD,
        "do not answer the function calls",
    ),
    "result of another name": (body(user(), model(call()), user(result(name="u"))), OLD, "do not answer"),
    "text before the result": (body(user(), model(call()), user({"text": "a"}, result())), OLD, "before all others"),
    "arguments as text": (body(user(), model(call(args="{}")), user(result())), OLD, "google.protobuf.Struct"),
    "response as text": (body(user(), model(call()), user(result(response="a"))), OLD, "google.protobuf.Struct"),
    "illegal name": (body(user(), model(call(name="9t")), user(result(name="9t"))), OLD, "Invalid function name"),
    "image in an old result": (
        body(user(), model(call()), user(result(parts=PICTURES))),
        OLD,
        "not supported for this model",
    ),
    "gif": (body(user(image("image/gif"))), OLD, "Unsupported MIME type: image/gif"),
    "wrong type": (body(user(image("image/jpeg"))), OLD, "Unable to process input image"),
    "no image": (body(user(image(data="aGk="))), OLD, "Unable to process input image"),
    "unsigned call": (body(user(), model(call()), user(result())), NEW, "missing a thought_signature"),
    "only the second signed": (
        body(user(), model(call("a"), signed(call("b"))), user(result("a"), result("b"))),
        NEW,
        "function call `default_api:t` , position 0",
    ),
    "second step unsigned": (
        body(user(), model(signed(call())), user(result()), model(call("b")), user(result("b"))),
        NEW,
        "missing a thought_signature",
    ),
    "changed text": (
        body(user(), model({"text": "b", "thoughtSignature": sign({"text": "a"})}), user()),
        OLD,
        "Corrupted thought signature",
    ),
    "signature moved": (
        body(user(), model({"text": "a"}, {**call(), "thoughtSignature": sign({"text": "a"})}), user(result())),
        NEW,
        "Corrupted thought signature",
    ),
    "the same tool twice": (body(user(), tools=declared("t", "t")), OLD, "Duplicate function declaration found: t"),
    "illegal tool name": (body(user(), tools=declared("-t")), OLD, "Invalid function name"),
    "schema of no object": (body(user(), tools=declared("t", schema={"type": "string"})), OLD, "OBJECT type"),
    "no schema": (body(user(), tools=declared("t", schema=schema(a={"type": "text"}))), OLD, "'text' is not a type"),
    "unknown keyword": (
        body(user(), tools=declared("t", schema=schema(a={"items": {"pattern": "a"}}))),
        OLD,
        "the keyword 'pattern' is not supported",
    ),
    "beside a reference": (
        body(user(), tools=declared("t", schema=schema(a={"$ref": "#/$defs/a", "title": "a"}))),
        OLD,
        "beside $ref",
    ),
    "choice of booleans": (body(user(), tools=declared("t", schema=schema(a={"enum": [True]}))), OLD, "enum"),
    "required, but unknown": (
        body(user(), tools=declared("t", schema={**schema(), "required": ["a"]})),
        OLD,
        "property is not defined: a",
    ),
    "config without tools": (body(user(), toolConfig=NOTHING), OLD, "is set without function_declarations"),
    "unknown mode": (
        body(user(), tools=declared("t"), toolConfig={"functionCallingConfig": {"mode": "auto"}}),
        OLD,
        "function_calling_config.mode",
    ),
    "budget and level": (body(user(), **thinks(thinkingBudget=1, thinkingLevel="low")), NEW, "only one of"),
    "level of an old model": (body(user(), **thinks(thinkingLevel="low")), OLD, "Thinking level is not supported"),
    "unknown level": (body(user(), **thinks(thinkingLevel="off")), NEW, "thinking_level"),
    "level it has not": (body(user(), **thinks(thinkingLevel="minimal")), NEW, "MINIMAL is not supported"),
    "medium of the first": (body(user(), **thinks(thinkingLevel="medium")), "gemini-3-pro", "MEDIUM is not supported"),
    "always thinks": (body(user(), **thinks(thinkingBudget=0)), "gemini-2.5-pro", "Budget 0 is invalid"),
    "too much thinking": (body(user(), **thinks(thinkingBudget=99_999)), OLD, "99999 is invalid"),
}


@pytest.mark.parametrize(("given", "name", "why"), BAD.values(), ids=BAD)
def test_refuses_what_the_api_refuses(given: JSONObject, name: str, why: str) -> None:
    with pytest.raises(RefusedError) as refused:
        judge(given, name)
    assert why in refused.value.message


def test_a_stream_is_asked_for_as_events() -> None:
    with pytest.raises(RefusedError, match="alt=sse"):
        Gemini().check(Request(0, 1, "POST", path(way="streamGenerateContent"), HEADERS, b"", 0.0, body=body(user())))


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
