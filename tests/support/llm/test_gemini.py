"""What the validator of generated contents takes and refuses."""

import pytest

from tests.support.llm.checks import JSONObject, RefusedError
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.gemini.signatures import UNCHECKED, sign
from tests.support.llm.gemini_requests import (
    HEADERS,
    NEW,
    NOTHING,
    OLD,
    body,
    call,
    declared,
    image,
    judge,
    model,
    path,
    result,
    schema,
    signed,
    thinks,
    user,
)
from tests.support.llm.request import Request

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
