"""How much to think becomes what the messages API takes, and the official types agree."""

from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from pydantic import TypeAdapter

from panto.json_values import JSONObject, object_at, value_at
from panto.llm.catalogue import catalogue, facts_of
from panto.llm.client import Clients
from panto.llm.formats.anthropic.request import encode
from panto.llm.formats.anthropic.thinking import INTERLEAVED
from panto.llm.names import ToolNames
from panto.llm.thinking import level_for
from panto.llm.types import Endpoint, ThinkingLevel, ThinkingStyle
from panto.llm.wire import Call
from panto.messages import Image, Text, User
from tests.llm.talking import done, endpoint, request
from tests.support.llm_server import LLMServer

LEVELS: tuple[ThinkingLevel, ...] = ("off", "low", "medium", "high")
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
SUMMARY = {"display": "summarized"}


def put(**changes: object) -> Call:
    asked = request(**changes)
    return encode(asked, Endpoint("local", "anthropic", "http://x"), ToolNames(tool.name for tool in asked.tools))


def thinking(style: ThinkingStyle, level: ThinkingLevel | None, **changes: object) -> JSONObject:
    body = put(thinking_style=style, thinking=level, **changes).body
    return {key: body[key] for key in ("thinking", "output_config") if key in body}


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_newer_models_adapt_to_a_word(level: ThinkingLevel) -> None:
    expected = {"thinking": {"type": "adaptive", **SUMMARY}, "output_config": {"effort": level}}
    assert thinking("adaptive", level) == expected
    assert thinking("effort", level) == expected


@pytest.mark.parametrize(
    ("level", "max_tokens", "budget"),
    [
        ("low", 64_000, 4_096),
        ("medium", 64_000, 12_288),
        ("high", 64_000, 32_000),
        ("high", 128_000, 32_768),
        ("high", 3_000, 1_500),
        ("high", 2_000, 1_024),
        ("low", 1_025, 1_024),
    ],
)
def test_older_models_get_a_budget_that_leaves_room_for_the_answer(
    level: ThinkingLevel, max_tokens: int, budget: int
) -> None:
    assert thinking("budget", level, max_tokens=max_tokens) == {
        "thinking": {"type": "enabled", "budget_tokens": budget, **SUMMARY}
    }


def test_without_room_nothing_is_thought() -> None:
    assert thinking("budget", "high", max_tokens=1_024) == {}


def test_off() -> None:
    assert thinking("adaptive", "off") == {"thinking": {"type": "disabled"}}
    assert thinking("budget", "off") == {"thinking": {"type": "disabled"}}
    assert thinking("adaptive", "off", model="claude-sonnet-5-5") == {"thinking": {"type": "between_tools"}}


@pytest.mark.parametrize("style", ["unknown", "none", "always"])
def test_nothing_is_asked_of_models_that_can_not_choose(style: ThinkingStyle) -> None:
    assert thinking(style, "high") == {}
    assert thinking("adaptive", None) == {}


def test_what_the_parameters_say_counts_more() -> None:
    own = {"thinking": {"type": "enabled", "budget_tokens": 1_500}}
    assert thinking("adaptive", "high", parameters=own) == own
    mixed = thinking("adaptive", "high", parameters={"output_config": {"effort": "max", "format": {"type": "x"}}})
    assert mixed["output_config"] == {"effort": "max", "format": {"type": "x"}}
    shaped = thinking("adaptive", "high", parameters={"output_config": {"format": {"type": "x"}}})
    assert shaped["output_config"] == {"effort": "high", "format": {"type": "x"}}


def test_thinking_between_calls_is_asked_for_where_it_has_to_be() -> None:
    with_tools = put(thinking_style="budget", thinking="low")
    assert with_tools.headers["anthropic-beta"] == INTERLEAVED
    assert "anthropic-beta" not in put(thinking_style="budget", thinking="low", tools=()).headers
    assert "anthropic-beta" not in put(thinking_style="adaptive", thinking="low").headers
    assert "anthropic-beta" not in put(thinking_style="budget", thinking="off").headers


@pytest.mark.parametrize("start", catalogue().makers["anthropic"])
@pytest.mark.parametrize("wanted", LEVELS)
async def test_the_server_and_the_official_types_take_it_for_every_model(
    start: str, wanted: ThinkingLevel, clients: Clients
) -> None:
    facts = facts_of("anthropic", start)
    level = level_for(wanted, facts.thinking, facts.levels)
    asked = request(model=start, thinking=level, thinking_style=facts.thinking, max_tokens=facts.max_tokens)
    with LLMServer(["Fine."]) as server:
        await done(asked, endpoint("anthropic", server), clients)
        body = server.requests[0].body
    adapter: TypeAdapter[Any] = TypeAdapter(MessageCreateParamsStreaming)
    adapter.validate_python(body)
    if "off" not in (facts.levels or LEVELS):
        assert value_at(body, "thinking", "type") not in ("disabled", "between_tools", "enabled")
    if facts.thinking == "none":
        assert object_at(body, "thinking") == {}


def test_images_are_left_out_for_a_model_that_sees_none() -> None:
    shown = User((Text("Look"), Image("image/png", PNG)))
    body = put(messages=(shown,), sees_images=False).body
    content = value_at(body, "messages", 0, "content")
    assert "the model can't see images" in str(content)
    assert "base64" not in str(content)


def test_a_model_that_is_asked_to_think_is_told_nothing_of_sampling() -> None:
    given: JSONObject = {"temperature": 0.2, "top_k": 5, "top_p": 0.5, "stop_sequences": ["x"]}
    assert given.keys() <= put(parameters=given).body.keys()
    asked = put(parameters=given, thinking_style="budget", thinking="high", max_tokens=20_000).body
    assert given.keys() & asked.keys() == {"stop_sequences"}
