"""Handlers that take part, and handlers that fail at it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from panto.bus import GRACE_SECONDS, Bus, Rank, foreign
from panto.events import (
    Event,
    EventFieldError,
    Input,
    ShellEnv,
    ToolCallEvent,
    ToolResult,
)
from tests.bus.gathering import SOMEBODY, Faults, tool_call, tool_result

OTHER = Rank(3, "project.other")
SHORT = 0.02
"""Seconds that a handler may take which will never end by itself."""


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handlers that do not end when cancelled are given up soon."""
    assert GRACE_SECONDS == 1.0
    monkeypatch.setattr(foreign, "GRACE_SECONDS", SHORT)


def raises(event: ToolResult) -> None:
    event.output = "spoilt"
    event.notes.append("spoilt")
    raise ValueError("what a pity")


async def raises_later(event: ToolResult) -> None:
    event.notes.append("spoilt")
    await asyncio.sleep(0)
    raises(event)


async def hangs(event: ToolResult) -> None:
    event.output = "spoilt"
    event.notes.append("spoilt")
    await asyncio.Event().wait()


async def swallows_cancellation(event: ToolResult) -> None:
    event.notes.append("spoilt")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        event.output = "spoilt"


def breaks_a_type(event: ToolResult) -> None:
    event.output = "spoilt"
    event.notes.append(5)  # pyright: ignore[reportArgumentType] - that is the point


def sets_what_is_read_only(event: ToolResult) -> None:
    event.output = "spoilt"
    event.shown = "spoilt"


def ends_the_program(event: ToolResult) -> None:
    event.output = "spoilt"
    raise SystemExit(3)


async def ends_the_program_later(event: ToolResult) -> None:
    event.output = "spoilt"
    await asyncio.sleep(0)
    raise SystemExit(3)


async def feigns_cancellation(event: ToolResult) -> None:
    event.output = "spoilt"
    raise asyncio.CancelledError


def feigns_it_at_once(event: ToolResult) -> None:
    event.output = "spoilt"
    raise asyncio.CancelledError


async def cancels_itself(event: ToolResult) -> None:
    event.output = "spoilt"
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


MISBEHAVING: list[tuple[Callable[[ToolResult], Awaitable[None] | None], str]] = [
    (raises, "ValueError: what a pity"),
    (raises_later, "ValueError: what a pity"),
    (hangs, f"TimeoutError: took longer than {SHORT} s"),
    (swallows_cancellation, f"TimeoutError: took longer than {SHORT} s"),
    (breaks_a_type, "EventFieldError: tool_result.notes: Expected `str`, got `int` - at `$[1]`"),
    (sets_what_is_read_only, "EventFieldError: tool_result.shown is read-only; writable here: output, notes, is_error"),
    (ends_the_program, "it tried to end the program (3)"),
    (ends_the_program_later, "it tried to end the program (3)"),
    (feigns_cancellation, "it was cancelled, and not from outside"),
    (feigns_it_at_once, "it was cancelled, and not from outside"),
    (cancels_itself, "it cancelled itself"),
]


@pytest.mark.parametrize(("handler", "message"), MISBEHAVING, ids=[case[0].__name__ for case in MISBEHAVING])
async def test_one_that_misbehaves_has_not_taken_part_and_is_one_fault(
    handler: Callable[[ToolResult], Awaitable[None] | None], message: str
) -> None:
    async with Bus() as bus:
        faults = Faults(bus)
        bus.on(ToolResult, lambda event: event.notes.append("before"), rank=Rank(0, "std.a"))
        bus.on(ToolResult, handler, rank=SOMEBODY, seconds=SHORT)
        bus.on(ToolResult, lambda event: event.notes.append("after"), rank=OTHER)
        event = await bus.emit(tool_result())
        assert (event.output, event.notes) == ("out", ["before", "after"])
        fault = await faults.only()
        assert (fault.extension, fault.doing, fault.message) == (SOMEBODY.id, "tool_result", message)
        assert bus.record(SOMEBODY.id).errors == 1
        assert bus.record(SOMEBODY.id).last_error == f"tool_result: {message}"
        assert bus.record(OTHER.id).errors == 0


@pytest.mark.parametrize("handler", [raises, hangs, breaks_a_type, ends_the_program, feigns_cancellation])
async def test_a_call_that_a_handler_fails_to_judge_is_denied(
    handler: Callable[[Event], Awaitable[None] | None],
) -> None:
    async with Bus() as bus:
        faults = Faults(bus)

        def judges(event: ToolCallEvent) -> Awaitable[None] | None:
            event.arguments = {"path": "spoilt"}
            return handler(event)

        bus.on(ToolCallEvent, judges, rank=SOMEBODY, seconds=SHORT)
        bus.on(ToolCallEvent, lambda event: event.allow(), rank=OTHER)
        event = await bus.emit(tool_call())
        assert event.verdict == ("deny", f"{SOMEBODY.id} failed to judge this call, so it is not run")
        assert event.arguments == {"path": "a"}
        await faults.only()


async def test_a_failing_condition_fails_closed_too() -> None:
    async with Bus() as bus:
        faults = Faults(bus)

        def condition(_event: ToolCallEvent) -> bool:
            raise KeyError("nothing")

        bus.on(ToolCallEvent, lambda event: event.allow(), rank=SOMEBODY, where=condition)
        assert (await bus.emit(tool_call())).verdict[0] == "deny"
        assert "KeyError" in (await faults.only()).message


async def test_a_handler_sees_only_what_it_is_there_for() -> None:
    seen: list[str] = []
    async with Bus() as bus:
        bus.on(ShellEnv, lambda event: seen.append(event.command), rank=SOMEBODY, where=lambda e: e.command == "b")
        for command in "abc":
            await bus.emit(ShellEnv(command, {}))
        assert seen == ["b"]
        assert bus.record(SOMEBODY.id).timings["shell_env"].calls == 1


async def test_a_late_handler_changes_nothing_any_more(short_grace: None) -> None:
    """One that outlives its time and being cancelled, and then goes on to change what it holds."""
    del short_grace
    go_on, done = asyncio.Event(), asyncio.Event()
    caught: list[EventFieldError] = []

    async def stubborn(event: ToolResult) -> None:
        while not go_on.is_set():
            try:
                await go_on.wait()
            except asyncio.CancelledError:
                continue
        event.notes.append("late")
        try:
            event.output = "late"
        except EventFieldError as error:
            caught.append(error)
        done.set()

    async def waits_for_it(event: ToolResult) -> None:
        go_on.set()
        await done.wait()
        event.notes.append("in time")

    async with Bus() as bus:
        faults = Faults(bus)
        bus.on(ToolResult, stubborn, rank=SOMEBODY, seconds=SHORT)
        bus.on(ToolResult, waits_for_it, rank=OTHER)
        event = await bus.emit(tool_result())
        assert (event.output, event.notes) == ("out", ["in time"])
        assert len(caught) == 1
        await faults.only()
        await bus.settle()
        assert bus.counts()["tasks"] == 1  # the watcher's


async def test_time_is_counted_by_owner_and_event() -> None:
    async with Bus() as bus:
        bus.on(Input, lambda _event: None, rank=SOMEBODY)
        bus.on(ToolResult, hangs, rank=SOMEBODY, seconds=SHORT)
        for _ in range(3):
            await bus.emit(Input("x"))
        await bus.emit(tool_result())
        timings = bus.record(SOMEBODY.id).timings
        assert {name: timing.calls for name, timing in timings.items()} == {"input": 3, "tool_result": 1}
        assert timings["tool_result"].seconds >= SHORT
