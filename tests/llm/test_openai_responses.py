"""How a request is put as a response."""

import base64
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import ValidationError

from panto.json_values import JSONObject, value_at
from panto.llm.client import Clients
from panto.llm.formats.openai_responses.request import encode
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Quirks, Request, ThinkingLevel, ThinkingStyle
from panto.llm.wire import RequestError
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.openai_types import check_response
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.llm.test_sendable_properties import histories
from tests.support.llm.openai_responses.format import OpenAIResponses
from tests.support.llm_server import Call, LLMServer, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
PICTURE: JSONObject = {"type": "input_image", "detail": "auto", "image_url": URL}
CALL = ToolCall("c1", "std.read", {"path": "a"})
ENCRYPTED: JSONObject = {"id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
RESULT = Tool((ToolOutput("c1", "std.read", "text"),))


def body(asked: Request, quirks: Quirks | None = None) -> JSONObject:
    where = Endpoint("local", "openai-responses", "http://127.0.0.1/v1", api_key="k", quirks=quirks or Quirks())
    made = encode(asked, where, ToolNames(tool.name for tool in asked.tools)).body
    check_response(made)
    return made


def items(*history: Message, quirks: Quirks | None = None, sees_images: bool = True) -> list[JSONObject]:
    asked = Request("m", (), history, (READ, LIST), sees_images=sees_images)
    return cast("list[JSONObject]", body(asked, quirks)["input"])


def test_a_plain_request() -> None:
    asked = Request("m", ("One.", " ", "Two."), (user("Hi"),), (READ, LIST), 100, {"temperature": 0.5}, session="s1")
    assert body(asked) == {
        "model": "m",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 100,
        "prompt_cache_key": "s1",
        "temperature": 0.5,
        "instructions": "One.\n\nTwo.",
        "tools": [
            {
                "type": "function",
                "name": "std_list",
                "description": "List a directory.",
                "parameters": LIST.parameters,
                "strict": False,
            },
            {
                "type": "function",
                "name": "std_read",
                "description": "Read a file.",
                "parameters": READ.parameters,
                "strict": False,
            },
        ],
        "parallel_tool_calls": True,
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert sorted(body(Request("m", (), (user("Hi"),)))) == ["include", "input", "model", "store", "stream"]


def test_what_changes_comes_last() -> None:
    assert list(body(request(max_tokens=99, parameters={"top_p": 1.0})))[-2:] == ["parallel_tool_calls", "input"]


@pytest.mark.parametrize("name", ["input", "instructions", "store", "stream", "tools", "model"])
def test_parameters_may_not_set_what_the_conversation_needs(name: str) -> None:
    with pytest.raises(RequestError, match=name):
        body(request(parameters={name: True}))


def test_parameters_may_set_the_rest() -> None:
    sent = body(request(parameters={"parallel_tool_calls": False, "reasoning": {"effort": "xhigh"}}))
    assert (sent["parallel_tool_calls"], sent["reasoning"]) == (False, {"effort": "xhigh"})


def test_the_key_goes_where_the_server_wants_it() -> None:
    azure = Endpoint("azure", "openai-responses", "http://x", api_key="k", quirks=Quirks(key_header="api-key"))
    assert encode(request(), azure, ToolNames([])).headers == {"api-key": "k"}
    plain = Endpoint("openai", "openai-responses", "http://x", api_key="k")
    assert encode(request(), plain, ToolNames([])).headers == {"authorization": "Bearer k"}


@pytest.mark.parametrize(
    ("model", "style", "level", "reasoning"),
    [
        ("gpt-5.2", "effort", "low", {"effort": "low", "summary": "auto"}),
        ("gpt-5.2", "effort", "high", {"effort": "high", "summary": "auto"}),
        ("gpt-5.2", "effort", "off", {"effort": "none"}),
        ("gpt-5", "effort", "off", {"effort": "minimal"}),
        ("o3", "effort", "off", {"effort": "low"}),
        ("grok", "adaptive", "medium", {"effort": "medium", "summary": "auto"}),
        ("gpt-5.2", "effort", None, None),
        ("gpt-5.2", "unknown", "high", None),
        ("gpt-5.2", "always", "high", None),
        ("gpt-4.1", "none", "high", None),
    ],
)
def test_how_hard_to_think(
    model: str, style: ThinkingStyle, level: ThinkingLevel | None, reasoning: JSONObject | None
) -> None:
    assert body(request(model=model, thinking=level, thinking_style=style)).get("reasoning") == reasoning


@pytest.mark.parametrize(
    ("model", "style", "asked"),
    [
        ("gpt-4.1", "unknown", False),
        ("openai/gpt-4o", "unknown", False),
        ("gpt-5", "unknown", True),
        ("whatever", "none", False),
        ("gpt-4-that-thinks", "effort", True),
    ],
)
def test_reasoning_is_not_asked_of_models_that_have_none(model: str, style: ThinkingStyle, asked: bool) -> None:
    assert ("include" in body(request(model=model, thinking_style=style))) is asked


def test_calls_and_results() -> None:
    answer = Assistant((Text("Look:"), CALL, ToolCall("c2", "gone.tool", {})), "local/m", "tool_calls")
    results = Tool((ToolOutput("c2", "gone.tool", "no such tool", is_error=True), ToolOutput("c1", "std.read", "text")))
    assert items(user("Hi"), answer, results)[1:] == [
        {"type": "message", "role": "assistant", "content": "Look:"},
        {"type": "function_call", "call_id": "c1", "name": "std_read", "arguments": '{"path":"a"}'},
        {"type": "function_call", "call_id": "c2", "name": "gone_tool", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "text"},
        {"type": "function_call_output", "call_id": "c2", "output": "Error: no such tool"},
    ]


def test_images() -> None:
    picture = Image("image/png", PNG)
    (message,) = items(User((Text("Look"), picture)))
    assert message["content"] == [{"type": "input_text", "text": "Look"}, PICTURE]
    results = Tool((ToolOutput("c1", "std.read", "A picture:", images=(picture,)),))
    result = items(user("Hi"), Assistant((CALL,)), results)[-1]
    assert result["output"] == [{"type": "input_text", "text": "A picture:"}, PICTURE]
    alone = Tool((ToolOutput("c1", "std.read", images=(picture,)),))
    assert items(user("Hi"), Assistant((CALL,)), alone)[-1]["output"] == [PICTURE]
    unseen = items(user("Hi"), Assistant((CALL,)), alone, sees_images=False)[-1]
    assert unseen["output"] == "[An image was left out: the model can't see images.]"


def test_late_system_messages() -> None:
    late = (user("Hi"), Assistant((Text("Yes?"),)), System("New rule."))
    assert value_at(items(*late)[-1], "content", 0, "text") == "<system>\nNew rule.\n</system>"
    assert items(*late, quirks=Quirks(late_system=True))[-1]["role"] == "system"


def test_reasoning_goes_back_in_its_place_with_the_ids_of_what_followed() -> None:
    thought = Thinking(
        "hm",
        {
            "item": ENCRYPTED,
            "next": [
                {"type": "message", "id": "msg_1", "phase": "commentary"},
                {"type": "function_call", "id": "fc_1"},
            ],
        },
    )
    answer = Assistant((thought, Text("Look:"), CALL), "local/m", "tool_calls")
    assert items(user("Hi"), answer, RESULT)[1:4] == [
        {"type": "reasoning", **ENCRYPTED},
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "phase": "commentary",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Look:", "annotations": []}],
        },
        {"type": "function_call", "call_id": "c1", "name": "std_read", "arguments": '{"path":"a"}', "id": "fc_1"},
    ]


@pytest.mark.parametrize(
    "answer",
    [
        Assistant((Thinking("hm", {"item": ENCRYPTED, "next": [{"type": "function_call", "id": "f"}]}), CALL), "o/m"),
        Assistant((Thinking("hm", {"item": ENCRYPTED, "next": [{"type": "message", "id": "m"}]}), CALL), "local/m"),
        Assistant((Thinking("hm"), CALL), "local/m"),
        Assistant((Thinking("hm", {"signature": "of another API"}), CALL), "local/m"),
    ],
    ids=["of another model", "with other items behind it", "in clear", "of another API"],
)
def test_reasoning_that_can_not_go_back_leaves_no_trace(answer: Assistant) -> None:
    kinds = [(item["type"], item.get("id")) for item in items(user("Hi"), answer, RESULT)]
    assert kinds == [("message", None), ("function_call", None), ("function_call_output", None)]


def test_reasoning_alone_does_not_go_back() -> None:
    answer = Assistant((Thinking("hm", {"item": ENCRYPTED, "next": []}),), "local/m", "length")
    assert [item["type"] for item in items(user("Hi"), answer, user("Go"))] == ["message"]


def test_a_phase_goes_back_without_reasoning_too() -> None:
    phase: JSONObject = {"next": [{"type": "message", "phase": "final_answer"}]}
    answer = Assistant((Thinking("", phase), Text("So.")), "local/m")
    expected = {"type": "message", "role": "assistant", "content": "So.", "phase": "final_answer"}
    assert items(user("Hi"), answer, user("Go"))[1] == expected


def test_the_library_judges_each_item() -> None:
    """Lest the checks of this file be checks of nothing."""
    good = body(request("Hi"))
    for wrong in ({"type": "function_call"}, {"type": "message", "role": "user", "content": [{"type": "text"}]}):
        with pytest.raises(ValidationError):
            check_response({**good, "input": [wrong]})


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_any_history_makes_a_body_that_the_library_takes(history: list[Message]) -> None:
    body(Request("test-model", ("sys",), tuple(history), (READ, LIST), 100, thinking="low", thinking_style="effort"))


async def test_a_conversation_with_a_server_that_wants_all_of_it_back(clients: Clients) -> None:
    replies = [
        Reply("Let me look.", thinking="hm", tool_calls=[Call("std_read", {"path": "a"}), Call("std_list")]),
        Reply(tool_calls=[Call("std_list")], thinking="hm", thinking_shown=False),
        Reply("So it is.", thinking="well", redacted="more"),
        "Goodbye.",
    ]
    with LLMServer(replies, formats=[OpenAIResponses(phases=True)]) as server:
        where = endpoint("openai-responses", server)
        history: list[Message] = [user("Hi")]
        for _ in range(3):
            answer = await done(request(*history, session="s"), where, clients)
            results = Tool(tuple(ToolOutput(call.id, call.name, "text") for call in answer.calls))
            history += [answer, results if answer.calls else user("And?")]
        await done(request(*history, session="s"), where, clients)
        for sent in server.requests:
            check_response(sent.body)
        kinds = [str(item["type"]) for item in cast("list[JSONObject]", server.requests[-1].body["input"])]
    assert kinds.count("reasoning") == 4
    assert kinds[1:4] == ["reasoning", "message", "function_call"]
