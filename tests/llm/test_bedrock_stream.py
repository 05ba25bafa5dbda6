"""What Bedrock alone does in its answers, over real HTTP."""

import pytest

from panto.llm.client import Clients
from panto.llm.stream import stream
from panto.llm.types import Done, FailureKind
from panto.messages import Text, Thinking
from tests.llm.talking import collected, done, endpoint, failed, request, thoughts
from tests.support.llm.bedrock.frames import event, exception
from tests.support.llm_server import Events, LLMServer, Raw, Reply, Status, StreamError, Usage

STOP = {"messageStop": {"stopReason": "end_turn"}}


def delta(place: int, **what: object) -> dict[str, object]:
    return {"contentBlockDelta": {"contentBlockIndex": place, "delta": what}}


async def test_thinking_is_kept_with_its_signature(clients: Clients) -> None:
    script = [
        delta(0, reasoningContent={"text": "hm, "}),
        delta(0, reasoningContent={"text": "so"}),
        delta(0, reasoningContent={"signature": "ab"}),
        delta(0, reasoningContent={"signature": "cd"}),
        delta(1, reasoningContent={"redactedContent": "c2VhbGVk"}),
        delta(2, text="So."),
        STOP,
    ]
    with LLMServer([Events(script)]) as server:
        events = await collected(stream(request(), endpoint("bedrock", server), clients))
    end = events[-1]
    assert isinstance(end, Done)
    assert thoughts(events) == "hm, so"
    first, second, text = end.message.parts
    assert isinstance(first, Thinking)
    assert isinstance(second, Thinking)
    assert (first.text, first.opaque["signature"]) == ("hm, so", "abcd")
    assert (second.text, second.opaque["redacted"]) == ("", "c2VhbGVk")
    assert text == Text("So.")


async def test_usage_counts_all_that_was_sent(clients: Clients) -> None:
    with LLMServer([Reply("a", usage=Usage(100, 20, cached=60, cache_write=10))]) as server:
        usage = (await done(request(), endpoint("bedrock", server), clients)).usage
    assert (usage.input, usage.output, usage.cached, usage.cache_written) == (100, 20, 60, 10)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("guardrail_intervened", "refused"),
        ("content_filtered", "refused"),
        ("malformed_tool_use", "unknown"),
        ("", "unknown"),
    ],
)
async def test_why_it_stopped(reason: str, stop: str, clients: Clients) -> None:
    with LLMServer([Events([delta(0, text="a"), {"messageStop": {"stopReason": reason}}])]) as server:
        assert (await done(request(), endpoint("bedrock", server), clients)).stop == stop


@pytest.mark.parametrize(
    "odd",
    [
        {"contentBlockStart": {}},
        {"contentBlockStart": {"contentBlockIndex": 9, "start": {"image": {}}}},
        {"contentBlockDelta": {}},
        {"contentBlockDelta": {"contentBlockIndex": None, "delta": None}},
        {"contentBlockDelta": {"contentBlockIndex": 9, "delta": {"toolUse": {"input": "{}"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 9, "delta": {"text": None, "reasoningContent": []}}},
        {"contentBlockStop": {}},
        {"metadata": {"usage": None}},
        {"somethingNew": {"a": 1}},
    ],
)
async def test_events_that_say_nothing(odd: dict[str, object], clients: Clients) -> None:
    with LLMServer([Events([odd, delta(0, text="fine"), STOP])]) as server:
        message = await done(request(), endpoint("bedrock", server), clients)
    assert (message.text, message.calls, message.stop) == ("fine", (), "end")


async def test_deltas_without_an_index_fill_the_latest_block(clients: Clients) -> None:
    script = [
        {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "c1", "name": "std_read"}}}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"path":'}}}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": '"a"}'}}}},
        STOP,
    ]
    with LLMServer([Events(script)]) as server:
        (call,) = (await done(request(), endpoint("bedrock", server), clients)).calls
    assert (call.id, call.name, call.arguments) == ("c1", "std.read", {"path": "a"})


EXCEPTIONS: list[tuple[str, str, FailureKind]] = [
    ("throttlingException", "Too many tokens, please wait", "rate_limit"),
    ("modelStreamErrorException", "The model failed", "server"),
    ("internalServerException", "oops", "server"),
    ("serviceUnavailableException", "busy", "overloaded"),
    ("validationException", "The value is wrong", "bad_request"),
    ("validationException", "Input is too long for requested model.", "context_too_long"),
    ("somethingNewException", "never heard of", "server"),
]


@pytest.mark.parametrize(("name", "words", "kind"), EXCEPTIONS)
async def test_exceptions_in_the_midst(name: str, words: str, kind: FailureKind, clients: Clients) -> None:
    said = event("contentBlockDelta", b'{"contentBlockIndex": 0, "delta": {"text": "so far"}}')
    with LLMServer([Raw([said + exception(name, f'{{"message": "{words}"}}'.encode())])]) as server:
        end = await failed(request(), endpoint("bedrock", server), clients)
    assert (end.failure.kind, end.message.text) == (kind, "so far")
    assert words in end.failure.message


@pytest.mark.parametrize("payload", [b"", b"{}", b"no json", b"[]"])
async def test_an_exception_without_words(payload: bytes, clients: Clients) -> None:
    with LLMServer([Raw([exception("throttlingException", payload)])]) as server:
        end = await failed(request(), endpoint("bedrock", server), clients)
    assert (end.failure.kind, "throttlingException" in end.failure.message) == ("rate_limit", True)


@pytest.mark.parametrize("place", [0, 9, 40, -1])
async def test_broken_frames_are_told_and_what_came_is_kept(place: int, clients: Clients) -> None:
    good = event("contentBlockDelta", b'{"contentBlockIndex": 0, "delta": {"text": "so far"}}')
    bad = bytearray(good)
    bad[place] ^= 0x80
    with LLMServer([Raw([good, bytes(bad)])]) as server:
        end = await failed(request(), endpoint("bedrock", server), clients)
    assert (end.failure.kind, end.message.text) == ("protocol", "so far")


REFUSALS: list[tuple[int, str, str, FailureKind, str]] = [
    (403, "AccessDeniedException", "You don't have access to the model with that ID.", "auth", "console of Bedrock"),
    (403, "AccessDeniedException", "User: x is not authorized to perform: y", "auth", "InvokeModelWithResponseStream"),
    (403, "ExpiredTokenException", "The security token included in the request is expired", "auth", "aws sso login"),
    (403, "UnrecognizedClientException", "The security token is invalid.", "auth", "check the key"),
    (429, "ThrottlingException", "Too many requests", "rate_limit", "wait"),
    (429, "ModelNotReadyException", "The model is not ready", "overloaded", "again"),
    (400, "ServiceQuotaExceededException", "quota exceeded", "quota", "account"),
    (404, "ResourceNotFoundException", "no such model", "not_found", "check the model's name"),
    (400, "ValidationException", "The provided model identifier is invalid.", "bad_request", "in your region"),
    (
        400,
        "ValidationException",
        "Invocation of model ID m with on-demand throughput isn't supported.",
        "bad_request",
        "us.test-model",
    ),
    (400, "ValidationException", "Input is too long for requested model.", "context_too_long", "no longer fits"),
    (424, "ModelErrorException", "The model failed", "server", "again"),
    (408, "ModelTimeoutException", "too slow", "server", "again"),
    (503, "ServiceUnavailableException", "busy", "overloaded", "again"),
]


@pytest.mark.parametrize(("status", "name", "words", "kind", "hint"), REFUSALS)
async def test_what_to_do_is_said(
    status: int, name: str, words: str, kind: FailureKind, hint: str, clients: Clients
) -> None:
    answer = Status(status, f'{{"message": "{words}"}}', {"x-amzn-errortype": f"{name}:http://amazon.com/"})
    with LLMServer([answer]) as server:
        end = await failed(request(), endpoint("bedrock", server), clients)
    assert (end.failure.kind, end.failure.message) == (kind, f"local: {words} (HTTP {status})")
    assert hint in end.failure.hint


async def test_words_with_a_capital_letter_or_none_at_all(clients: Clients) -> None:
    named = {"x-amzn-errortype": "ThrottlingException"}
    with LLMServer([Status(403, '{"Message": "no"}'), Status(429, "", named)]) as server:
        where = endpoint("bedrock", server)
        assert (await failed(request(), where, clients)).failure.message == "local: no (HTTP 403)"
        end = await failed(request(), where, clients)
    assert (end.failure.kind, "ThrottlingException" in end.failure.message) == ("rate_limit", True)


async def test_an_exception_after_text_keeps_the_text(clients: Clients) -> None:
    with LLMServer([StreamError("rate_limit", after="some text")]) as server:
        end = await failed(request(), endpoint("bedrock", server), clients)
    assert (end.failure.kind, end.message.text) == ("rate_limit", "some text")
