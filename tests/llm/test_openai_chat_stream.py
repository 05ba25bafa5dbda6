"""Chunks of chat completions as servers really send them, which is not always as the API says."""

import json
from collections.abc import Mapping

import pytest

from panto.json_values import JSONObject
from panto.llm.formats.openai_chat.answer import ChatDecoder
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, USAGE_WAIT, ServerError
from panto.messages import Assistant, Text, Thinking, Usage

MODEL = "local/m"


def fed(*chunks: Mapping[str, object] | str) -> tuple[ChatDecoder, list[StreamEvent]]:
    """A decoder that has read these chunks, and what came of them."""
    decoder = ChatDecoder(ToolNames(["std.read", "std.list"]), MODEL)
    events: list[StreamEvent] = []
    for chunk in chunks:
        data = chunk if isinstance(chunk, str) else json.dumps(chunk)
        events += decoder.feed(ServerEvent("", data.encode()))
    return decoder, events


def delta(finish: str | None = None, **fields: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call(**fields: object) -> dict[str, object]:
    """A delta of one call; ``name`` and ``arguments`` belong to its function."""
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return delta(tool_calls=[{**fields, "function": function}])


def calls(*chunks: Mapping[str, object] | str) -> list[tuple[str, str, object]]:
    message = fed(*chunks, delta("tool_calls"), "[DONE]")[0].message()
    return [(call.id, call.name, call.problem or call.arguments) for call in message.calls]


def test_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    assert calls(
        call(id="a", name="std_read", arguments='{"path": '),
        call(id="b", name="std_list", arguments='{"path": '),
        call(id="a", arguments='"one"}'),
        call(id="b", arguments='"two"}'),
    ) == [("a", "std.read", {"path": "one"}), ("b", "std.list", {"path": "two"})]


def test_calls_without_index_and_id_are_told_apart_by_their_order() -> None:
    found = calls(
        call(name="std_read", arguments='{"path": '),
        call(arguments='"one"}'),
        call(name="std_list", arguments="{}"),
    )
    assert [(name, arguments) for _, name, arguments in found] == [("std.read", {"path": "one"}), ("std.list", {})]
    assert len({id_ for id_, _, _ in found}) == 2
    assert all(id_ for id_, _, _ in found)


def test_calls_that_all_say_index_0_are_told_apart() -> None:
    assert calls(
        call(index=0, id="a", name="std_read", arguments='{"path": "one"}'),
        call(index=0, id="b", name="std_list", arguments='{"path"'),
        call(index=0, arguments=': "two"}'),
    ) == [("a", "std.read", {"path": "one"}), ("b", "std.list", {"path": "two"})]


def test_nulls_and_repetitions_in_later_chunks_mean_nothing() -> None:
    assert calls(
        call(index=0, id="a", name="std_read", arguments=None),
        call(index=0, id=None, name=None, arguments='{"path": '),
        call(index=0, id="", name="", arguments='"x"'),
        call(index=0, id="other-each-time", name=None, arguments="}"),
        delta(tool_calls=None, content=None),
    ) == [("a", "std.read", {"path": "x"})]
    assert calls(
        call(index=0, id="a", name="std_read", arguments='{"path"'),
        call(index=0, id="a", name="std_read", arguments=': "x"}'),
    ) == [("a", "std.read", {"path": "x"})]


def test_two_calls_in_one_chunk_and_indexes_out_of_order() -> None:
    both = delta(
        tool_calls=[
            {"index": 1, "id": "b", "function": {"name": "std_list", "arguments": "{}"}},
            {"index": 0, "id": "a", "function": {"name": "std_read", "arguments": "{}"}},
        ]
    )
    assert [id_ for id_, _, _ in calls(both)] == ["b", "a"]


def test_arguments_that_come_decoded() -> None:
    assert calls(call(index=0, id="a", name="std_read", arguments={"path": "x"})) == [("a", "std.read", {"path": "x"})]


def test_a_call_that_says_nothing_is_none() -> None:
    decoder, _ = fed(delta(content="Hi"), call(index=0, id="", name="", arguments=""), delta("tool_calls"), "[DONE]")
    assert decoder.message() == Assistant((Text("Hi"),), MODEL, "unknown")


def test_ids_that_come_twice_are_made_distinct() -> None:
    found = calls(call(index=0, id="x", name="std_read"), call(index=1, id="x", name="std_list"))
    assert len({id_ for id_, _, _ in found}) == 2


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_read_wherever_it_is(field: str) -> None:
    decoder, _ = fed(
        delta(**{field: "let me "}), delta(**{field: "see"}), delta(content="So."), delta("stop"), "[DONE]"
    )
    assert decoder.message().parts == (Thinking("let me see", {"field": field}), Text("So."))


def test_reasoning_that_comes_twice_is_read_once() -> None:
    decoder, _ = fed(delta(reasoning="hm", reasoning_content="hm"), delta("stop", content="So."))
    assert decoder.message().parts == (Thinking("hm", {"field": "reasoning_content"}), Text("So."))


def test_content_in_blocks() -> None:
    blocks = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "So."}]
    assert fed(delta("stop", content=blocks))[0].message().parts == (Thinking("hm"), Text("So."))


def test_a_refusal_is_shown() -> None:
    decoder, events = fed(delta(refusal="I will "), delta(refusal="not."), delta("stop"))
    assert decoder.message() == Assistant((Text("I will not."),), MODEL, "refused")
    assert len(events) == 2


EMPTY: list[JSONObject | str] = [
    {"choices": []},
    {"choices": None},
    {},
    {"choices": [{}]},
    {"choices": [{"delta": None}]},
    {"choices": [None]},
    {"choices": "?"},
    {"choices": [{"delta": {"tool_calls": [None, {}, "x"]}}]},
    {"choices": [{"delta": {"tool_calls": {"index": 0}}}]},
    {"choices": [{"delta": {"content": 7, "reasoning": ["x"]}}]},
    {"usage": "much", "choices": [{"finish_reason": 3}]},
    "",
    "  ",
]


@pytest.mark.parametrize("chunk", EMPTY)
def test_chunks_that_say_nothing_do_no_harm(chunk: Mapping[str, object] | str) -> None:
    decoder, _ = fed(delta(content="a"), chunk, delta(content="b"), delta("stop"))
    assert decoder.message() == Assistant((Text("ab"),), MODEL, "end")


@pytest.mark.parametrize(
    ("chunk", "usage"),
    [
        ({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}, Usage(9, 4)),
        ({"choices": [{"delta": {}, "usage": {"prompt_tokens": 9, "completion_tokens": 4}}]}, Usage(9, 4)),
        ({"choices": [], "x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 4}}}, Usage(9, 4)),
        (
            {
                "usage": {
                    "prompt_tokens": 9,
                    "completion_tokens": 4,
                    "prompt_tokens_details": {"cached_tokens": 0},
                    "completion_tokens_details": {"reasoning_tokens": 3},
                }
            },
            Usage(9, 4, cached=0, reasoning=3),
        ),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 8}}, Usage(9, 4, cached=8)),
        ({"usage": {"prompt_tokens": 0, "completion_tokens": 0}}, Usage()),
        ({"usage": {"completion_tokens": 4}}, Usage(output=4)),
        ({"usage": {"prompt_tokens": "9", "completion_tokens": None}}, Usage()),
        ({"usage": None}, Usage()),
        ({"usage": {}}, Usage()),
    ],
)
def test_usage_where_servers_put_it(chunk: Mapping[str, object], usage: Usage) -> None:
    assert fed(delta(content="a"), delta("stop"), chunk)[0].message().usage == usage


def test_usage_that_grows_with_each_chunk_counts_as_it_is_at_last() -> None:
    chunks = [{**delta(content="a"), "usage": {"prompt_tokens": 9, "completion_tokens": count}} for count in range(3)]
    assert fed(*chunks, delta("stop"))[0].message().usage == Usage(9, 2)


def test_how_long_more_is_waited_for() -> None:
    assert fed(delta(content="a"))[0].patience is None
    assert fed(delta(content="a"), delta("stop"))[0].patience == USAGE_WAIT
    counted: JSONObject = {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    assert fed(delta("stop"), counted)[0].patience == END_WAIT
    assert fed(counted, delta("stop"))[0].patience == END_WAIT
    assert fed(counted)[0].patience is None
    assert fed("[DONE]")[0].patience == END_WAIT


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("eos", "end"), ("function_call", "unknown"), ("model_length", "length"), ("content_filter", "refused")],
)
def test_reasons_of_other_servers(reason: str, stop: str) -> None:
    assert fed(delta(content="a"), delta(reason))[0].message().stop == stop


@pytest.mark.parametrize(
    "chunk",
    [
        {"error": {"message": "boom", "code": 502}},
        {"error": "boom"},
        {"id": "x", "error": {"message": "boom"}, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]},
        {"choices": [{"delta": {}, "finish_reason": "error", "error": {"message": "boom"}}]},
        {"object": "error", "message": "boom", "type": "internal"},
    ],
)
def test_errors_in_the_stream(chunk: Mapping[str, object]) -> None:
    with pytest.raises(ServerError) as caught:
        fed(delta(content="a"), chunk)
    assert caught.value.error["message"] == "boom"
