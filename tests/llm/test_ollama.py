"""How a request is put as ollama's own chat."""

import base64
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from ollama._types import ChatRequest

from panto.json_values import JSONObject, value_at
from panto.llm.client import Clients
from panto.llm.formats.ollama.request import encode
from panto.llm.formats.ollama.schema import readable
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Request, ThinkingLevel, ThinkingStyle
from panto.llm.wire import RequestError
from panto.messages import (
    Assistant,
    Image,
    Message,
    System,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolOutput,
    ToolSchema,
    User,
)
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.llm.test_sendable_properties import histories, received, unmarked
from tests.support.llm.ollama.format import Ollama
from tests.support.llm.request import Request as Received
from tests.support.llm_server import Call, LLMServer, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
CALL = ToolCall("c1", "std.read", {"path": "a"})
WHERE = Endpoint("local", "ollama", "http://127.0.0.1:11434")
NEWER = {"truncate", "shift"}
"""Fields that the server has and its library lacks."""


def body(asked: Request, where: Endpoint = WHERE) -> JSONObject:
    sent = encode(asked, where, ToolNames(tool.name for tool in asked.tools)).body
    judged(sent)
    return sent


def judged(sent: JSONObject) -> None:
    """The library's own type takes the body, and knows each of its fields."""
    known = {key: value for key, value in sent.items() if key not in NEWER}
    assert known.keys() <= ChatRequest.model_fields.keys()
    ChatRequest.model_validate(known)


def messages(*history: Message, **changes: object) -> list[JSONObject]:
    asked = replace(Request("m", (), history, (READ, LIST)), **changes)  # pyright: ignore[reportArgumentType]
    return cast("list[JSONObject]", body(asked)["messages"])


def test_a_plain_request() -> None:
    asked = Request("m", ("One.", " ", "Two."), (user("Hi"),), (READ, LIST), 100, {"temperature": 0.5})
    assert body(asked, replace(WHERE, num_ctx=32768)) == {
        "model": "m",
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": 32768, "num_predict": 100, "temperature": 0.5},
        "tools": [
            {
                "type": "function",
                "function": {"name": "std_list", "description": "List a directory.", "parameters": LIST.parameters},
            },
            {
                "type": "function",
                "function": {"name": "std_read", "description": "Read a file.", "parameters": READ.parameters},
            },
        ],
        "messages": [{"role": "system", "content": "One.\n\nTwo."}, {"role": "user", "content": "Hi"}],
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert body(Request("m", (), (user("Hi"),))) == {
        "model": "m",
        "stream": True,
        "truncate": False,
        "shift": False,
        "messages": [{"role": "user", "content": "Hi"}],
    }


def test_parameters_are_options_unless_they_are_the_requests() -> None:
    given: JSONObject = {"seed": 1, "keep_alive": "5m", "format": "json", "options": {"num_ctx": 9, "top_k": 3}}
    sent = body(request(parameters=given, max_tokens=7), replace(WHERE, num_ctx=8))
    assert sent["options"] == {"num_ctx": 9, "num_predict": 7, "seed": 1, "top_k": 3}
    assert (sent["keep_alive"], sent["format"]) == ("5m", "json")
    assert list(sent)[-2:] == ["tools", "messages"]


@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream", "truncate", "shift"])
def test_some_parameters_are_ours(name: str) -> None:
    with pytest.raises(RequestError, match=name):
        body(request(parameters={name: True}))


@pytest.mark.parametrize(
    ("style", "level", "think"),
    [
        ("switch", "off", False),
        ("switch", "low", True),
        ("switch", "high", True),
        ("budget", "off", False),
        ("budget", "medium", True),
        ("effort", "off", False),
        ("effort", "low", "low"),
        ("effort", "high", "high"),
        ("adaptive", "medium", "medium"),
        ("unknown", "high", None),
        ("none", "high", None),
        ("always", "off", None),
        ("switch", None, None),
    ],
)
def test_how_it_is_told_to_think(style: ThinkingStyle, level: ThinkingLevel | None, think: object) -> None:
    assert body(request(thinking=level, thinking_style=style)).get("think") == think


def test_the_path_and_the_key() -> None:
    asked, names = request(), ToolNames([])
    call = encode(asked, WHERE, names)
    assert (call.path, call.headers) == ("/api/chat", {})
    call = encode(asked, replace(WHERE, base_url="https://ollama.example/api/", api_key="k"), names)
    assert (call.path, call.headers) == ("/chat", {"authorization": "Bearer k"})


def test_calls_and_results() -> None:
    answer = Assistant((Text("Look:"), CALL, ToolCall("c2", "gone.tool", {})), "local/m", "tool_calls")
    results = Tool((ToolOutput("c2", "gone.tool", "no such tool", is_error=True), ToolOutput("c1", "std.read", "text")))
    assert messages(user("Hi"), answer, results)[1:] == [
        {
            "role": "assistant",
            "content": "Look:",
            "tool_calls": [
                {"id": "c1", "function": {"name": "std_read", "arguments": {"path": "a"}}},
                {"id": "c2", "function": {"name": "gone_tool", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "text", "tool_name": "std_read", "tool_call_id": "c1"},
        {"role": "tool", "content": "Error: no such tool", "tool_name": "gone_tool", "tool_call_id": "c2"},
    ]


def test_an_error_that_says_so_is_not_told_twice() -> None:
    results = Tool((ToolOutput("c1", "std.read", "Error: no", is_error=True),))
    assert messages(user("Hi"), Assistant((CALL,)), results)[-1]["content"] == "Error: no"


def test_images() -> None:
    picture = Image("image/png", PNG)
    data = base64.b64encode(PNG).decode()
    assert messages(User((Text("Look"), picture))) == [{"role": "user", "content": "Look", "images": [data]}]
    assert messages(User((picture,))) == [{"role": "user", "content": "", "images": [data]}]
    result = Tool((ToolOutput("c1", "std.read", images=(picture,)),))
    tool, follows = messages(user("Hi"), Assistant((CALL,)), result)[-2:]
    assert tool["content"] == "(see the image below)"
    assert (follows["role"], follows["images"]) == ("user", [data])


def test_images_for_a_model_that_sees_none() -> None:
    (sent,) = messages(User((Text("Look"), Image("image/png", PNG))), sees_images=False)
    assert "images" not in sent
    assert "the model can't see images" in str(sent["content"])
    assert "kind that can't be sent" in str(
        messages(User((Image("image/gif", b"GIF89a" + b"\1\0" * 4),)))[0]["content"]
    )


def test_late_system_messages() -> None:
    late = messages(user("Hi"), Assistant((Text("Yes?"),)), System("New rule."), user("Go"))
    assert late[-1] == {"role": "user", "content": "<system>\nNew rule.\n</system>\n\nGo"}


def test_thinking_goes_back_to_the_model_that_made_it() -> None:
    thought = Thinking("hm", {"field": "thinking"})
    history = (user("Hi"), Assistant((thought, Text("So."), CALL), "local/m"))
    assert messages(*history)[1]["thinking"] == "hm"
    assert "thinking" not in messages(user("Hi"), Assistant((thought, Text("So.")), "other/m"))[1]
    foreign = Thinking("hm", {"field": "reasoning_content"})
    assert "thinking" not in messages(user("Hi"), Assistant((foreign, Text("So.")), "local/m"))[1]


def test_schemas_that_ollama_could_not_read_are_made_readable() -> None:
    given: JSONObject = {
        "$schema": "x",
        "additionalProperties": False,
        "required": ["any"],
        "properties": {
            "any": True,
            "odd": {"type": None, "enum": "a", "required": "all", "description": 3, "anyOf": {}},
            "several": {"type": ["string", "null"], "anyOf": [True, {"type": "string"}]},
            "deep": {"type": "object", "properties": {"any": False}},
        },
    }
    before = deepcopy(given)
    assert readable(given) == {
        "$schema": "x",
        "additionalProperties": False,
        "type": "object",
        "required": ["any"],
        "properties": {
            "any": {},
            "odd": {},
            "several": {"type": ["string", "null"], "anyOf": [{}, {"type": "string"}]},
            "deep": {"type": "object", "properties": {"any": {}}},
        },
    }
    assert given == before
    assert readable({}) == {"type": "object", "properties": {}}
    assert readable({"properties": [], "type": "string"}) == {"type": "object", "properties": {}}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "required", "enum", "anyOf", "items", "description", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "anyOf", "$defs"]), json_values))
def test_whatever_a_schema_holds_it_can_be_read(parameters: JSONObject) -> None:
    tool = ToolSchema("t", "A tool.", parameters)
    Ollama().check(received("ollama", Request("m", (), (user("Hi"),), (tool,))))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_any_history_is_a_valid_chat(history: list[Message]) -> None:
    asked: Received = received("ollama", Request("test-model", ("sys",), tuple(history), (READ, LIST)))
    Ollama().check(asked)
    judged(asked.body)
    roles = [value_at(message, "role") for message in cast("list[object]", asked.body["messages"])]
    assert roles[0] == "system"
    assert ("assistant", "assistant") not in list(pairwise(roles))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_what_is_added_leaves_what_was_sent_as_it_is(history: list[Message]) -> None:
    whole = [*history, user("and now?")]
    if sum(isinstance(part, Image) for message in whole if isinstance(message, User) for part in message.parts) > 20:
        return
    extended = [*whole, Assistant((Text("so"),), "local/test-model"), user("next")]
    first = Request("test-model", ("sys",), tuple(whole), (READ, LIST))
    short, long = (received("ollama", asked).body for asked in (first, replace(first, messages=tuple(extended))))
    sent, grown = (cast("list[object]", unmarked(asked["messages"])) for asked in (short, long))
    assert grown[: len(sent)] == sent


@pytest.mark.parametrize("with_ids", [True, False])
async def test_a_conversation_with_tools(with_ids: bool, clients: Clients) -> None:
    call = Reply(thinking="let me see", tool_calls=[Call("std_read", {"path": "a"}), Call("std_read", {"path": "b"})])
    with LLMServer([call, "Done."], formats=[Ollama(calls_with_ids=with_ids)]) as server:
        where = endpoint("ollama", server, num_ctx=4096)
        answer = await done(request("Hi"), where, clients)
        assert len({call.id for call in answer.calls}) == 2
        results = Tool(tuple(ToolOutput(call.id, call.name, str(call.arguments["path"])) for call in answer.calls))
        await done(request("Hi", answer, results), where, clients)
        second = server.requests[1]
    assert [result.text for result in second.tool_results] == ["a", "b"]
    assert second.at("messages", 2, "thinking") == "let me see"
    assert second.at("options", "num_ctx") == 4096
    judged(second.body)
