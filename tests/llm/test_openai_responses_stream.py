"""Events of responses as servers really send them, which is not always as the API says."""

import json
from collections.abc import Mapping

import pytest

from panto.json_values import JSONObject
from panto.llm.failures import reported
from panto.llm.formats.openai_responses.answer import ResponseDecoder
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import Endpoint, FailureKind, StreamEvent, TextDelta, ThinkingDelta
from panto.llm.wire import END_WAIT, ServerError
from panto.messages import Assistant, Text, Thinking, Usage

MODEL = "local/m"
COMPLETED: JSONObject = {"type": "response.completed", "response": {"status": "completed", "output": []}}
WHERE = Endpoint("local", "openai-responses", "http://127.0.0.1:1/v1")


def fed(*events: Mapping[str, object] | str) -> tuple[ResponseDecoder, list[StreamEvent]]:
    """A decoder that has read these events, and what came of them."""
    decoder = ResponseDecoder(ToolNames(["std.read", "std.list"]), MODEL)
    deltas: list[StreamEvent] = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        deltas += decoder.feed(ServerEvent("", data.encode()))
    return decoder, deltas


def message(*events: Mapping[str, object] | str) -> Assistant:
    return fed(*events)[0].message()


def added(place: int | None, **item: object) -> JSONObject:
    where = {} if place is None else {"output_index": place}
    return {"type": "response.output_item.added", **where, "item": item}


def done(place: int | None, **item: object) -> JSONObject:
    return {**added(place, **item), "type": "response.output_item.done"}


def delta(kind: str, place: int | None, text: str, **where: object) -> JSONObject:
    at = {} if place is None else {"output_index": place}
    return {"type": f"response.{kind}.delta", **at, **where, "delta": text}


def ended(status: str = "completed", **response: object) -> JSONObject:
    return {"type": f"response.{status}", "response": {"status": status, **response}}


def called(*events: Mapping[str, object] | str) -> list[tuple[str, str, object]]:
    return [(call.id, call.name, call.problem or call.arguments) for call in message(*events, COMPLETED).calls]


ARGUMENTS = "function_call_arguments"


def test_everything_keeps_its_order() -> None:
    decoder, events = fed(
        added(0, type="reasoning", id="rs_1", summary=[]),
        delta("reasoning_summary_text", 0, "hm"),
        done(0, type="reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="E1"),
        added(1, type="message", id="msg_1", role="assistant", content=[]),
        delta("output_text", 1, "Look"),
        added(2, type="reasoning", id="rs_2", summary=[]),
        done(2, type="reasoning", id="rs_2", summary=[], encrypted_content="E2"),
        added(3, type="message", id="msg_2", role="assistant", content=[]),
        delta("output_text", 3, "there"),
        COMPLETED,
    )
    summary = [{"type": "summary_text", "text": "hm"}]
    assert decoder.message().parts == (
        Thinking(
            "hm",
            {
                "item": {"id": "rs_1", "summary": summary, "encrypted_content": "E1"},
                "next": [{"type": "message", "id": "msg_1"}],
            },
        ),
        Text("Look"),
        Thinking(
            "",
            {
                "item": {"id": "rs_2", "summary": [], "encrypted_content": "E2"},
                "next": [{"type": "message", "id": "msg_2"}],
            },
        ),
        Text("there"),
    )
    assert events == [ThinkingDelta("hm"), TextDelta("Look"), TextDelta("there")]


def test_a_phase_is_kept_where_there_is_no_reasoning() -> None:
    events = (added(0, type="message", id="m", phase="final_answer"), delta("output_text", 0, "So."), COMPLETED)
    kept: JSONObject = {"next": [{"type": "message", "id": "m", "phase": "final_answer"}]}
    assert message(*events).parts == (Thinking("", kept), Text("So."))
    plain = (added(0, type="message", id="m"), delta("output_text", 0, "So."), COMPLETED)
    assert message(*plain).parts == (Text("So."),)


def test_encrypted_reasoning_counts_only_when_it_is_whole() -> None:
    begun = (added(0, type="reasoning", id="r", encrypted_content="half"), delta("reasoning_summary_text", 0, "hm"))
    assert message(*begun).parts == (Thinking("hm"),)
    none: list[object] = []
    only_at_the_end = ended(output=[{"type": "reasoning", "id": "r", "summary": none, "encrypted_content": "whole"}])
    (thought,) = message(*begun, only_at_the_end).parts
    assert isinstance(thought, Thinking)
    assert thought.text == "hm"
    assert thought.opaque == {"item": {"id": "r", "summary": [], "encrypted_content": "whole"}, "next": []}


def test_parts_of_a_summary_are_paragraphs() -> None:
    parts = [delta("reasoning_summary_text", 0, text, summary_index=n) for n, text in ((0, "a"), (0, "b"), (1, "c"))]
    assert message(added(0, type="reasoning"), *parts, COMPLETED).parts == (Thinking("ab\n\nc"),)


def test_reasoning_in_clear_is_shown_and_a_summary_of_it_not_again() -> None:
    clear = delta("reasoning_text", 0, "hm", content_index=0)
    again = delta("reasoning_summary_text", 0, "In short: hm", summary_index=0)
    assert message(added(0, type="reasoning"), clear, again, COMPLETED).parts == (Thinking("hm"),)


def test_calls_grow_side_by_side() -> None:
    assert called(
        added(0, type="function_call", id="f1", call_id="a", name="std_read", arguments=""),
        added(1, type="function_call", id="f2", call_id="b", name="std_list", arguments=""),
        delta(ARGUMENTS, 0, '{"path": ', item_id="f1"),
        delta(ARGUMENTS, 1, '{"path": "two"}', item_id="f2"),
        delta(ARGUMENTS, 0, '"one"}', item_id="f1"),
    ) == [("a", "std.read", {"path": "one"}), ("b", "std.list", {"path": "two"})]


def test_items_are_told_apart_by_id_where_all_have_one_place() -> None:
    assert called(
        added(0, type="function_call", id="f1", call_id="a", name="std_read"),
        added(0, type="function_call", id="f2", call_id="b", name="std_list"),
        delta(ARGUMENTS, 0, '{"path": "one"}', item_id="f1"),
        delta(ARGUMENTS, 0, "{}", item_id="f2"),
        done(0, type="function_call", id="f1", call_id="a", name="std_read", arguments='{"path": "one"}'),
    ) == [("a", "std.read", {"path": "one"}), ("b", "std.list", {})]


def test_items_are_told_apart_by_place_where_ids_differ_each_time() -> None:
    whole = {"type": "function_call", "id": "z", "call_id": "a", "name": "std_read", "arguments": '{"path": "one"}'}
    assert called(
        added(0, type="function_call", id="x", call_id="a", name="std_read"),
        delta(ARGUMENTS, 0, '{"path": "one"}', item_id="y"),
        done(0, **whole),
        ended(output=[{**whole, "id": "zz"}]),
    ) == [("a", "std.read", {"path": "one"})]


def test_items_without_place_and_id_follow_one_another() -> None:
    assert called(
        added(None, type="function_call", call_id="a", name="std_read"),
        delta(ARGUMENTS, None, '{"path": '),
        delta(ARGUMENTS, None, '"one"}'),
        done(None, type="function_call", call_id="a", name="std_read", arguments='{"path": "one"}'),
        added(None, type="function_call", call_id="b", name="std_list"),
        delta(ARGUMENTS, None, "{}"),
    ) == [("a", "std.read", {"path": "one"}), ("b", "std.list", {})]


def test_arguments_that_come_only_at_the_end() -> None:
    call = {"type": "function_call", "call_id": "a", "name": "std_read"}
    assert called(added(0, **call), {"type": f"response.{ARGUMENTS}.done", "output_index": 0, "arguments": "{}"}) == [
        ("a", "std.read", {})
    ]
    assert called(done(0, **call, arguments={"path": "x"})) == [("a", "std.read", {"path": "x"})]
    assert called(ended(output=[{**call, "arguments": '{"path": "x"}'}])) == [("a", "std.read", {"path": "x"})]


def test_arguments_that_were_cut_off_are_not_run() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "a", "name": "std_read"}
    cut = ended("incomplete", incomplete_details={"reason": "max_output_tokens"}, output=[{**call, "arguments": None}])
    answer = message(added(0, **call), cut)
    assert [(found.problem, found.raw) for found in answer.calls] == [
        ("its arguments were cut off by the length limit", "")
    ]


def test_text_that_comes_only_at_the_end_comes_once() -> None:
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]}
    _, events = fed(added(0, type="message", id="m"), done(0, **item), ended(output=[item]))
    assert events == [TextDelta("Hello")]
    _, events = fed(delta("output_text", 0, "Hello", item_id="m"), done(0, **item), ended(output=[item]))
    assert events == [TextDelta("Hello")]


def test_a_blank_message_is_none() -> None:
    answer = message(
        added(0, type="reasoning", id="r"),
        done(0, type="reasoning", id="r", encrypted_content="E"),
        added(1, type="message", id="m"),
        delta("output_text", 1, "\n"),
        done(1, type="message", id="m", content=[{"type": "output_text", "text": "\n"}]),
        done(2, type="function_call", id="f", call_id="c", name="std_list", arguments="{}"),
        COMPLETED,
    )
    thought = answer.parts[0]
    assert isinstance(thought, Thinking)
    assert thought.opaque["next"] == [{"type": "function_call", "id": "f"}]
    assert [type(part) for part in answer.parts[1:]] == [type(call) for call in answer.calls]


@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_refusal_is_shown(at_the_end: bool) -> None:
    item = {"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]}
    events = [done(0, **item)] if at_the_end else [delta("refusal", 0, "I will "), delta("refusal", 0, "not.")]
    assert message(*events, COMPLETED) == Assistant((Text("I will not."),), MODEL, "refused")


def test_items_of_other_kinds_are_kept_out() -> None:
    answer = message(
        added(0, type="web_search_call", id="ws", status="in_progress"),
        {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws"},
        done(0, type="web_search_call", id="ws", status="completed"),
        delta("code_interpreter_call_code", 0, "print()"),
        delta("output_text", 1, "Found."),
        {"type": "response.something.new", "message": "m", "code": "c"},
        ended(output=[{"type": "web_search_call", "id": "ws"}, {"type": "message"}, None, "x"]),
    )
    assert answer == Assistant((Text("Found."),), MODEL, "end")


EMPTY: list[JSONObject | str] = [
    {},
    {"type": None},
    {"type": "response.in_progress"},
    {"type": "response.output_text.delta", "delta": None},
    {"type": "response.output_text.delta", "delta": 7, "output_index": "x"},
    {"type": "response.output_item.added", "item": None, "output_index": 7},
    {"type": "response.output_item.done"},
    {"type": "response.reasoning_text.delta", "output_index": 9},
    {"type": "response.content_part.added", "part": {"type": "output_text", "text": ""}},
    {"type": "keepalive"},
    "",
    "  ",
]


@pytest.mark.parametrize("event", EMPTY)
def test_events_that_say_nothing_do_no_harm(event: Mapping[str, object] | str) -> None:
    answer = message(delta("output_text", 0, "a"), event, delta("output_text", 0, "b"), COMPLETED)
    assert answer == Assistant((Text("ab"),), MODEL, "end")


@pytest.mark.parametrize(
    ("end", "stop"),
    [
        (ended(), "end"),
        (ended("incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (ended("incomplete", incomplete_details={"reason": "content_filter"}), "refused"),
        (ended("incomplete", incomplete_details={"reason": "boredom"}), "unknown"),
        (ended("incomplete", incomplete_details=None), "unknown"),
        ({"type": "response.completed", "response": {"status": "incomplete"}}, "unknown"),
        ({"type": "response.completed"}, "end"),
        ({"type": "response.done", "response": {"status": "completed"}}, "end"),
        ("[DONE]", "end"),
    ],
)
def test_why_it_ended(end: Mapping[str, object] | str, stop: str) -> None:
    decoder, _ = fed(delta("output_text", 0, "a"))
    assert decoder.patience is None
    decoder, _ = fed(delta("output_text", 0, "a"), end)
    assert decoder.patience == END_WAIT
    assert decoder.message().stop == stop


ITEMS: list[JSONObject] = [
    {"id": "m", "type": "message"},
    {"id": "r", "type": "reasoning"},
    {"id": "f", "type": "function_call", "call_id": "c", "name": "std_read"},
]


@pytest.mark.parametrize("item", ITEMS)
def test_done_is_no_end_while_an_item_is_open(item: JSONObject) -> None:
    """Proxies say so, too, when the server behind them broke off."""
    decoder, _ = fed(added(0, **item), "[DONE]")
    assert decoder.patience is None
    decoder, _ = fed(added(0, **item), done(0, **item), "[DONE]")
    assert decoder.patience == END_WAIT
    decoder, _ = fed(added(0, **item), COMPLETED, "[DONE]")
    assert decoder.patience == END_WAIT


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 9, "output_tokens": 4}, Usage(9, 4)),
        (
            {
                "input_tokens": 9,
                "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 1},
                "output_tokens": 4,
                "output_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(9, 4, cached=8, cache_written=1, reasoning=3),
        ),
        ({"input_tokens": 0, "output_tokens": 4}, Usage(None, 4)),
        ({"input_tokens": "9", "output_tokens": None}, Usage()),
        (None, Usage()),
    ],
)
def test_usage(usage: object, expected: Usage) -> None:
    assert message(delta("output_text", 0, "a"), ended(usage=usage)).usage == expected


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "boom", "param": None}, "rate_limit"),
        ({"type": "error", "code": None, "message": "boom"}, "server"),
        ({"type": "error", "message": "boom"}, "server"),
        ({"type": "error", "error": {"type": "insufficient_quota", "message": "boom"}}, "quota"),
        ({"error": {"code": "server_is_overloaded", "message": "boom"}}, "overloaded"),
        (ended("failed", error={"code": "context_length_exceeded", "message": "boom"}), "context_too_long"),
        (ended("failed", error={"code": "invalid_prompt", "message": "boom"}), "bad_request"),
        (ended("failed", error={"code": "server_error", "message": "boom"}), "server"),
        ({"object": "response", "status": "failed", "error": {"code": "slow_down", "message": "boom"}}, "overloaded"),
    ],
)
def test_errors_in_the_stream(event: Mapping[str, object], kind: FailureKind) -> None:
    with pytest.raises(ServerError) as caught:
        fed(delta("output_text", 0, "a"), event)
    failure = reported(WHERE, caught.value.error)
    assert (failure.kind, failure.message) == (kind, "local: boom")


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_failure_without_an_error_is_one(status: str) -> None:
    with pytest.raises(ServerError) as caught:
        fed(ended(status, error=None))
    assert status in str(caught.value.error["message"])


def test_what_is_no_object_is_not_of_this_api() -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        fed("[1]")
