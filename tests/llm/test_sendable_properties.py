"""Whatever a history holds, each wire format makes a request of it that the strict validators take."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import cast

from hypothesis import HealthCheck, given, settings, strategies as st

from panto.json_values import JSONObject, is_object, value_at
from panto.llm.formats import wire_format
from panto.llm.json_text import to_json
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Quirks, Request
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import LIST, READ, user
from tests.support.llm.anthropic.signatures import seal, sign
from tests.support.llm.checks import parse_body
from tests.support.llm.openai_responses.format import OpenAIResponses
from tests.support.llm.openai_responses.sealing import seal as encrypt
from tests.support.llm_server import Anthropic, OpenAIChat, Request as Received

MODEL = "local/test-model"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4) + b"rest"
WIDE = PNG.replace((30).to_bytes(4), (9000).to_bytes(4))

strange = st.text(
    st.characters(exclude_categories=()) | st.sampled_from(["\ud83d", " ", "\n", "\u2028", "\0"]), max_size=8
)
ids = st.sampled_from(["a", "b", "call_0", "", "functions.read:0", "x" * 70, "ünï", "a" * 41])
names = st.sampled_from(["std.read", "std_read", "", "no such tool!", "n" * 80, "std.list"])
arguments = st.dictionaries(
    st.sampled_from(["path", "n", "x"]) | strange, st.none() | st.integers() | strange, max_size=2
)
images = st.builds(
    Image,
    st.sampled_from(["image/png", "image/jpeg", "image/tiff", ""]),
    st.sampled_from([PNG, WIDE, b"", b"no image", PNG + b"x" * 6_000_000]),
)
signed = strange.map(lambda text: text.encode("utf-8", "replace").decode()).map(
    lambda text: Thinking(text, {"signature": sign(text, b"", asked=False)})
)
asked = st.just(Thinking("hm", {"signature": sign("hm", b""), "asked": True, "prefix": "of another conversation"}))
sealed = st.just(Thinking("", {"redacted": seal("r", asked=False)}))
encrypted = st.sampled_from(["rs_a_0", "rs_b_1"]).map(
    lambda id_: Thinking(
        "hm",
        {
            "item": {"id": id_, "summary": [], "encrypted_content": encrypt("hm", id_, "test-model")},
            "next": [{"type": "message", "id": id_.replace("rs", "msg"), "phase": "commentary"}],
        },
    )
)
plain = st.sampled_from([Thinking("hm", {"field": "reasoning_content"}), Thinking("cut off"), Thinking("")])
calls = st.builds(ToolCall, ids, names, arguments, problem=st.sampled_from(["", "its arguments were cut off"]))

users = st.lists(strange.map(Text) | images, max_size=3).map(lambda parts: User(tuple(parts)))
assistants = st.builds(
    Assistant,
    st.lists(strange.map(Text) | signed | asked | sealed | encrypted | plain | calls, max_size=5).map(tuple),
    st.sampled_from([MODEL, "other/model"]),
    st.sampled_from(["end", "tool_calls", "length", "error", "cancelled", "unknown"]),
)
outputs = st.builds(
    ToolOutput,
    ids,
    names,
    strange,
    st.lists(images, max_size=2).map(tuple),
    is_error=st.booleans(),
    stopped=st.booleans(),
)
tools = st.lists(outputs, max_size=3).map(lambda parts: Tool(tuple(parts)))
histories = st.lists(users | assistants | tools | strange.map(System), max_size=8)

thinking = st.sampled_from(
    [{}, {"thinking": {"type": "enabled", "budget_tokens": 1024}}, {"thinking": {"type": "adaptive"}}]
)
PLAIN = Quirks()
STRICT = Quirks(assistant_after_tools=True, replay_reasoning=False, call_id=r"[a-zA-Z0-9]{9}")
LOOSE = Quirks(merge_users=False, late_system=True)


def received(api: str, request: Request, quirks: Quirks = PLAIN) -> Received:
    """The request as the server gets it."""
    where = Endpoint("local", api, "http://127.0.0.1/v1", api_key="key", quirks=quirks)
    call = wire_format(api)(request, where, ToolNames(tool.name for tool in request.tools))
    raw = to_json(call.body)
    headers = {"content-type": "application/json", **call.headers}
    return Received(0, 0, "POST", call.path, headers, raw, 0.0, body=parse_body(raw))


def openai_roles(body: JSONObject) -> list[str]:
    return [str(value_at(message, "role")) for message in cast("list[object]", body["messages"])]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.sampled_from([PLAIN, STRICT, LOOSE]))
def test_any_history_is_a_valid_chat_completion(history: list[Message], quirks: Quirks) -> None:
    request = received("openai-chat", Request("test-model", ("sys",), tuple(history), (READ, LIST)), quirks)
    OpenAIChat().check(request)
    roles = openai_roles(request.body)
    assert roles[0] == "system"
    assert next(role for role in roles if role != "system") == "user"
    assert roles[-1] != "assistant"
    pairs = list(pairwise(roles))
    assert ("assistant", "assistant") not in pairs
    if quirks.merge_users:
        assert ("user", "user") not in pairs
    if quirks.assistant_after_tools:
        assert ("tool", "user") not in pairs
    if not quirks.late_system:
        assert "system" not in roles[1:]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, thinking, st.booleans())
def test_any_history_is_a_valid_message(history: list[Message], parameters: JSONObject, with_tools: bool) -> None:
    tools = (READ, LIST) if with_tools else ()
    request = received("anthropic", Request("test-model", ("sys",), tuple(history), tools, parameters=parameters))
    Anthropic().check(request)
    roles = openai_roles(request.body)
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.sampled_from([PLAIN, LOOSE]), st.booleans())
def test_any_history_is_a_valid_input_of_a_response(history: list[Message], quirks: Quirks, sees_images: bool) -> None:
    asked = Request("test-model", ("sys",), tuple(history), (READ, LIST), sees_images=sees_images)
    request = received("openai-responses", asked, quirks)
    OpenAIResponses().check(request)
    items = cast("list[object]", request.body["input"])
    assert next(role for item in items if (role := value_at(item, "role")) != "system") == "user"
    assert value_at(items[-1], "role") in ("user", "system") or value_at(items[-1], "type") == "function_call_output"
    assert sees_images or b"input_image" not in request.raw


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.sampled_from(["openai-chat", "openai-responses", "anthropic"]))
def test_what_is_added_leaves_what_was_sent_as_it_is(history: list[Message], api: str) -> None:
    """The beginning of the next request is this one, so that caches hit."""
    whole = [*history, user("and now?")]
    answered = [*whole, Assistant((Text("so"), ToolCall("z9", "std.read", {"path": "a"})), MODEL, "tool_calls")]
    extended = [*answered, Tool((ToolOutput("z9", "std.read", "text"),)), user("next")]
    first = Request("test-model", ("sys",), tuple(whole), (READ, LIST))
    if sum(isinstance(part, Image) for message in whole if isinstance(message, User) for part in message.parts) > 20:
        return
    short, long = (received(api, request).body for request in (first, replace(first, messages=tuple(extended))))
    turns = "input" if api == "openai-responses" else "messages"
    sent, grown = (cast("list[object]", unmarked(body[turns])) for body in (short, long))
    assert grown[: len(sent)] == sent
    assert list(short) == list(long)
    assert {key: short[key] for key in short if key != turns} == {key: long[key] for key in long if key != turns}


def unmarked(value: object) -> object:
    """Without cache marks, which say where a prefix ends and are no part of it."""
    if is_object(value):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in cast("list[object]", value)] if isinstance(value, list) else value


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_the_history_itself_stays_as_it_is(history: list[Message]) -> None:
    before = json.dumps(repr(history))
    received("anthropic", Request("test-model", (), tuple(history), (READ,)))
    received("openai-chat", Request("test-model", (), tuple(history), (READ,)))
    received("openai-responses", Request("test-model", (), tuple(history), (READ,)))
    assert json.dumps(repr(history)) == before
