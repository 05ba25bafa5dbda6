import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from panto import events
from panto.events import (
    Event,
    EventFieldError,
    Input,
    ModelRequest,
    SessionStart,
    ShellEnv,
    ToolCallEvent,
    ToolResult,
    TurnStart,
    Verdict,
    writable_fields,
)
from panto.messages import Text, ToolCall, ToolSchema, User

CALL = ToolCall("1", "std.read", {"path": "a"})


def tool_result() -> ToolResult:
    return ToolResult("s", CALL, (), shown="out", output="out", notes=["one"], is_error=False)


def tool_call(**arguments: object) -> ToolCallEvent:
    return ToolCallEvent("s", CALL, (), arguments)


def model_request() -> ModelRequest:
    return ModelRequest("s", "p/m", (), [User((Text("x"),))], [ToolSchema("t", "", {})], {"n": {"deep": [1]}})


def all_events() -> Iterator[type[Event]]:
    for found in vars(events).values():
        if isinstance(found, type) and issubclass(found, Event):
            yield found


def test_every_event_has_a_name_of_its_own() -> None:
    names = [event.name for event in all_events()]
    assert len(names) > 20
    assert len(set(names)) == len(names)
    assert ToolResult.name == "tool_result"
    assert ToolCallEvent.name == "tool_call"


def test_only_what_handlers_take_part_in_has_writable_fields() -> None:
    for event in all_events():
        assert not (event.watch_only and writable_fields(event)), event


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (SessionStart, {"system"}),
        (Input, {"text", "handled"}),
        (TurnStart, {"messages"}),
        (ModelRequest, {"messages", "tools", "parameters"}),
        (ToolCallEvent, {"arguments"}),
        (ToolResult, {"output", "notes", "is_error"}),
        (ShellEnv, {"env"}),
    ],
)
def test_what_handlers_may_change(event: type[Event], fields: set[str]) -> None:
    assert set(writable_fields(event)) == fields


def test_writable_fields_can_be_set() -> None:
    event = tool_result()
    event.output, event.notes, event.is_error = "new", ["two"], True
    assert (event.output, event.notes, event.is_error) == ("new", ["two"], True)


@pytest.mark.parametrize("field", ["call", "shown", "session", "paths", "no_such_field", "_sealed", "name"])
def test_the_rest_is_read_only_and_the_error_names_event_and_field(field: str) -> None:
    event = tool_result()
    with pytest.raises(EventFieldError, match=rf"tool_result\.{field} is read-only; .*output, notes, is_error"):
        setattr(event, field, "x")
    assert event.shown == "out"


@pytest.mark.parametrize(
    ("field", "value"), [("output", 5), ("output", None), ("notes", "one"), ("notes", [1]), ("is_error", 1)]
)
def test_a_value_of_another_type_is_refused_by_name(field: str, value: object) -> None:
    event = tool_result()
    with pytest.raises(EventFieldError, match=rf"tool_result\.{field}: Expected"):
        setattr(event, field, value)
    assert event.snapshot() == tool_result().snapshot()


def test_values_become_what_the_fields_type_says() -> None:
    event, request = tool_result(), model_request()
    setattr(event, "notes", ("a", "b"))  # noqa: B010 - what a type checker would refuse
    event.notes.append("c")
    assert event.notes == ["a", "b", "c"]
    request.messages.append({"role": "user", "parts": [{"part": "text", "text": "hi"}]})  # pyright: ignore[reportArgumentType] - as above
    request.validate()
    assert request.messages[-1] == User((Text("hi"),))


@pytest.mark.parametrize("value", [object(), asyncio.Lock, [object()]])
def test_what_is_no_json_has_no_place_in_json(value: object) -> None:
    event = tool_call(path="a")
    with pytest.raises(EventFieldError, match=r"tool_call\.arguments: "):
        event.arguments = {"path": value}
    event.arguments["path"] = value
    with pytest.raises(EventFieldError, match=r"tool_call\.arguments: "):
        event.validate()


def test_a_circle_has_no_place_in_json() -> None:
    event = tool_call()
    event.arguments["self"] = event.arguments
    with pytest.raises(EventFieldError, match=r"tool_call\.arguments: "):
        event.validate()


def test_changes_in_place_are_checked_too() -> None:
    event = tool_result()
    event.notes.append(7)  # pyright: ignore[reportArgumentType] - that is the point
    with pytest.raises(EventFieldError, match=r"tool_result\.notes: Expected `str`, got `int`"):
        event.validate()


def test_restore_takes_back_what_was_set_and_what_was_changed_in_place() -> None:
    event, request = tool_result(), model_request()
    kept, kept_request = event.snapshot(), request.snapshot()
    event.output = "new"
    event.notes.append("two")
    request.parameters["n"] = 1
    request.messages.clear()
    event.restore(kept)
    request.restore(kept_request)
    assert (event.output, event.notes) == ("out", ["one"])
    assert request.parameters == {"n": {"deep": [1]}}
    assert len(request.messages) == 1


def test_a_snapshot_holds_no_part_of_the_event() -> None:
    request = model_request()
    kept = request.snapshot()
    assert isinstance(request.parameters["n"], dict)
    request.parameters["n"]["deep"] = "gone"
    request.tools.clear()
    request.restore(kept)
    assert request.parameters == {"n": {"deep": [1]}}
    assert len(request.tools) == 1


def test_restore_takes_back_a_verdict_and_a_block() -> None:
    call, text = tool_call(), Input("x")
    kept, kept_text = call.snapshot(), text.snapshot()
    call.deny("no")
    text.block("no")
    call.restore(kept)
    text.restore(kept_text)
    assert call.verdict == ("allow", "")
    assert text.blocked is None


def test_a_draft_is_apart_from_its_event() -> None:
    event = tool_call(path={"deep": [1]})
    draft = event.draft()
    draft.deny("no")
    assert isinstance(draft.arguments["path"], dict)
    draft.arguments["path"]["deep"] = "gone"
    draft.seal()
    assert event.arguments == {"path": {"deep": [1]}}
    assert event.verdict == ("allow", "")
    event.arguments = {}
    event.restore(draft.snapshot())
    assert event.arguments == {"path": {"deep": "gone"}}
    assert event.verdict == ("deny", "no")


def test_a_sealed_event_can_only_be_read() -> None:
    event, call, text = tool_result(), tool_call(), Input("x")
    for sealed in (event, call, text):
        sealed.seal()
    with pytest.raises(EventFieldError, match=r"tool_result\.output: the event is over"):
        event.output = "late"
    with pytest.raises(EventFieldError, match=r"tool_call\.deny: the event is over"):
        call.deny("late")
    with pytest.raises(EventFieldError, match=r"tool_call\.ask: the event is over"):
        call.ask("late")
    with pytest.raises(EventFieldError, match=r"input\.block: the event is over"):
        text.block("late")
    assert (event.output, call.verdict, text.blocked) == ("out", ("allow", ""), None)


_STRICTNESS: tuple[Verdict, ...] = ("allow", "ask", "deny")


@given(st.lists(st.sampled_from(_STRICTNESS)))
def test_the_strictest_verdict_holds_with_the_reason_it_was_first_given(verdicts: list[Verdict]) -> None:
    event = tool_call()
    for number, verdict in enumerate(verdicts):
        match verdict:
            case "allow":
                event.allow()
            case "ask":
                event.ask(str(number))
            case "deny":
                event.deny(str(number))
    strictest = max(verdicts, key=_STRICTNESS.index) if verdicts else "allow"
    why = "" if strictest == "allow" else str(verdicts.index(strictest))
    assert event.verdict == (strictest, why)


def test_events_are_told_apart_by_identity() -> None:
    assert Input("x") != Input("x")
    assert len({Input("x"), Input("x")}) == 2


def test_an_event_class_may_name_itself() -> None:
    class NobodyKnowsThis(Event):
        pass

    class Other(Event):
        name = "chosen"

    assert (NobodyKnowsThis.name, Other.name) == ("nobody_knows_this", "chosen")
