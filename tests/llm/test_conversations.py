"""A conversation that anything may happen in: each next request is still one that the API takes.

Answers are cut, tools answer or don't, the user changes model, provider, tools, system prompt and thinking. The server
signs thinking, and refuses it once anything before it has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto.json_values import JSONObject
from panto.llm.formats import wire_format
from panto.llm.json_text import to_json
from panto.llm.names import ToolNames
from panto.llm.types import Endpoint, Request
from panto.messages import Assistant, Message, Thinking, Tool, ToolCall, ToolOutput
from tests.llm.talking import LIST, READ, user
from tests.support.llm.bedrock.format import Bedrock
from tests.support.llm.checks import parse_body
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.ollama.format import Ollama
from tests.support.llm.openai_responses.format import OpenAIResponses
from tests.support.llm_server import Anthropic, Call, OpenAIChat, Reply, Request as Received

SERVERS = {
    "anthropic": Anthropic(),
    "openai-chat": OpenAIChat(),
    "openai-responses": OpenAIResponses(phases=True),
    "gemini": Gemini(),
    "ollama": Ollama(),
    "bedrock": Bedrock(),
}
ARGUMENTS = ["{}", '{"path": "a"}', '{"path": ', "[1]", ""]


@dataclass(frozen=True)
class Say:
    """The user says something, and the server answers so; None: with all of it, else the answer is cut there."""

    reply: Reply
    cut: int | None


@dataclass(frozen=True)
class Results:
    """The tools answer so many of the latest calls; ``order`` 1 is theirs, -1 the other way round."""

    count: int
    order: int


@dataclass(frozen=True)
class Change:
    """Something about the requests is another from now on."""

    what: JSONObject


@dataclass
class Talk:
    """A conversation, as the loop would keep it."""

    request: Request = field(default_factory=lambda: Request("m", ("sys",), (), (READ, LIST), 4096))
    endpoint: Endpoint = field(default_factory=lambda: Endpoint("p", "anthropic", "http://x", api_key="k"))
    history: list[Message] = field(default_factory=list[Message])
    thoughts_sent: int = 0

    def go(self, step: Say | Results | Change) -> None:
        match step:
            case Say(reply, cut):
                self.history.append(user("Go"))
                self.history.append(self.answer(reply, cut))
            case Results(count, order):
                calls = self.history[-1].calls if self.history and isinstance(self.history[-1], Assistant) else ()
                outputs = [ToolOutput(call.id, call.name, "text") for call in calls[:count]][::order]
                self.history.extend(Tool((output,)) for output in outputs)
            case Change(what):
                ours = {key: value for key, value in what.items() if key in ("system", "tools", "model", "parameters")}
                self.request = replace(self.request, **ours)  # pyright: ignore[reportArgumentType] - as given below
                theirs = {key: value for key, value in what.items() if key not in ours}
                self.endpoint = replace(self.endpoint, **theirs)  # pyright: ignore[reportArgumentType] - likewise

    def answer(self, reply: Reply, cut: int | None) -> Assistant:
        """Send the request, have it judged, and read the answer."""
        asked = replace(self.request, messages=tuple(self.history))
        call = wire_format(self.endpoint.api)(asked, self.endpoint, ToolNames(tool.name for tool in asked.tools))
        raw = to_json(call.body)
        headers = {"content-type": "application/json", **call.headers}
        received = Received(0, 0, "POST", call.path, headers, raw, 0.0, body=parse_body(raw))
        server = SERVERS[self.endpoint.api]
        server.check(received)
        self.thoughts_sent += raw.count(b'"thinking":"') + raw.count(b'"reasoning_content":"')
        self.thoughts_sent += raw.count(b'"type":"reasoning"')
        answered = server.stream(reply, received)
        data = b"".join(cast("Sequence[bytes]", [*answered.content, *answered.ending]))
        for event in call.framing.reader().feed(data[:cut]):
            call.decoder.feed(event)
        return call.decoder.message("cut" if call.decoder.patience is None else "")


replies = st.builds(
    Reply,
    text=st.sampled_from(["", "Yes.", "\n"]),
    thinking=st.sampled_from(["", "let me see"]),
    redacted=st.sampled_from(["", "sealed"]),
    tool_calls=st.lists(
        st.builds(
            Call, st.sampled_from(["std_read", "nothing"]), st.sampled_from(ARGUMENTS), st.sampled_from([None, "c"])
        ),
        max_size=2,
        unique_by=lambda call: call.id or id(call),
    ),
    stop=st.sampled_from([None, "length", "end"]),
)
changes = st.sampled_from(
    [
        Change({"system": ("other",)}),
        Change({"system": ("sys",)}),
        Change({"tools": ()}),
        Change({"tools": (READ,)}),
        Change({"tools": (READ, LIST)}),
        Change({"model": "n"}),
        Change({"model": "m"}),
        Change({"parameters": {}}),
        Change({"parameters": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}),
        Change({"parameters": {"thinking": {"type": "adaptive"}}}),
        Change({"api": "openai-chat", "provider": "o", "parameters": {}}),
        Change({"api": "openai-responses", "provider": "r", "parameters": {}}),
        Change({"api": "gemini", "provider": "g", "parameters": {}}),
        Change({"model": "gemini-3.1-pro"}),
        Change({"api": "ollama", "provider": "l", "parameters": {}}),
        Change({"api": "bedrock", "provider": "b", "parameters": {}}),
        Change({"model": "us.anthropic.claude-sonnet-4-5"}),
        Change({"api": "anthropic", "provider": "p"}),
    ]
)
says = st.builds(Say, replies, st.none() | st.integers(0, 3000))
steps = st.lists(says | says | st.builds(Results, st.integers(0, 2), st.sampled_from([1, -1])) | changes, max_size=12)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_no_conversation_can_get_stuck(todo: list[Say | Results | Change]) -> None:
    talk = Talk()
    for step in [*todo, Say(Reply("The end."), None)]:
        of_anthropic = talk.endpoint.api in ("anthropic", "bedrock")
        if not of_anthropic and isinstance(step, Change) and "thinking" in str(step.what):
            continue  # a parameter of the other API
        talk.go(step)
    assert isinstance(talk.history[-1], Assistant)
    assert talk.history[-1].text == "The end."


@pytest.mark.parametrize(
    "thinks",
    [
        Change({"parameters": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}),
        Change({"api": "openai-responses"}),
    ],
)
def test_and_thinking_is_kept_while_nothing_changes(thinks: Change) -> None:
    """The property above would hold, too, if all thinking were thrown away."""
    talk = Talk()
    call = Say(Reply(thinking="hm", tool_calls=[Call("std_read", {"path": "a"})]), None)
    for step in (thinks, call, Results(1, 1), call, Results(1, 1), Say(Reply("So."), None), Say(Reply("So."), None)):
        talk.go(step)
    assert talk.thoughts_sent == 0 + 1 + 2 + 2
    parts = [part for message in talk.history for part in getattr(message, "parts", ())]
    assert [part.text for part in parts if isinstance(part, Thinking) and part.text] == ["hm", "hm"]
    assert not any(part.problem for message in talk.history if isinstance(message, Assistant) for part in message.calls)
    assert all(
        isinstance(part, ToolCall)
        for message in talk.history
        if isinstance(message, Assistant)
        for part in message.calls
    )
