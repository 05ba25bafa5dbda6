"""Events of the messages API, also from servers that only nearly speak it."""

import json
from collections.abc import Mapping

import pytest

from panto.llm.formats.anthropic.answer import MessageDecoder
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, USAGE_WAIT, ServerError
from panto.messages import Assistant, Text, Thinking, ToolCall, Usage

MODEL = "local/m"


def fed(*events: Mapping[str, object]) -> tuple[MessageDecoder, list[StreamEvent]]:
    """A decoder that has read these events, and what came of them."""
    decoder = MessageDecoder(ToolNames(["std.read"]), MODEL, {"prefix": "p"})
    deltas: list[StreamEvent] = []
    for event in events:
        deltas += decoder.feed(ServerEvent("", json.dumps(event).encode()))
    return decoder, deltas


def start(index: int | None, **block: object) -> dict[str, object]:
    event: dict[str, object] = {"type": "content_block_start", "content_block": block}
    return event | ({} if index is None else {"index": index})


def delta(index: int | None, kind: str, **fields: object) -> dict[str, object]:
    event: dict[str, object] = {"type": "content_block_delta", "delta": {"type": f"{kind}_delta", **fields}}
    return event | ({} if index is None else {"index": index})


def stop(reason: str = "end_turn", **usage: int) -> dict[str, object]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


END: dict[str, object] = {"type": "message_stop"}


def test_thinking_is_kept_with_all_that_must_go_back() -> None:
    decoder, _ = fed(
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking", thinking="let me "),
        delta(0, "thinking", thinking="see"),
        delta(0, "signature", signature="sig"),
        delta(0, "signature", signature="nature"),
        start(1, type="redacted_thinking", data="sealed"),
        start(2, type="text", text="\n\n"),
        start(3, type="thinking", thinking="", signature="shown to nobody"),
        start(4, type="text", text=""),
        delta(4, "text", text="So."),
        stop(),
        END,
    )
    assert decoder.message().parts == (
        Thinking("let me see", {"prefix": "p", "signature": "signature"}),
        Thinking("", {"prefix": "p", "redacted": "sealed"}),
        Text("\n\n"),  # blank, but thinking stands behind it
        Thinking("", {"prefix": "p", "signature": "shown to nobody"}),
        Text("So."),
    )


def test_blocks_fill_in_any_order() -> None:
    decoder, _ = fed(
        start(0, type="tool_use", id="a", name="std_read", input={}),
        start(1, type="tool_use", id="b", name="std_read", input={}),
        delta(1, "input_json", partial_json='{"path": "b"}'),
        delta(0, "input_json", partial_json='{"path": '),
        delta(0, "input_json", partial_json='"a"}'),
        stop("tool_use"),
    )
    assert [(call.id, call.arguments) for call in decoder.message().calls] == [
        ("a", {"path": "a"}),
        ("b", {"path": "b"}),
    ]


def test_blocks_without_an_index_come_one_after_another() -> None:
    decoder, _ = fed(
        start(None, type="text", text=""),
        delta(None, "text", text="Hi"),
        start(None, type="tool_use", id="a", name="std_read", input={}),
        delta(None, "input_json", partial_json='{"path": "x"}'),
        stop("tool_use"),
    )
    assert decoder.message().parts == (Text("Hi"), ToolCall("a", "std.read", {"path": "x"}))


def test_blocks_that_were_never_opened() -> None:
    decoder, deltas = fed(delta(0, "thinking", thinking="hm"), delta(1, "text", text="Hi"), delta(2, "input_json"), END)
    assert [part.text for part in decoder.message().parts if not isinstance(part, ToolCall)] == ["hm", "Hi"]
    assert len(deltas) == 2


def test_input_that_comes_whole_counts_if_no_other_comes() -> None:
    whole = start(0, type="tool_use", id="a", name="std_read", input={"path": "x"})
    assert fed(whole, stop("tool_use"))[0].message().calls[0].arguments == {"path": "x"}
    piecewise = delta(0, "input_json", partial_json='{"path": "y"}')
    assert fed(whole, piecewise, stop("tool_use"))[0].message().calls[0].arguments == {"path": "y"}


@pytest.mark.parametrize(
    "event",
    [
        {"type": "ping"},
        {"type": "content_block_stop", "index": 0},
        {"type": "something_new", "index": 0},
        {"type": "content_block_start", "index": 9, "content_block": {"type": "server_tool_use", "name": "x"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {}}},
        {"type": "content_block_delta", "index": 0},
        {"type": "content_block_start", "index": 9},
        {"type": "message_delta", "delta": None},
        {"type": "message_start"},
        {},
    ],
)
def test_events_that_say_nothing_do_no_harm(event: Mapping[str, object]) -> None:
    decoder, _ = fed(start(0, type="text"), delta(0, "text", text="a"), event, delta(0, "text", text="b"), stop(), END)
    assert decoder.message() == Assistant((Text("ab"),), MODEL, "end")


def test_blocks_of_other_kinds_are_left_out_with_all_that_fills_them() -> None:
    decoder, deltas = fed(
        start(0, type="server_tool_use", id="x", name="search"),
        delta(0, "input_json", partial_json='{"q": 1}'),
        start(1, type="text", text="Hi"),
        stop(),
    )
    assert decoder.message().parts == (Text("Hi"),)
    assert len(deltas) == 1


def test_usage_counts_all_that_was_sent() -> None:
    first = {"input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20, "output_tokens": 1}
    decoder, _ = fed({"type": "message_start", "message": {"usage": first}}, stop(output_tokens=50))
    assert decoder.message().usage == Usage(100, 50, cached=70, cache_written=20)
    again, _ = fed({"type": "message_start", "message": {"usage": first}}, stop(output_tokens=50, input_tokens=0))
    assert again.message().usage == Usage(100, 50, cached=70, cache_written=20)
    later, _ = fed(stop(output_tokens=50, input_tokens=12))
    assert later.message().usage == Usage(12, 50)
    assert fed(stop(), END)[0].message().usage == Usage()
    cut, _ = fed({"type": "message_start", "message": {"usage": first}})
    assert cut.message("broken").usage.output is None  # the first count is a guess


@pytest.mark.parametrize(
    ("reason", "means"),
    [
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
        ("pause_turn", "unknown"),
    ],
)
def test_why_it_stopped(reason: str, means: str) -> None:
    assert fed(start(0, type="text", text="a"), stop(reason))[0].message().stop == means


def test_how_long_more_is_waited_for() -> None:
    assert fed(start(0, type="text"))[0].patience is None
    assert fed(stop())[0].patience == USAGE_WAIT
    assert fed(END)[0].patience == END_WAIT


def test_errors_in_the_stream() -> None:
    with pytest.raises(ServerError) as caught:
        fed({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})
    assert caught.value.error == {"type": "overloaded_error", "message": "busy"}


def test_the_name_of_an_event_stands_in_for_its_type() -> None:
    decoder = MessageDecoder(ToolNames([]), MODEL, {})
    decoder.feed(ServerEvent("message_stop", b"{}"))
    assert decoder.patience == END_WAIT
