"""How a request is put for Bedrock's Converse API."""

import base64
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto.json_values import JSONObject, value_at
from panto.llm.client import Clients
from panto.llm.formats.bedrock.request import encode
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Request, ThinkingLevel, ThinkingStyle
from panto.llm.wire import RequestError
from panto.messages import Assistant, Image, Message, Text, Thinking, Tool, ToolCall, ToolOutput, ToolSchema
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.llm.test_sendable_properties import histories, received
from tests.support.llm.bedrock.checks import check_body
from tests.support.llm.bedrock.format import Bedrock
from tests.support.llm_server import Call, LLMServer, Reply

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
PICTURE = {"image": {"format": "png", "source": {"bytes": base64.b64encode(PNG).decode()}}}
CALL = ToolCall("c1", "std.read", {"path": "a"})
WHERE = Endpoint("aws", "bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com", api_key="k")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "amazon.nova-pro-v1:0"
LLAMA = "meta.llama3-3-70b-instruct-v1:0"
POINT = {"cachePoint": {"type": "default"}}
SIGNED = Thinking("hm", {"signature": "sig"})


def body(asked: Request) -> JSONObject:
    """The body, as AWS's own model of the service takes it."""
    sent = encode(asked, WHERE, ToolNames(tool.name for tool in asked.tools)).body
    check_body(asked.model, sent)
    return sent


def messages(*history: Message, model: str = LLAMA, **changes: object) -> list[JSONObject]:
    asked = replace(Request(model, (), history, (READ, LIST)), **changes)  # pyright: ignore[reportArgumentType]
    return cast("list[JSONObject]", body(asked)["messages"])


def spec(name: str, tool: ToolSchema) -> JSONObject:
    return {"toolSpec": {"name": name, "description": tool.description, "inputSchema": {"json": tool.parameters}}}


def test_a_plain_request() -> None:
    asked = Request(CLAUDE, ("One.", " ", "Two."), (user("Hi"),), (READ, LIST), 100, {"temperature": 0.5, "top_k": 4})
    assert body(asked) == {
        "inferenceConfig": {"maxTokens": 100, "temperature": 0.5},
        "additionalModelRequestFields": {"top_k": 4},
        "system": [{"text": "One."}, {"text": "Two."}, POINT],
        "toolConfig": {"tools": [spec("std_list", LIST), spec("std_read", READ), POINT]},
        "messages": [{"role": "user", "content": [{"text": "Hi"}, POINT]}],
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert body(Request(LLAMA, (), (user("Hi"),))) == {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}


def test_the_models_name_is_in_the_path() -> None:
    call = encode(request(model=CLAUDE), WHERE, ToolNames([]))
    assert call.path == "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    assert call.headers == {"authorization": "Bearer k"}
    profile = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc"
    assert encode(request(model=profile), WHERE, ToolNames([])).path.startswith("/model/arn%3Aaws%3Abedrock%3A")
    assert "%2Fabc/" in encode(request(model=profile), WHERE, ToolNames([])).path


@pytest.mark.parametrize(
    ("model", "points"), [(CLAUDE, (True, True, True)), (NOVA, (True, False, True)), (LLAMA, (False, False, False))]
)
def test_cache_points_where_a_family_takes_them(model: str, points: tuple[bool, bool, bool]) -> None:
    asked = Request(model, ("sys",), (user("a"), Assistant((Text("b"),)), user("c")), (READ,))
    sent = body(asked)
    turns = cast("list[JSONObject]", sent["messages"])
    last = (sent["system"], value_at(sent, "toolConfig", "tools"), turns[-1]["content"])
    assert tuple(cast("list[object]", part)[-1] == POINT for part in last) == points
    assert (cast("list[object]", turns[0]["content"])[-1] == POINT) == points[2]


def test_parameters_have_their_places() -> None:
    given: JSONObject = {
        "top_p": 0.5,
        "stop_sequences": ["x"],
        "serviceTier": {"type": "priority"},
        "inferenceConfig": {"maxTokens": 9},
        "additionalModelRequestFields": {"top_k": 3},
        "seed": 1,
    }
    sent = body(request(model=LLAMA, parameters=given, max_tokens=7))
    assert sent["inferenceConfig"] == {"maxTokens": 9, "topP": 0.5, "stopSequences": ["x"]}
    assert sent["additionalModelRequestFields"] == {"seed": 1, "top_k": 3}
    assert sent["serviceTier"] == {"type": "priority"}


def test_a_model_that_is_asked_to_think_is_told_nothing_of_sampling() -> None:
    given: JSONObject = {"temperature": 0.2, "top_p": 0.5, "top_k": 3, "stop_sequences": ["x"]}
    asked = request(model=CLAUDE, parameters=given, max_tokens=10_000, thinking_style="budget", thinking="low")
    sent = body(asked)
    assert sent["inferenceConfig"] == {"maxTokens": 10_000, "stopSequences": ["x"]}
    assert sent["additionalModelRequestFields"] == {"thinking": {"type": "enabled", "budget_tokens": 2_048}}


@pytest.mark.parametrize("name", ["model", "modelId", "messages", "system", "toolConfig", "stream"])
def test_some_parameters_are_ours(name: str) -> None:
    with pytest.raises(RequestError, match=name):
        body(request(parameters={name: {}}))


@pytest.mark.parametrize(
    ("model", "style", "level", "limit", "fields"),
    [
        (CLAUDE, "budget", "low", 10_000, {"thinking": {"type": "enabled", "budget_tokens": 2_048}}),
        (CLAUDE, "budget", "high", 10_000, {"thinking": {"type": "enabled", "budget_tokens": 8_976}}),
        (CLAUDE, "budget", "high", 1_500, None),
        (CLAUDE, "budget", "medium", None, {"thinking": {"type": "enabled", "budget_tokens": 7_168}}),
        (CLAUDE, "budget", "off", None, {"thinking": {"type": "disabled"}}),
        (CLAUDE, "adaptive", "low", None, {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        (CLAUDE, "adaptive", "off", None, {"thinking": {"type": "disabled"}}),
        (CLAUDE, "unknown", "high", None, None),
        (CLAUDE, "budget", None, None, None),
        (NOVA, "budget", "high", None, None),
        (LLAMA, "adaptive", "high", None, None),
    ],
)
def test_how_it_is_told_to_think(
    model: str, style: ThinkingStyle, level: ThinkingLevel | None, limit: int | None, fields: JSONObject | None
) -> None:
    sent = body(request(model=model, thinking=level, thinking_style=style, max_tokens=limit))
    assert sent.get("additionalModelRequestFields") == fields
    if fields and "enabled" in str(fields):
        assert value_at(sent, "inferenceConfig", "maxTokens") == (limit or 8192)


def test_calls_and_results() -> None:
    answer = Assistant((Text("Look:"), CALL, ToolCall("c2", "gone.tool", {})), f"aws/{CLAUDE}", "tool_calls")
    results = Tool((ToolOutput("c2", "gone.tool", "no such tool", is_error=True), ToolOutput("c1", "std.read", "text")))
    assert messages(user("Hi"), answer, results, user("Go"), model=CLAUDE)[1:] == [
        {
            "role": "assistant",
            "content": [
                {"text": "Look:"},
                {"toolUse": {"toolUseId": "c1", "name": "std_read", "input": {"path": "a"}}},
                {"toolUse": {"toolUseId": "c2", "name": "gone_tool", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "c1", "content": [{"text": "text"}], "status": "success"}},
                {"toolResult": {"toolUseId": "c2", "content": [{"text": "no such tool"}], "status": "error"}},
                {"text": "Go"},
                POINT,
            ],
        },
    ]


def test_errors_for_families_without_a_status_are_in_the_words() -> None:
    for text in ("no", "Error: no"):
        results = Tool((ToolOutput("c1", "std.read", text, is_error=True),))
        (block,) = cast("list[object]", messages(user("Hi"), Assistant((CALL,)), results)[-1]["content"])
        assert block == {"toolResult": {"toolUseId": "c1", "content": [{"text": "Error: no"}]}}


def test_a_history_with_calls_needs_tools_even_if_none_are_offered() -> None:
    history = (user("Hi"), Assistant((CALL,)), Tool((ToolOutput("c1", "std.read", "text"),)))
    sent = body(Request(LLAMA, (), history))
    assert value_at(sent, "toolConfig", "tools", 0, "toolSpec", "name") == "std_read"


def test_images() -> None:
    picture = Image("image/png", PNG)
    assert messages(user("Hi"), Assistant((Text("Yes?"),)), user("See"))[-1]["content"] == [{"text": "See"}]
    result = Tool((ToolOutput("c1", "std.read", images=(picture,)),))
    history = (user("Hi"), Assistant((CALL,)), result)
    inside = value_at(messages(*history, model=CLAUDE)[-1], "content", 0, "toolResult", "content")
    assert inside == [PICTURE]
    behind = cast("list[object]", messages(*history)[-1]["content"])
    assert behind[-1] == PICTURE
    assert "image" not in str(messages(*history, sees_images=False)[-1]["content"]).replace("images", "").replace(
        "An image", ""
    )


def test_thinking_goes_back_to_the_model_that_made_it() -> None:
    sealed = Thinking("", {"redacted": "c2VhbGVk"})
    answer = Assistant((SIGNED, sealed, CALL), f"aws/{CLAUDE}")
    history = (user("Hi"), answer, Tool((ToolOutput("c1", "std.read", "text"),)))
    assert cast("list[object]", messages(*history, model=CLAUDE)[1]["content"])[:2] == [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"reasoningContent": {"redactedContent": "c2VhbGVk"}},
    ]
    assert "reasoningContent" not in str(messages(*history, model=NOVA))
    unsigned = Assistant((Thinking("hm"), CALL), f"aws/{LLAMA}")
    assert "reasoningContent" not in str(messages(user("Hi"), unsigned, model=LLAMA))


def test_thinking_that_stands_behind_something_else_stays_away() -> None:
    strange = Assistant((Thinking("hm", {"signature": "s", "prefix": "of another"}), Text("So.")), f"aws/{CLAUDE}")
    assert "reasoningContent" not in str(messages(user("Hi"), strange, user("Go"), model=CLAUDE))


def test_an_answer_that_began_without_thinking_goes_on_without() -> None:
    history = (user("Hi"), Assistant((CALL,), f"aws/{CLAUDE}"), Tool((ToolOutput("c1", "std.read", "text"),)))
    sent = body(Request(CLAUDE, (), history, (READ,), thinking="low", thinking_style="budget"))
    assert "additionalModelRequestFields" not in sent


async def test_thinking_goes_round(clients: Clients) -> None:
    call = Reply(thinking="let me see", redacted="sealed", tool_calls=[Call("std_read", {"path": "a"})])
    with LLMServer([call, call, "Done."]) as server:
        where = endpoint("bedrock", server)
        asked = {"model": CLAUDE, "thinking": "low", "thinking_style": "budget", "max_tokens": 4096}
        history: list[Message] = [user("Hi")]
        for _ in range(2):
            answer = await done(request(*history, **asked), where, clients)
            history += [answer, Tool((ToolOutput(answer.calls[0].id, "std.read", "text"),))]
        await done(request(*history, **asked), where, clients)
        sent = str(server.requests[2].body)
    assert (sent.count("reasoningText"), sent.count("redactedContent")) == (2, 2)


def test_the_tools_description_is_never_blank() -> None:
    sent = body(Request(LLAMA, (), (user("Hi"),), (ToolSchema("t", " ", {"properties": {}}),)))
    assert value_at(sent, "toolConfig", "tools", 0, "toolSpec", "description") == "No description."
    assert value_at(sent, "toolConfig", "tools", 0, "toolSpec", "inputSchema", "json", "type") == "object"


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.sampled_from([CLAUDE, NOVA, LLAMA]), st.booleans(), st.sampled_from([None, "budget", "adaptive"]))
def test_any_history_is_a_valid_conversation(
    history: list[Message], model: str, with_tools: bool, style: ThinkingStyle | None
) -> None:
    tools = (READ, LIST) if with_tools else ()
    plain = Request(model, ("sys",), tuple(history), tools, 4096)
    asked = replace(plain, thinking="low", thinking_style=style) if style else plain
    Bedrock().check(received("bedrock", asked))
