"""How a request is put as a message, and how thinking finds its way back."""

import base64
from dataclasses import replace
from typing import cast

import pytest

from panto.json_values import JSONObject, object_at, text_at, value_at
from panto.llm.client import Clients
from panto.llm.formats.anthropic.request import DEFAULT_MAX_TOKENS, encode
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Request
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.support.llm_server import Call, LLMServer, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
SOURCE = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
PICTURE = {"type": "image", "source": SOURCE}
CALL = ToolCall("c1", "std.read", {"path": "a"})
RESULT = Tool((ToolOutput("c1", "std.read", "text"),))
MARK = {"cache_control": {"type": "ephemeral"}}


def body(asked: Request) -> JSONObject:
    where = Endpoint("local", "anthropic", "http://127.0.0.1", api_key="k")
    return encode(asked, where, ToolNames(tool.name for tool in asked.tools)).body


def turns(*history: Message) -> list[JSONObject]:
    return cast("list[JSONObject]", body(Request("m", (), history, (READ, LIST)))["messages"])


def test_a_plain_request() -> None:
    asked = Request("m", ("One.", " ", "Two."), (user("Hi"),), (READ, LIST), 100, {"temperature": 0.5})
    assert body(asked) == {
        "model": "m",
        "max_tokens": 100,
        "stream": True,
        "temperature": 0.5,
        "system": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two.", **MARK}],
        "tools": [
            {"name": "std_list", "description": "List a directory.", "input_schema": LIST.parameters},
            {"name": "std_read", "description": "Read a file.", "input_schema": READ.parameters, **MARK},
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", **MARK}]}],
    }


def test_an_answer_is_always_bounded() -> None:
    assert body(request())["max_tokens"] == DEFAULT_MAX_TOKENS


@pytest.mark.parametrize(
    ("base", "path"), [("http://x", "/v1/messages"), ("http://x/v1", "/messages"), ("http://x/v1/", "/messages")]
)
def test_the_path_fits_the_address(base: str, path: str) -> None:
    call = encode(request(), Endpoint("l", "anthropic", base, api_key="k"), ToolNames([]))
    assert call.path == path
    assert call.headers == {"anthropic-version": "2023-06-01", "x-api-key": "k"}


def test_what_changes_comes_last() -> None:
    assert list(body(request(parameters={"top_k": 1})))[-3:] == ["system", "tools", "messages"]


def test_results_and_what_follows_them_are_one_turn() -> None:
    answer = Assistant((Text("Look:"), CALL, ToolCall("c2", "std.list", {})), "local/m", "tool_calls")
    outputs = (
        ToolOutput("c2", "std.list", "no such directory", (Image("image/png", PNG),), is_error=True),
        ToolOutput("c1", "std.read", "", (Image("image/png", PNG),)),
    )
    assert turns(user("Hi"), answer, Tool(outputs[:1]), user("Wait"), Tool(outputs[1:]))[1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "tool_use", "id": "c1", "name": "std_read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "c2", "name": "std_list", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [PICTURE]},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": [{"type": "text", "text": "no such directory"}],
                    "is_error": True,
                },
                {"type": "text", "text": "The images of the tool results above:"},
                PICTURE,
                {"type": "text", "text": "Wait", **MARK},
            ],
        },
    ]


def test_late_system_messages_become_the_users() -> None:
    late = turns(user("Hi"), Assistant((Text("Yes?"),)), System("New rule."), user("Go"))
    assert late[-1]["content"] == [
        {"type": "text", "text": "<system>\nNew rule.\n</system>"},
        {"type": "text", "text": "Go", **MARK},
    ]


def test_the_last_two_turns_of_the_user_are_marked_for_the_cache() -> None:
    sent = turns(user("1"), Assistant((CALL,)), RESULT, Assistant((Text("So."),)), user("2"))
    marked = [value_at(turn, "content", -1, "cache_control") is not None for turn in sent]
    assert marked == [False, False, True, False, True]


def test_a_history_with_calls_needs_tools_though_none_may_be_called() -> None:
    asked = Request("m", (), (user("Hi"), Assistant((CALL,)), RESULT, user("Sum up")))
    sent = body(asked)
    assert value_at(sent, "tools", 0, "name") == "std_read"
    assert sent["tool_choice"] == {"type": "none"}
    assert "tools" not in body(Request("m", (), (user("Hi"),)))


THINKS: JSONObject = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
ADAPTS: JSONObject = {"thinking": {"type": "adaptive"}}


def thoughts(sent: JSONObject, place: int = 1) -> list[JSONObject]:
    """The thinking blocks of a turn that went out."""
    blocks = cast("list[JSONObject]", value_at(sent, "messages", place, "content"))
    return [block for block in blocks if "thinking" in text_at(block, "type")]


async def thought_out(server: LLMServer, clients: Clients, parameters: JSONObject) -> tuple[Request, Endpoint]:
    """A conversation whose answer thought before its call, ready to go on."""
    server.add(Reply("Look:", thinking="let me see", redacted="sealed", tool_calls=[Call("std_read", {"path": "a"})]))
    where = endpoint("anthropic", server)
    asked = request("Hi", max_tokens=4096, parameters=parameters)
    answer = await done(asked, where, clients)
    assert [type(part) for part in answer.parts] == [Thinking, Thinking, Text, ToolCall]
    output = ToolOutput(answer.calls[0].id, "std.read", "text")
    return replace(asked, messages=(*asked.messages, answer, Tool((output,)))), where


@pytest.mark.parametrize("parameters", [THINKS, ADAPTS, {}], ids=["enabled", "adaptive", "unasked"])
async def test_thinking_goes_back_as_it_came(parameters: JSONObject, clients: Clients) -> None:
    with LLMServer([]) as server:
        asked, where = await thought_out(server, clients, parameters)
        server.add("One.", "Two.")
        answer = await done(asked, where, clients)
        later = replace(asked, messages=(*asked.messages, answer, user("More"), user("and more")))
        await done(later, where, clients)
        for sent in server.requests[1:]:
            assert [text_at(block, "type") for block in thoughts(sent.body)] == ["thinking", "redacted_thinking"]
            assert text_at(thoughts(sent.body)[0], "thinking") == "let me see"


async def test_thinking_is_left_out_where_it_no_longer_fits(clients: Clients) -> None:
    """After another system prompt, other tools, an edited history or another model: the server takes each of them."""
    with LLMServer([]) as server:
        asked, where = await thought_out(server, clients, ADAPTS)
        changed = [
            replace(asked, system=("Be verbose.",)),
            replace(asked, tools=(READ,)),
            replace(asked, tools=()),
            replace(asked, messages=(user("Hello"), *asked.messages[1:])),
            replace(asked, model="another-model"),
        ]
        for each in changed:
            server.add("Fine.")
            await done(each, where, clients)
            assert thoughts(server.requests[-1].body) == []


async def test_thinking_that_is_no_longer_asked_for_stays_away(clients: Clients) -> None:
    with LLMServer([]) as server:
        asked, where = await thought_out(server, clients, THINKS)
        server.add("Fine.")
        await done(replace(asked, parameters={}), where, clients)
        assert thoughts(server.requests[-1].body) == []


async def test_thinking_begins_with_the_next_turn_not_within_one(clients: Clients) -> None:
    with LLMServer([Reply(tool_calls=[Call("std_read", {"path": "a"})]), "One.", "Two."]) as server:
        where = endpoint("anthropic", server)
        answer = await done(request("Hi"), where, clients)
        history = ("Hi", answer, Tool((ToolOutput(answer.calls[0].id, "std.read", "text"),)))
        last = await done(request(*history, max_tokens=4096, parameters=THINKS), where, clients)
        assert "thinking" not in server.requests[1].body
        await done(request(*history, last, "Next", max_tokens=4096, parameters=THINKS), where, clients)
        assert object_at(server.requests[2].body, "thinking") == THINKS["thinking"]


async def test_an_answer_that_broke_off_while_thinking_leaves_nothing_behind(clients: Clients) -> None:
    broken = Assistant((Thinking("let me"),), "local/test-model", "error")
    signed = Assistant((Thinking("let me", {"signature": "s"}),), "local/test-model", "error")
    with LLMServer(["Fine."]) as server:
        await done(request("Hi", broken, signed, "Go on"), endpoint("anthropic", server), clients)
        assert [message["role"] for message in cast("list[JSONObject]", server.requests[0].body["messages"])] == [
            "user"
        ]


async def test_signed_thinking_without_words_goes_back_too() -> None:
    where = Endpoint("local", "anthropic", "http://x")
    answer = Assistant((Thinking("", {"signature": "s"}), Text("So.")), "local/m")
    sent = encode(Request("m", (), (user("Hi"), answer, User((Text("Go"),)))), where, ToolNames([])).body
    assert thoughts(sent) == [{"type": "thinking", "thinking": "", "signature": "s"}]
