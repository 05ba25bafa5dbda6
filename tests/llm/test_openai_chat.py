"""How a request is put as a chat completion."""

import base64
from typing import cast

from panto.json_values import JSONObject, value_at
from panto.llm.client import Clients
from panto.llm.formats.openai_chat.request import encode
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Quirks, Request
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.support.llm_server import Call, LLMServer, OpenAIChat, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
DATA = base64.b64encode(PNG).decode()
PICTURE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
CALL = ToolCall("c1", "std.read", {"path": "a"})


def body(asked: Request, quirks: Quirks | None = None) -> JSONObject:
    where = Endpoint("local", "openai-chat", "http://127.0.0.1/v1", api_key="k", quirks=quirks or Quirks())
    return encode(asked, where, ToolNames(tool.name for tool in asked.tools)).body


def messages(*history: Message, quirks: Quirks | None = None) -> list[JSONObject]:
    return cast("list[JSONObject]", body(Request("m", (), history, (READ, LIST)), quirks)["messages"])


def test_a_plain_request() -> None:
    asked = Request("m", ("One.", " ", "Two."), (user("Hi"),), (READ, LIST), 100, {"temperature": 0.5})
    assert body(asked) == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0.5,
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
    quirks = Quirks(stream_options=False)
    assert body(Request("m", (), (user("Hi"),)), quirks) == {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "Hi"}],
    }


def test_what_changes_comes_last() -> None:
    assert list(body(request(max_tokens=9, parameters={"seed": 1})))[-2:] == ["tools", "messages"]


def test_the_key_is_a_bearer_token() -> None:
    asked, names = request(), ToolNames([])
    assert encode(asked, Endpoint("l", "a", "http://x", api_key="k"), names).headers == {"authorization": "Bearer k"}
    assert encode(asked, Endpoint("l", "a", "http://x"), names).headers == {}


def test_the_bound_of_an_answer_has_two_names() -> None:
    quirks = Quirks(max_tokens_field="max_completion_tokens")
    sent = body(request(max_tokens=7), quirks)
    assert (sent.get("max_completion_tokens"), "max_tokens" in sent) == (7, False)


def test_calls_and_results() -> None:
    answer = Assistant((Text("Look:"), CALL, ToolCall("c2", "gone.tool", {})), "local/m", "tool_calls")
    results = Tool((ToolOutput("c2", "gone.tool", "no such tool", is_error=True), ToolOutput("c1", "std.read", "text")))
    assert messages(user("Hi"), answer, results)[1:] == [
        {
            "role": "assistant",
            "content": "Look:",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "std_read", "arguments": '{"path":"a"}'}},
                {"id": "c2", "type": "function", "function": {"name": "gone_tool", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no such tool"},
    ]


def test_an_error_that_says_so_is_not_told_twice() -> None:
    results = Tool((ToolOutput("c1", "std.read", "Error: no", is_error=True),))
    assert messages(user("Hi"), Assistant((CALL,)), results)[-1]["content"] == "Error: no"


def test_images() -> None:
    picture = Image("image/png", PNG)
    assert messages(User((Text("Look"), picture))) == [
        {"role": "user", "content": [{"type": "text", "text": "Look"}, PICTURE]}
    ]
    result = Tool((ToolOutput("c1", "std.read", images=(picture,)),))
    tool, follows = messages(user("Hi"), Assistant((CALL,)), result)[-2:]
    assert tool == {"role": "tool", "tool_call_id": "c1", "content": "(see the image below)"}
    assert value_at(follows, "role") == "user"
    assert value_at(follows, "content", 1) == PICTURE


def test_late_system_messages() -> None:
    late = (user("Hi"), Assistant((Text("Yes?"),)), System("New rule."), user("Go"))
    assert messages(*late)[-1] == {"role": "user", "content": "<system>\nNew rule.\n</system>\n\nGo"}
    kept = messages(*late, quirks=Quirks(late_system=True))
    assert kept[-2:] == [{"role": "system", "content": "New rule."}, {"role": "user", "content": "Go"}]


def test_a_bridge_between_results_and_the_user() -> None:
    history = (user("Hi"), Assistant((CALL,)), Tool((ToolOutput("c1", "std.read", "text"),)), user("Stop"))
    roles = [message["role"] for message in messages(*history, quirks=Quirks(assistant_after_tools=True))]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]


THOUGHT = Thinking("hm", {"field": "reasoning_content"})


def test_reasoning_goes_back_with_calls_to_the_model_that_made_it() -> None:
    results = Tool((ToolOutput("c1", "std.read", "text"),))
    history = (user("Hi"), Assistant((THOUGHT, Text("So."), CALL), "local/m"), results)
    assert messages(*history)[1]["reasoning_content"] == "hm"
    assert "reasoning_content" not in messages(*history, quirks=Quirks(replay_reasoning=False))[1]
    other = (user("Hi"), Assistant((THOUGHT, CALL), "other/m"), results)
    assert "reasoning_content" not in messages(*other)[1]
    without_calls = (user("Hi"), Assistant((THOUGHT, Text("So.")), "local/m"), user("Go"))
    assert messages(*without_calls)[1] == {"role": "assistant", "content": "So."}


async def test_a_server_that_wants_its_reasoning_back_gets_it(clients: Clients) -> None:
    replies = [Reply(thinking="let me see", tool_calls=[Call("std_read", {"path": "a"})]), "Done."]
    with LLMServer(replies, formats=[OpenAIChat(require_reasoning=True)]) as server:
        where = endpoint("openai-chat", server)
        answer = await done(request("Hi"), where, clients)
        results = Tool((ToolOutput(answer.calls[0].id, "std.read", "text"),))
        await done(request("Hi", answer, results), where, clients)
