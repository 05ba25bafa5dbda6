"""How much to think, as servers of chat completions are told it, and the signed reasoning that routers send."""

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings

from panto.json_values import JSONObject, value_at
from panto.llm.client import Clients
from panto.llm.formats.openai_chat.request import encode
from panto.llm.known_providers import KNOWN
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Quirks, Request, ThinkingLevel, ThinkingStyle
from panto.messages import Assistant, Image, Message, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.openai_types import check_completion
from tests.llm.talking import LIST, READ, done, endpoint, request, user
from tests.llm.test_openai_chat_stream import MODEL, call, delta, fed
from tests.llm.test_sendable_properties import histories
from tests.support.llm_server import Events, LLMServer

OPENAI = KNOWN["openai"].quirks


def body(asked: Request, quirks: Quirks = OPENAI) -> JSONObject:
    where = Endpoint("local", "openai-chat", "http://127.0.0.1/v1", api_key="k", quirks=quirks)
    made = encode(asked, where, ToolNames(tool.name for tool in asked.tools)).body
    if quirks == OPENAI:
        check_completion(made)
    return made


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_any_history_makes_a_body_that_the_library_takes(history: list[Message]) -> None:
    body(Request("m", ("sys",), tuple(history), (READ, LIST), 9, thinking="low", thinking_style="effort", session="s"))


LEVELS: list[tuple[str, str, ThinkingStyle, ThinkingLevel | None, JSONObject]] = [
    ("openai", "gpt-5.2", "effort", "low", {"reasoning_effort": "low"}),
    ("openai", "gpt-5.2", "effort", "off", {"reasoning_effort": "none"}),
    ("openai", "gpt-5", "effort", "off", {"reasoning_effort": "minimal"}),
    ("openai", "o3", "effort", "off", {"reasoning_effort": "low"}),
    ("openai", "gpt-5.2", "effort", None, {}),
    ("openai", "gpt-5.2", "unknown", "high", {}),
    ("openai", "gpt-5.2", "always", "off", {}),
    ("openai", "gpt-4.1", "none", "high", {}),
    ("openai", "gpt-5.2", "switch", "high", {}),
    ("openrouter", "anthropic/claude", "budget", "medium", {"reasoning": {"effort": "medium"}}),
    ("openrouter", "anthropic/claude", "adaptive", "off", {"reasoning": {"effort": "none"}}),
    ("openrouter", "openai/gpt-5", "effort", "off", {"reasoning": {"effort": "minimal"}}),
    ("openrouter", "z/glm", "switch", "low", {"reasoning": {"enabled": True}}),
    ("openrouter", "z/glm", "switch", "off", {"reasoning": {"effort": "none"}}),
    ("deepseek", "deepseek-chat", "effort", "high", {"reasoning_effort": "high"}),
    ("deepseek", "deepseek-chat", "effort", "off", {"thinking": {"type": "disabled"}}),
    ("deepseek", "deepseek-chat", "switch", "high", {"thinking": {"type": "enabled"}}),
    ("vllm", "qwen3", "switch", "medium", {"chat_template_kwargs": {"enable_thinking": True}}),
    ("llamacpp", "qwen3", "switch", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
    ("vllm", "openai/gpt-oss-20b", "effort", "off", {"reasoning_effort": "low"}),
    ("groq", "qwen/qwen3-32b", "switch", "high", {"reasoning_effort": "default"}),
    ("groq", "openai/gpt-oss-120b", "effort", "off", {"reasoning_effort": "low"}),
    ("mistral", "mistral-medium-3-5", "switch", "off", {"reasoning_effort": "none"}),
]


@pytest.mark.parametrize(("provider", "model", "style", "level", "asked"), LEVELS)
def test_how_hard_to_think(
    provider: str, model: str, style: ThinkingStyle, level: ThinkingLevel | None, asked: JSONObject
) -> None:
    quirks = KNOWN[provider].quirks
    plain = body(request(model=model), quirks)
    sent = body(request(model=model, thinking=level, thinking_style=style), quirks)
    assert {key: value for key, value in sent.items() if key not in plain} == asked


def test_a_server_without_a_field_for_it_is_told_nothing() -> None:
    quirks = Quirks(effort_field="")
    for style in ("effort", "switch"):
        assert body(request(thinking="high", thinking_style=style), quirks) == body(request(), quirks)


def test_parameters_of_the_users_own_come_first() -> None:
    sent = body(request(thinking="low", thinking_style="effort", parameters={"reasoning_effort": "xhigh"}))
    assert sent["reasoning_effort"] == "xhigh"


def test_the_session_is_told_to_servers_that_look_for_their_cache_by_it() -> None:
    assert body(request(session="s" * 80))["prompt_cache_key"] == "s" * 64
    assert "prompt_cache_key" not in body(request(session="s"), Quirks())
    assert "prompt_cache_key" not in body(request())


def test_images_are_left_out_where_the_model_sees_none() -> None:
    picture = Image("image/png", b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4))
    asked = Request("m", (), (User((Text("Look"), picture)),), sees_images=False)
    text = "Look\n\n[An image was left out: the model can't see images.]"
    assert value_at(body(asked), "messages", -1, "content") == text


def details(*pieces: Mapping[str, object], **fields: object) -> dict[str, object]:
    return delta(None, reasoning_details=[dict(piece) for piece in pieces], **fields)


SIGNED = [
    details({"type": "reasoning.text", "text": "let me ", "format": "anthropic-v1", "index": 0}, reasoning="let me "),
    details({"type": "reasoning.text", "text": "see", "format": "anthropic-v1", "index": 0}, reasoning="see"),
    details({"type": "reasoning.text", "signature": "EqQB", "format": "anthropic-v1", "index": 0}),
]
WHOLE = {"type": "reasoning.text", "text": "let me see", "format": "anthropic-v1", "index": 0, "signature": "EqQB"}


def test_pieces_of_signed_reasoning_become_one_block() -> None:
    decoder, _ = fed(*SIGNED, delta("stop", content="So."), "[DONE]")
    expected = Thinking("let me see", {"field": "reasoning", "details": [WHOLE]})
    assert decoder.message().parts == (expected, Text("So."))
    assert decoder.message() == decoder.message()


def test_encrypted_reasoning_stands_before_the_call_that_it_came_behind() -> None:
    sealed = {"type": "reasoning.encrypted", "data": "AAEC", "id": "c1", "index": 0, "format": "google-gemini-v1"}
    decoder, _ = fed(call(index=0, id="c1", name="std_read", arguments="{}"), details(sealed), delta("tool_calls"))
    expected = (Thinking("", {"details": [sealed]}), ToolCall("c1", "std.read"))
    assert decoder.message().parts == expected


def test_blocks_without_a_place_are_whole_and_empty_ones_are_none() -> None:
    blocks = [{"type": "reasoning.summary", "summary": text} for text in ("a", "b")]
    decoder, _ = fed(details(*blocks), details({}), delta(reasoning_details=None), delta("stop", content="So."))
    assert decoder.message().parts == (Thinking("ab", {"details": blocks}), Text("So."))


def test_thinking_between_texts_stays_there() -> None:
    decoder, _ = fed(delta(reasoning="a"), delta(content="b"), delta(reasoning="c"), delta("stop", content="d"))
    field: JSONObject = {"field": "reasoning"}
    assert decoder.message().parts == (Thinking("a", field), Text("b"), Thinking("c", field), Text("d"))


def test_blocks_go_back_to_the_model_that_made_them() -> None:
    thought = Thinking("let me see", {"field": "reasoning", "details": [WHOLE]})

    def sent(answer: Assistant, quirks: Quirks = OPENAI) -> JSONObject:
        wire = value_at(body(Request("m", (), (user("Hi"), answer, user("Go"))), quirks), "messages", 1)
        assert isinstance(wire, dict)
        return wire  # pyright: ignore[reportUnknownVariableType] - JSON

    mine = sent(Assistant((thought, Text("So.")), MODEL))
    assert mine == {"role": "assistant", "content": "So.", "reasoning_details": [WHOLE]}
    assert "reasoning_details" not in sent(Assistant((thought, Text("So.")), "other/m"))
    assert "reasoning_details" not in sent(Assistant((thought, Text("So.")), MODEL), Quirks(replay_reasoning=False))


async def test_blocks_make_the_round_trip(clients: Clients) -> None:
    answer = [*SIGNED, call(index=0, id="c1", name="std_read", arguments="{}"), delta("tool_calls"), "[DONE]"]
    with LLMServer([Events(answer), "Done."]) as server:
        where = endpoint("openai-chat", server)
        said = await done(request("Hi"), where, clients)
        await done(request("Hi", said, Tool((ToolOutput("c1", "std.read", "text"),))), where, clients)
        assert server.requests[-1].at("messages", 2, "reasoning_details") == [WHOLE]
