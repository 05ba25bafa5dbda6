"""What the validator of the Converse API takes and refuses, and that its frames are what botocore reads."""

import json
from collections.abc import Sequence
from typing import cast

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import EventStreamBuffer
from botocore.model import StructureShape
from hypothesis import given as drawn, strategies as st

from tests.support.llm.bedrock.checks import service
from tests.support.llm.bedrock.format import EVENTS, FAILURES, Bedrock
from tests.support.llm.bedrock.frames import event, exception, frame
from tests.support.llm.bedrock.signatures import Keys
from tests.support.llm.checks import JSONObject, RefusedError, value_at
from tests.support.llm.request import Request
from tests.support.llm.script import Call, Reply, Usage

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CLAUDE, NOVA, LLAMA = "us.anthropic.claude-x-v1:0", "amazon.nova-pro-v1:0", "meta.llama-v1:0"
POINT: JSONObject = {"cachePoint": {"type": "default"}}
JSON = {"content-type": "application/json"}


def asked(body: JSONObject, model: str = CLAUDE, headers: dict[str, str] | None = None) -> Request:
    """A request with this body."""
    path = f"/model/{model.replace(':', '%3A')}/converse-stream"
    return Request(0, 1, "POST", path, headers or JSON, json.dumps(body).encode(), 0.0, body=body)


def user(*content: object) -> JSONObject:
    """A user's message."""
    return {"role": "user", "content": list(content) or [{"text": "hi"}]}


def use(identifier: str = "c1", name: str = "t", given: object = None) -> JSONObject:
    """A call of a tool."""
    return {"toolUse": {"toolUseId": identifier, "name": name, "input": {} if given is None else given}}


def said(*content: object) -> JSONObject:
    """An answer."""
    return {"role": "assistant", "content": list(content)}


def result(identifier: str = "c1", text: str = "text", **more: object) -> JSONObject:
    """What came of a call."""
    return {"toolResult": {"toolUseId": identifier, "content": [{"text": text}], **more}}


def image(data: str = PNG, kind: str = "png") -> JSONObject:
    """An image."""
    return {"image": {"format": kind, "source": {"bytes": data}}}


def tool(name: str = "t", schema: object = None, **more: object) -> JSONObject:
    """A tool on offer."""
    return {
        "toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"} if schema is None else schema}, **more}
    }


def body(*messages: object, tools: Sequence[object] = (tool(),), **more: object) -> JSONObject:
    """A request with these messages."""
    config = {"toolConfig": {"tools": list(tools)}} if tools else {}
    return {"messages": list(messages), **config, **more}


def thinks(budget: object, limit: object, *messages: object) -> JSONObject:
    """A request that asks for thinking."""
    fields = {"thinking": {"type": "enabled", "budget_tokens": budget}}
    return body(*messages or (user(),), inferenceConfig={"maxTokens": limit}, additionalModelRequestFields=fields)


THOUGHT: JSONObject = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}

GOOD: dict[str, JSONObject] = {
    "plain": body(user(), tools=()),
    "system and cache points": body(user({"text": "a"}, POINT), tools=[tool(), POINT], system=[{"text": "b"}, POINT]),
    "image": body(user(image())),
    "call and result": body(user(), said({"text": "a"}, use()), user(result(status="error"), {"text": "b"})),
    "two calls": body(user(), said(use("a"), use("b")), user(result("b"), result("a"))),
    "thinking": thinks(1024, 2000, user(), said(THOUGHT, use()), user(result())),
    "redacted": body(user(), said({"reasoningContent": {"redactedContent": "YQ=="}}, {"text": "a"}), user()),
}


@pytest.mark.parametrize("given", GOOD.values(), ids=GOOD)
def test_takes(given: JSONObject) -> None:
    Bedrock().check(asked(given))


BAD: dict[str, JSONObject] = {
    "no messages": body(),
    "unknown field": body(user(), stream=True),
    "unknown block": body(user({"type": "text", "text": "a"})),
    "two kinds in one block": body(user({"text": "a", **image()})),
    "content as text": body({"role": "user", "content": "a"}),
    "no content": body({"role": "user", "content": []}),
    "nothing but a cache point": body(user(POINT)),
    "blank text": body(user({"text": " "})),
    "blank system": body(user(), system=[{"text": ""}]),
    "late system": body(user(), {"role": "system", "content": [{"text": "a"}]}),
    "image of another kind": body(user(image(kind="jpeg"))),
    "image that is none": body(user(image("AAAA"))),
    "image of the model": body(user(), said(image()), user()),
    "call of the user": body(user(use())),
    "an id that is none": body(user(), said(use("a b")), user(result("a b"))),
    "a name that is none": body(user(), said(use(name="a.b")), user(result())),
    "input as text": body(user(), said(use(given="{}")), user(result())),
    "call without result": body(user(), said(use()), user()),
    "result of nothing": body(user(result())),
    "result of another": body(user(), said(use()), user(result("c2"))),
    "two calls of one id": body(user(), said(use(), use()), user(result(), result())),
    "blank result": body(user(), said(use()), user(result(text=" "))),
    "unknown status": body(user(), said(use()), user(result(status="maybe"))),
    "calls without tools": body(user(), said(use()), user(result()), tools=()),
    "no tools in the config": body(user(), toolConfig={"tools": []}),
    "two tools of one name": body(user(), tools=[tool(), tool()]),
    "blank description": body(user(), tools=[tool(description="")]),
    "schema of no object": body(user(), tools=[tool(schema={"type": "string"})]),
    "broken schema": body(user(), tools=[tool(schema={"type": "object", "properties": {"a": {"type": "text"}}})]),
    "the model first": body(said({"text": "a"}), user()),
    "the model last": body(user(), said({"text": "a"})),
    "twice the user": body(user(), user()),
    "too many cache points": body(*[user({"text": "a"}, *[POINT] * 5)]),
    "temperature of 2": body(user(), inferenceConfig={"temperature": "2"}),
    "budget too small": thinks(1023, 2000),
    "budget above the limit": thinks(2000, 2000),
    "goes on without thinking": thinks(1024, 2000, user(), said(use()), user(result())),
}


@pytest.mark.parametrize("given", BAD.values(), ids=BAD)
def test_refuses(given: JSONObject) -> None:
    with pytest.raises(RefusedError):
        Bedrock().check(asked(given))


def test_cache_points_are_for_families_that_take_them() -> None:
    in_messages, in_tools = body(user({"text": "a"}, POINT)), body(user(), tools=[tool(), POINT])
    Bedrock().check(asked(in_messages, NOVA))
    Bedrock().check(asked(in_tools, CLAUDE))
    for given, model in ((in_tools, NOVA), (in_messages, LLAMA), (in_tools, LLAMA)):
        with pytest.raises(RefusedError):
            Bedrock().check(asked(given, model))


def test_a_body_says_that_it_is_json() -> None:
    with pytest.raises(RefusedError):
        Bedrock().check(asked(body(user()), headers={"content-type": "text/plain"}))


def test_reads_what_a_request_says() -> None:
    given = body(user(), said({"text": "look"}, use()), user(result(status="error"), {"text": "go"}))
    reading = Bedrock().read(asked({**given, "system": [{"text": "sys"}, POINT]}))
    assert (reading.system, reading.user_texts, reading.assistant_texts) == ("sys", ["hi", "go"], ["look"])
    assert (reading.tool_names, reading.model) == (["t"], CLAUDE)
    assert [tuple(item) for item in reading.tool_results] == [("c1", "text", True)]
    assert Bedrock().read(asked({"messages": 3})).user_texts == []


headers = st.dictionaries(st.text("abc:-", min_size=1, max_size=9), st.text(max_size=9), max_size=3)


@drawn(st.lists(st.tuples(headers, st.binary(max_size=99)), max_size=4))
def test_frames_are_what_botocore_reads(frames: list[tuple[dict[str, str], bytes]]) -> None:
    assert read(b"".join(frame(head, payload) for head, payload in frames)) == frames


def read(data: bytes) -> list[tuple[dict[str, str], bytes]]:
    """Headers and payloads, as botocore takes them apart."""
    buffer = EventStreamBuffer()
    buffer.add_data(data)
    return [(cast("dict[str, str]", cast("object", message.headers)), message.payload) for message in buffer]


def test_events_and_exceptions_are_named_as_botocore_wants() -> None:
    (first, _), (second, _) = read(event("messageStop", b"{}") + exception("throttlingException", b"{}"))
    assert (first[":message-type"], first[":event-type"]) == ("event", "messageStop")
    assert (second[":message-type"], second[":exception-type"]) == ("exception", "throttlingException")


def answer(reply: Reply) -> list[tuple[str, JSONObject]]:
    """A reply's stream, as botocore takes it apart."""
    stream = Bedrock().stream(reply, asked(body(user())))
    data = b"".join(cast("Sequence[bytes]", [*stream.content, *stream.ending]))
    return [(headers[":event-type"], json.loads(payload)) for headers, payload in read(data)]


def test_answers_have_the_shape_that_the_service_says() -> None:
    reply = Reply("Hi you", "hm", [Call("t", {"a": 1})], redacted="x", usage=Usage(10, 3, cached=6, cache_write=1))
    found = answer(reply)
    output = cast("StructureShape", service().shape_for("ConverseStreamOutput"))
    for kind, payload in found:
        shape = cast("StructureShape", output.members[kind])
        assert kind in EVENTS
        assert payload.keys() <= {"p", *shape.members}
        assert set(shape.required_members) <= payload.keys()
    deltas = [value_at(payload, "delta") for kind, payload in found if kind == "contentBlockDelta"]
    assert "".join(str(value_at(delta, "text") or "") for delta in deltas) == "Hi you"
    assert found[-2][1]["stopReason"] == "tool_use"
    assert value_at(found[-1][1], "usage", "inputTokens") == 3
    whole = Bedrock().whole(reply, asked(body(user())))
    assert value_at(whole, "output", "message", "content", 1, "toolUse", "input") == {"a": 1}


def signed(keys: Keys, given: JSONObject, region: str = "us-east-1", service_name: str = "bedrock") -> Request:
    """A request that botocore signed."""
    request = asked(given)
    whole = AWSRequest("POST", f"http://127.0.0.1:1{request.path}", headers=JSON, data=request.raw)
    SigV4Auth(Credentials(keys.access, keys.secret, keys.token or None), service_name, region).add_auth(whole)
    request.headers = {"host": "127.0.0.1:1", **{name.lower(): str(value) for name, value in whole.headers.items()}}
    return request


RIGHT = Keys("AKID", "secret", "token")


def test_a_right_signature_is_taken() -> None:
    Bedrock(RIGHT).authorise(signed(RIGHT, body(user())), None)
    plain = Keys("AKID", "secret")
    Bedrock(plain).authorise(signed(plain, body(user())), None)


@pytest.mark.parametrize(
    "wrong",
    [
        signed(Keys("AKIE", "secret", "token"), body(user())),
        signed(Keys("AKID", "Secret", "token"), body(user())),
        signed(Keys("AKID", "secret", "tokem"), body(user())),
        signed(RIGHT, body(user()), region="us-east-2"),
        signed(RIGHT, body(user()), service_name="s3"),
        asked(body(user())),
    ],
)
def test_a_wrong_signature_is_refused(wrong: Request) -> None:
    with pytest.raises(RefusedError) as caught:
        Bedrock(RIGHT).authorise(wrong, None)
    assert caught.value.status == 403


def test_what_was_changed_after_signing_is_refused() -> None:
    changed = signed(RIGHT, body(user()))
    changed.raw += b" "
    with pytest.raises(RefusedError):
        Bedrock(RIGHT).authorise(changed, None)
    moved = signed(RIGHT, body(user()))
    moved.path = moved.path.replace("claude", "clause")
    with pytest.raises(RefusedError):
        Bedrock(RIGHT).authorise(moved, None)


def test_a_bearers_key() -> None:
    Bedrock().authorise(asked(body(user()), headers={"authorization": "Bearer k"}), "k")
    with pytest.raises(RefusedError):
        Bedrock().authorise(asked(body(user())), "k")


@pytest.mark.parametrize("kind", FAILURES)
def test_errors_are_named_in_a_header(kind: str) -> None:
    failure = Bedrock().failure(kind, "boom")  # pyright: ignore[reportArgumentType] - a key of the table
    assert failure.body == {"message": "boom"}
    assert failure.headers["x-amzn-errortype"].startswith(f"{FAILURES[kind][1]}:")  # pyright: ignore[reportArgumentType]
