"""Conversations through a proxy that others wrote: it reads our requests, and we its answers.

Behind it is the scripted server, as strict as ever, so what the proxy makes of our conversations is judged once more.
What is left out, LiteLLM gets wrong: it gives Gemini's API no list of models, writes thoughts down twice between the
Responses API and Anthropic's, hides what went wrong from some, and its own made-up answers don't stream everywhere.
"""

import asyncio
import base64
from contextlib import aclosing
from dataclasses import dataclass

import pytest

from panto.llm.client import Clients
from panto.llm.listing import list_models
from panto.llm.stream import stream
from panto.llm.types import Done, Failure as Problem, FailureKind, TextDelta
from panto.messages import Assistant, Image, Message, Text, Thinking, Tool, ToolOutput, User
from tests.e2e.test_set_aside import png
from tests.llm.talking import collected, done, failed, request, texts, user
from tests.support.litellm_proxy import BASES, BEHIND, MOCKED, LiteLLM
from tests.support.llm_server import Call, Cut, Failure, Hold, Reply, StreamError, Usage

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Way:
    """A wire format of ours, and the one that the proxy asks in for it."""

    api: str
    behind: str

    @property
    def model(self) -> str:
        """The proxy's model that goes this way."""
        asks_in = "openai-chat" if self.behind == "openai-responses" else self.behind
        return next(name for name, (_, api) in BEHIND.items() if api == asks_in)

    def __str__(self) -> str:
        return f"{self.api} to {self.behind}"


WAYS = [
    Way("openai-chat", "openai-chat"),
    Way("openai-chat", "anthropic"),
    Way("openai-responses", "openai-responses"),
    Way("openai-responses", "anthropic"),
    Way("anthropic", "openai-chat"),
    Way("anthropic", "anthropic"),
    Way("gemini", "gemini"),
]
STRAIGHT = [way for way in WAYS if way.api == way.behind]
CALLS = [Call("std_read", {"path": "a b.txt"}), Call("std_list", {"path": "漢字"})]
GREY = png(77)

every_way = pytest.mark.parametrize("way", WAYS, ids=str)
every_api = pytest.mark.parametrize("api", BASES)


@every_way
async def test_text_comes_in_pieces_and_is_counted(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Reply("Good **day**, 漢字 🦊.", usage=Usage(1200, 34)))
    events = await collected(stream(request(model=way.model), lite.endpoint(way.api), clients))
    end = events[-1]
    assert isinstance(end, Done), end
    assert len(texts(events)) > 1
    assert "".join(texts(events)) == end.message.text == "Good **day**, 漢字 🦊."
    assert end.message.stop == "end"
    assert (end.message.usage.input, end.message.usage.output) == (1200, 34)
    (asked,) = lite.upstream.requests
    assert (asked.wire, asked.system, asked.tool_names) == (way.behind, "Be brief.", ["std_list", "std_read"])


@pytest.mark.parametrize("way", STRAIGHT, ids=str)
async def test_what_was_cached_is_counted(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Reply("Again.", usage=Usage(1200, 34, cached=1000)))
    usage = (await done(request(model=way.model), lite.endpoint(way.api), clients)).usage
    assert (usage.input, usage.output, usage.cached) == (1200, 34, 1000)


@every_way
async def test_calls_results_and_pictures_go_there_and_back(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Reply("I look.", tool_calls=CALLS), Reply("So."), Reply("Grey."))
    history: list[Message] = [user("Look")]

    async def answered() -> Assistant:
        answer = await done(request(*history, model=way.model), lite.endpoint(way.api), clients)
        history.append(answer)
        return answer

    calling = await answered()
    assert (calling.text, calling.stop) == ("I look.", "tool_calls")
    assert [(call.name, call.arguments, call.problem) for call in calling.calls] == [
        ("std.read", {"path": "a b.txt"}, ""),
        ("std.list", {"path": "漢字"}, ""),
    ]
    read, listed = calling.calls
    assert read.id != listed.id
    outputs = (ToolOutput(read.id, read.name, "alpha"), ToolOutput(listed.id, listed.name, "not there", is_error=True))
    history.append(Tool(outputs))
    assert (await answered()).text == "So."
    history.append(User((Text("And this?"), Image("image/png", GREY))))
    assert (await answered()).text == "Grey."

    asked = lite.upstream.requests[-1]
    assert asked.user_texts == ["Look", "And this?"]
    assert asked.assistant_texts == ["I look.", "So."]
    alpha, missing = (result.text for result in asked.tool_results)
    assert "alpha" in alpha
    assert "not there" in missing
    assert base64.b64encode(GREY) in asked.raw


@pytest.mark.parametrize("way", [way for way in WAYS if way != Way("openai-responses", "anthropic")], ids=str)
async def test_thinking_is_told_apart_and_can_go_back(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Reply("Yes.", thinking="let me see"), Reply("No."))
    where = lite.endpoint(way.api)
    first = await done(request("Well?", model=way.model), where, clients)
    assert first.text == "Yes."
    assert "".join(part.text for part in first.parts if isinstance(part, Thinking)) == "let me see"
    second = await done(request(user("Well?"), first, user("Sure?"), model=way.model), where, clients)
    assert second.text == "No."


@pytest.mark.parametrize("way", [way for way in WAYS if way != Way("openai-responses", "anthropic")], ids=str)
async def test_an_answer_that_grew_too_long_is_known_as_such(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Reply("And so", stop="length"))
    answer = await done(request(model=way.model), lite.endpoint(way.api), clients)
    assert answer.text == "And so"
    assert answer.stop == "length"


KINDS: list[tuple[Failure, FailureKind]] = [
    (Failure("auth"), "auth"),
    (Failure("not_found"), "not_found"),
    (Failure("bad_request"), "bad_request"),
    (Failure("rate_limit"), "rate_limit"),
    (Failure("server"), "server"),
    (Failure("context"), "context_too_long"),
]
REFUSED = [
    pytest.param(way, refusal, kind, id=f"{way}: {kind}")
    for way in WAYS
    for refusal, kind in KINDS
    if (way, kind) != (Way("anthropic", "anthropic"), "context_too_long")
]


@pytest.mark.parametrize(("way", "refusal", "kind"), REFUSED)
async def test_what_the_server_behind_refuses(
    way: Way, refusal: Failure, kind: FailureKind, lite: LiteLLM, clients: Clients
) -> None:
    lite.upstream.add(refusal)
    end = await failed(request(model=way.model), lite.endpoint(way.api), clients)
    assert end.failure.kind == kind
    assert end.failure.message.startswith("lite: ")


@every_way
async def test_an_answer_that_fails_midway_keeps_what_came(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(StreamError("overloaded", "half an answer"))
    end = await failed(request(model=way.model), lite.endpoint(way.api), clients)
    assert end.message.text == "half an answer"
    assert end.failure.kind in ("overloaded", "server")


@every_way
async def test_an_answer_that_is_cut_is_never_taken_for_whole(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Cut("half an answer", how="close"))
    end = await failed(request(model=way.model), lite.endpoint(way.api), clients)
    assert "half an answer".startswith(end.message.text)


@every_way
async def test_who_stops_listening_stops_the_server_behind(way: Way, lite: LiteLLM, clients: Clients) -> None:
    lite.upstream.add(Hold("half an answer"))
    async with aclosing(stream(request(model=way.model), lite.endpoint(way.api), clients)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break
    await asyncio.to_thread(lite.upstream.wait_for_disconnect)


@pytest.mark.parametrize("api", ["openai-chat", "gemini"])
async def test_an_answer_of_its_own(api: str, lite: LiteLLM, clients: Clients) -> None:
    answer = await done(request(model="plain"), lite.endpoint(api), clients)
    assert (answer.text, answer.stop) == (MOCKED["plain"], "end")


@pytest.mark.parametrize("api", ["openai-chat", "anthropic", "gemini"])
async def test_a_rate_limit_of_its_own(api: str, lite: LiteLLM, clients: Clients) -> None:
    failure = (await failed(request(model="busy"), lite.endpoint(api), clients)).failure
    assert (failure.kind, failure.status) == ("rate_limit", 429)


@every_api
async def test_a_model_that_it_does_not_have(api: str, lite: LiteLLM, clients: Clients) -> None:
    failure = (await failed(request(model="no-such-model"), lite.endpoint(api), clients)).failure
    assert (failure.kind, failure.status) == ("bad_request", 400)
    assert "Invalid model name passed in model=no-such-model" in failure.message


@every_api
async def test_a_wrong_key(api: str, lite: LiteLLM, clients: Clients) -> None:
    where = lite.endpoint(api, key="sk-another-0f9d")
    failure = (await failed(request(model="plain"), where, clients)).failure
    assert failure.kind == "auth"
    assert failure.hint == "check the key, or set one: api_key in [providers.lite]"
    assert where.api_key not in failure.message


@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic"])
async def test_it_lists_its_models_to_who_has_the_key(api: str, lite: LiteLLM, clients: Clients) -> None:
    found = await list_models(lite.endpoint(api), clients)
    assert not isinstance(found, Problem), found
    assert [model.name for model in found] == sorted({*BEHIND, *MOCKED})
    refused = await list_models(lite.endpoint(api, key="sk-another-0f9d"), clients)
    assert isinstance(refused, Problem)
    assert refused.kind == "auth"
