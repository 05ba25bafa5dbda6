"""Chunks of a generated content, also from servers that only nearly speak this API."""

import json
from collections.abc import Mapping

import pytest

from panto.llm.client import Clients
from panto.llm.formats.gemini.answer import ContentDecoder
from panto.llm.names import ToolNames
from panto.llm.retry import stream_with_retries
from panto.llm.sse import ServerEvent
from panto.llm.types import Done, FailureKind, StreamEvent
from panto.llm.wire import END_WAIT, USAGE_WAIT
from panto.messages import Assistant, Text, Thinking, ToolCall, Usage
from tests.llm.talking import call_deltas, collected, endpoint, failed, request, texts, thoughts
from tests.support.llm_server import Events, LLMServer, Raw

MODEL = "local/m"


def fed(*chunks: object) -> tuple[ContentDecoder, list[StreamEvent]]:
    """A decoder that has read these chunks, and what came of them."""
    decoder = ContentDecoder(ToolNames(["std.read"]), MODEL)
    deltas: list[StreamEvent] = []
    for chunk in chunks:
        deltas += decoder.feed(ServerEvent("", json.dumps(chunk).encode()))
    return decoder, deltas


def parts(*found: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"candidates": [{"content": {"role": "model", "parts": list(found)}, **more}]}


def text(words: str, signature: str = "", **more: object) -> dict[str, object]:
    return {"text": words, **({"thoughtSignature": signature} if signature else {}), **more}


def thought(words: str, signature: str = "") -> dict[str, object]:
    return text(words, signature, thought=True)


def call(signature: str = "", **function: object) -> dict[str, object]:
    return {"functionCall": function, **({"thoughtSignature": signature} if signature else {})}


def end(reason: str = "STOP", **usage: int) -> dict[str, object]:
    chunk: dict[str, object] = {"candidates": [{"finishReason": reason}]}
    return {**chunk, "usageMetadata": usage} if usage else chunk


def test_thoughts_text_and_calls_come_in_their_order() -> None:
    decoder, deltas = fed(
        parts(thought("let me "), thought("see")),
        parts(text("Look"), text(" here:")),
        parts(call("c2ln", id="x1", name="std_read", args={"path": "a"}), call(id="x2", name="std_read", args={})),
        end(),
    )
    assert decoder.message() == Assistant(
        (
            Thinking("let me see", {"part": "thought"}),
            Text("Look here:"),
            ToolCall("x1", "std.read", {"path": "a"}, {"thoughtSignature": "c2ln"}),
            ToolCall("x2", "std.read", {}),
        ),
        MODEL,
        "tool_calls",
    )
    assert texts(deltas) == ["Look", " here:"]
    assert thoughts(deltas) == "let me see"
    assert [(delta.index, delta.name, delta.arguments) for delta in call_deltas(deltas)] == [
        (0, "std.read", ""),
        (0, "std.read", '{"path":"a"}'),
        (1, "std.read", ""),
        (1, "std.read", "{}"),
    ]


def test_signatures_are_kept_with_the_pieces_they_came_on() -> None:
    decoder, deltas = fed(
        parts(thought("hm", "dGg=")),
        parts(text("So ")),
        parts(text("it ", "b25l")),
        parts(text("is."), text("", "dHdv")),
        end(),
    )
    assert decoder.message().parts == (
        Thinking("hm", {"part": "thought", "signed": [[0, 2, "dGg="]]}),
        Thinking("", {"part": "text", "signed": [[3, 6, "b25l"], [9, 9, "dHdv"]]}),
        Text("So it is."),
    )
    assert "".join(texts(deltas)) == "So it is."


def test_an_empty_text_may_be_signed_anywhere() -> None:
    first, _ = fed(parts(text("", "c2ln")), parts(text("Hi")), end())
    assert first.message().parts == (Thinking("", {"part": "text", "signed": [[0, 0, "c2ln"]]}), Text("Hi"))
    assert fed(parts({"thoughtSignature": "c2ln"}), parts(text("Hi")), end())[0].message() == first.message()
    behind, _ = fed(parts(call(id="a", name="std_read")), parts(text("", "b25l"), text("", "dHdv")), end())
    assert behind.message().parts == (ToolCall("a", "std.read", {}, {"behind": ["b25l", "dHdv"]}),)
    before, _ = fed(parts(thought("hm"), text("", "c2ln"), call(id="a", name="std_read")), end())
    assert [type(part) for part in before.message().parts] == [Thinking, Thinking, ToolCall]


def test_halves_of_a_character_count_as_one() -> None:
    decoder, _ = fed(parts(text("\ud83d")), parts(text("\ude00!", "c2ln")), end())
    note, words = decoder.message().parts
    assert (note, words) == (Thinking("", {"part": "text", "signed": [[0, 2, "c2ln"]]}), Text("😀!"))


def test_calls_without_ids_get_some() -> None:
    decoder, _ = fed(parts(call(name="std_read", args={"path": "a"}), call(name="std_read", args={"path": "b"})), end())
    first, second = decoder.message().calls
    assert [first.arguments, second.arguments] == [{"path": "a"}, {"path": "b"}]
    assert first.id != second.id
    assert first.id.startswith("call_")


def test_the_reason_may_come_after_the_call() -> None:
    decoder, _ = fed(parts(call(id="a", name="std_read", args={})), parts(text(""), finishReason="STOP"))
    assert decoder.message().stop == "tool_calls"


def test_a_part_with_text_and_a_call_is_both() -> None:
    decoder, _ = fed(parts({**text("Look"), **call("c2ln", id="a", name="std_read")}), end())
    assert decoder.message().parts == (Text("Look"), ToolCall("a", "std.read", {}, {"thoughtSignature": "c2ln"}))


NOTHING: dict[str, object] = {}
SILENT: list[object] = [
    {"candidates": []},
    {"candidates": None},
    {"candidates": [None]},
    {"candidates": [NOTHING]},
    {"candidates": [{"content": NOTHING, "index": 0}]},
    {"candidates": [{"content": {"parts": None}}]},
    parts(),
    parts(NOTHING),
    parts(text("")),
    parts({"text": None}),
    parts({"functionCall": None}),
    parts({"functionCall": NOTHING}),
    parts({"executableCode": {"code": "1"}}),
    parts({"thoughtSignature": None}),
    {"candidates": [{"content": {"parts": [None, 3]}}]},
    end("FINISH_REASON_UNSPECIFIED"),
    {"promptFeedback": {"safetyRatings": []}},
    {"usageMetadata": {"promptTokenCount": None}},
    {"responseId": "x"},
    NOTHING,
    [],
]


@pytest.mark.parametrize("chunk", SILENT)
def test_chunks_that_say_nothing_do_no_harm(chunk: object) -> None:
    decoder, _ = fed(parts(text("a")), chunk, parts(text("b")))
    assert decoder.patience is None
    assert decoder.message("cut").text == "ab"
    decoder.feed(ServerEvent("", json.dumps(end()).encode()))
    assert decoder.message() == Assistant((Text("ab"),), MODEL, "end")


@pytest.mark.parametrize(
    ("reason", "means"),
    [
        ("STOP", "end"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "refused"),
        ("RECITATION", "refused"),
        ("PROHIBITED_CONTENT", "refused"),
        ("OTHER", "unknown"),
        ("A_NEW_ONE", "unknown"),
    ],
)
def test_why_it_stopped(reason: str, means: str) -> None:
    assert fed(parts(text("a")), end(reason))[0].message().stop == means


def test_a_call_before_a_refusal_or_a_cut_is_whole() -> None:
    for reason, stop in (("MAX_TOKENS", "length"), ("SAFETY", "refused"), ("OTHER", "tool_calls")):
        message = fed(parts(call(id="a", name="std_read", args={"path": "a"})), end(reason))[0].message()
        assert (message.stop, message.calls[0].problem) == (stop, "")


def test_a_prompt_that_is_blocked_is_refused() -> None:
    decoder, _ = fed(
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 7}}
    )
    assert decoder.message() == Assistant((), MODEL, "refused", Usage(7))
    assert decoder.patience == END_WAIT


def test_usage_counts_thoughts_as_output() -> None:
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 30,
        "toolUsePromptTokenCount": 5,
        "totalTokenCount": 155,
    }
    early = {**parts(text("a")), "usageMetadata": {"promptTokenCount": 100, "thoughtsTokenCount": 10}}
    assert fed(early, end("STOP", **usage))[0].message().usage == Usage(105, 50, cached=60, reasoning=30)
    assert fed(early)[0].message("cut").usage == Usage(100, 10, reasoning=10)
    assert fed(end())[0].message().usage == Usage()


def test_how_long_more_is_waited_for() -> None:
    assert fed(parts(text("a")))[0].patience is None
    assert fed({**parts(text("a")), "usageMetadata": {"promptTokenCount": 1}}, end())[0].patience == USAGE_WAIT
    assert fed(end("STOP", promptTokenCount=1))[0].patience == END_WAIT
    assert fed(end("STOP", promptTokenCount=1), {"responseId": "x"})[0].patience == END_WAIT
    assert fed(end(), {"usageMetadata": {"promptTokenCount": 1}})[0].patience == END_WAIT


async def test_a_list_of_chunks_is_an_answer_too(clients: Clients) -> None:
    """So the API answers those who do not ask for events."""
    body = json.dumps([parts(text("All ")), parts(text("at once")), end()]).encode()
    with LLMServer([Raw(body, headers={"content-type": "application/json"})]) as server:
        (*_, done) = await collected(stream_with_retries(request(), endpoint("gemini", server), clients))
    assert isinstance(done, Done)
    assert done.message.text == "All at once"


FAULTS: list[tuple[str, FailureKind]] = [
    ("MALFORMED_FUNCTION_CALL", "server"),
    ("UNEXPECTED_TOOL_CALL", "server"),
    ("MALFORMED_RESPONSE", "server"),
    ("MISSING_THOUGHT_SIGNATURE", "bad_request"),
]


@pytest.mark.parametrize(("reason", "kind"), FAULTS)
async def test_an_end_that_is_none_is_told_and_nothing_is_run(reason: str, kind: FailureKind, clients: Clients) -> None:
    words = "Malformed function call: print(default_api.read())"
    good = parts(text("Look: "), call(id="a", name="std_read", args={"path": "a"}))
    broken = {"candidates": [{"content": NOTHING, "finishReason": reason, "finishMessage": words}]}
    with LLMServer([Events([good, broken])]) as server:
        end = await failed(request(), endpoint("gemini", server), clients)
    assert end.failure.kind == kind
    assert reason in end.failure.message
    assert words in end.failure.message
    assert end.message.text == "Look: "
    assert [bool(call.problem) for call in end.message.calls] == [True]


async def test_a_malformed_call_is_asked_for_again_if_nothing_else_had_come(clients: Clients) -> None:
    async def at_once(_seconds: float) -> None:
        pass

    with LLMServer([Events([end("MALFORMED_FUNCTION_CALL")]), "Better."]) as server:
        events = await collected(stream_with_retries(request(), endpoint("gemini", server), clients, at_once))
    assert isinstance(events[-1], Done)
