"""A conversation that anything may happen in: each next request is still one that the API takes.

Answers are cut, tools answer or don't, the user changes model, provider, tools, system prompt and thinking, and both
bring images of all kinds. The server signs thinking, and refuses it once anything before it has changed. What was sent
is remembered or not, and caught up with or not.
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
from panto.llm.remembered import Memory
from panto.llm.types import Endpoint, Request
from panto.messages import Assistant, Image, Message, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import LIST, READ
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
OF_THE_REQUEST = ("system", "tools", "model", "parameters", "sees_images", "memory")
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR"
IMAGES = (
    Image("image/png", PNG + (30).to_bytes(4) + (20).to_bytes(4)),
    Image("image/jpeg", PNG + (40).to_bytes(4) + (20).to_bytes(4)),  # not what it says it is
    Image("image/png", PNG + (9_000).to_bytes(4) * 2),
    Image("image/gif", b"GIF89a" + bytes(8)),
    Image("image/png", b"broken"),
    Image("image/png", b""),
)
ARGUMENTS = ["{}", '{"path": "a"}', '{"path": ', "[1]", ""]


@dataclass(frozen=True)
class Say:
    """The user says something, and the server answers so; None: with all of it, else the answer is cut there."""

    reply: Reply
    cut: int | None
    image: Image | None = None


@dataclass(frozen=True)
class Results:
    """The tools answer so many of the latest calls; ``order`` 1 is theirs, -1 the other way round."""

    count: int
    order: int
    image: Image | None = None
    is_error: bool = False


@dataclass(frozen=True)
class Change:
    """Something about the requests is another from now on."""

    what: JSONObject


@dataclass
class Talk:
    """A conversation, as the loop would keep it."""

    request: Request = field(default_factory=lambda: Request("m", ("sys",), (), (READ, LIST), 4096, memory=Memory()))
    endpoint: Endpoint = field(default_factory=lambda: Endpoint("p", "anthropic", "http://x", api_key="k"))
    history: list[Message] = field(default_factory=list[Message])
    thoughts_sent: int = 0

    def go(self, step: Say | Results | Change) -> None:
        match step:
            case Say(reply, cut, image):
                self.history.append(User((*([image] if image else []), Text("Go"))))
                self.history.append(self.answer(reply, cut))
            case Results(count, order, image, is_error):
                images = (image,) if image else ()
                calls = self.history[-1].calls if self.history and isinstance(self.history[-1], Assistant) else ()
                outputs = [ToolOutput(call.id, call.name, "text", images, is_error) for call in calls[:count]][::order]
                self.history.extend(Tool((output,)) for output in outputs)
            case Change(what):
                ours = {key: value for key, value in what.items() if key in OF_THE_REQUEST}
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
        if asked.memory is not None and cut is None:
            asked.memory.catch_up()
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
        Change({"sees_images": False}),
        Change({"sees_images": True}),
        Change({"memory": None}),
    ]
)
images = st.sampled_from([None, None, None, *IMAGES])
says = st.builds(Say, replies, st.none() | st.integers(0, 3000), images)
results = st.builds(Results, st.integers(0, 2), st.sampled_from([1, -1]), images, st.booleans())
steps = st.lists(says | says | results | changes, max_size=12)


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
