"""Emitting: from many tasks, within handlers, and cancelled."""

import asyncio

import pytest

from panto.bus import Bus, BusError, Rank
from panto.events import (
    AppStop,
    Event,
    EventFieldError,
    Input,
    Notification,
    ShellEnv,
    ToolResult,
    TurnEnd,
)
from tests.bus.gathering import SOMEBODY, Faults, tool_result

OTHER = Rank(3, "project.other")


async def test_an_event_is_sealed_when_all_have_had_their_say() -> None:
    async with Bus() as bus:
        event = await bus.emit(Input("x"))
        with pytest.raises(EventFieldError, match="the event is over"):
            event.text = "y"


async def test_an_event_can_be_for_one_owner_alone() -> None:
    seen = list[str]()
    async with Bus() as bus:
        for rank in (SOMEBODY, OTHER):
            bus.on(AppStop, lambda _event, rank=rank: seen.append(f"on {rank.id}"), rank=rank)
            bus.watch((AppStop,), lambda _event, rank=rank: seen.append(f"watch {rank.id}"), rank=rank)
        await bus.emit(AppStop(), to=OTHER.id)
        await bus.settle()
        assert sorted(seen) == ["on project.other", "watch project.other"]
        await bus.emit(AppStop())
        await bus.settle()
    assert len(seen) == 6


async def test_cancelling_the_emitter_ends_the_running_handler_and_comes_out() -> None:
    began, ended, later = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def handler(event: ToolResult) -> None:
        event.output = "spoilt"
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with Bus() as bus:
        faults = Faults(bus)
        bus.on(ToolResult, handler, rank=SOMEBODY)
        bus.on(ToolResult, lambda _event: later.set(), rank=OTHER)
        event = tool_result()
        emitting = asyncio.create_task(bus.emit(event))
        await began.wait()
        emitting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await emitting
        assert ended.is_set()
        assert not later.is_set()
        assert event.output == "out"
        await bus.settle()
        assert not faults
        assert (await bus.emit(Input("x"))).text == "x"  # nothing is stuck


async def test_cancelling_the_emitter_twice_leaves_no_task_without_an_owner() -> None:
    began, cancelled, release = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def handler(_event: AppStop) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
            await release.wait()

    async with Bus() as bus:
        bus.on(AppStop, handler, rank=SOMEBODY)
        emitting = asyncio.create_task(bus.emit(AppStop()))
        await began.wait()
        emitting.cancel()
        await cancelled.wait()
        emitting.cancel()
        await asyncio.wait({emitting})
        assert emitting.cancelled()
        assert bus.counts()["tasks"] == 1
        release.set()
        await bus.settle()
        assert bus.counts()["tasks"] == 0


async def test_the_same_event_within_itself_is_refused() -> None:
    async with Bus() as bus:
        faults = Faults(bus)

        async def again(event: Input) -> None:
            event.text += "!"
            await bus.emit(Input("inner"))

        bus.on(Input, again, rank=SOMEBODY)
        assert (await bus.emit(Input("outer"))).text == "outer"
        assert (await faults.only()).message == "BusError: input was emitted while it is being handled"


async def test_it_is_refused_round_a_corner_too() -> None:
    async with Bus() as bus:
        faults = Faults(bus)

        async def to_env(_event: Input) -> None:
            await asyncio.create_task(round_the_corner())

        async def round_the_corner() -> None:
            await bus.emit(ShellEnv("x", {}))

        async def to_input(_event: ShellEnv) -> None:
            await bus.emit(Input("inner"))

        bus.on(Input, to_env, rank=SOMEBODY)
        bus.on(ShellEnv, to_input, rank=OTHER)
        await bus.emit(Input("outer"))
        fault = await faults.only()
        assert (fault.extension, fault.doing) == (OTHER.id, "shell_env")


async def test_another_event_within_one_is_fine() -> None:
    async with Bus() as bus:
        faults = Faults(bus)

        async def look_up(event: Input) -> None:
            env = await bus.emit(ShellEnv("x", {}))
            event.text += env.env["ADDED"]

        bus.on(Input, look_up, rank=SOMEBODY)
        bus.on(ShellEnv, lambda event: event.env.update(ADDED="yes"), rank=OTHER)
        assert (await bus.emit(Input("outer "))).text == "outer yes"
        await bus.settle()
        assert not faults


async def test_two_tasks_may_emit_the_same_event_at_once() -> None:
    both = asyncio.Barrier(2)

    async def meet(event: Input) -> None:
        await both.wait()
        event.text += "!"

    async with Bus() as bus:
        faults = Faults(bus)
        bus.on(Input, meet, rank=SOMEBODY)
        done = await asyncio.gather(bus.emit(Input("a")), bus.emit(Input("b")))
        assert [event.text for event in done] == ["a!", "b!"]
        await bus.settle()
        assert not faults


async def test_what_a_handler_starts_is_in_the_middle_of_no_event() -> None:
    emitted: list[str] = []
    async with Bus() as bus:
        faults = Faults(bus)
        go, done = asyncio.Event(), asyncio.Event()

        async def later() -> None:
            await go.wait()
            emitted.append((await bus.emit(Input("later"))).text)
            done.set()

        def start(_event: Input) -> None:
            bus.background(later(), rank=SOMEBODY, name="later")

        taking_part = bus.on(Input, start, rank=SOMEBODY)
        await bus.emit(Input("first"))
        taking_part.close()
        go.set()
        await done.wait()
        assert not faults
        assert emitted == ["later"]


async def test_one_that_is_switched_off_meanwhile_takes_no_part() -> None:
    async with Bus() as bus:
        second = bus.on(Input, lambda event: setattr(event, "text", "spoilt"), rank=OTHER)
        bus.on(Input, lambda _event: second.close(), rank=SOMEBODY)
        assert (await bus.emit(Input("x"))).text == "x"


@pytest.mark.parametrize("event", [TurnEnd, Notification])
async def test_nobody_takes_part_in_what_is_only_told(event: type[Event]) -> None:
    async with Bus() as bus:
        with pytest.raises(BusError, match=f"{event.name}: it can only be watched"):
            bus.on(event, lambda _event: None, rank=SOMEBODY)
        assert bus.counts()["handlers"] == 0


async def test_what_has_handlers_is_never_only_told() -> None:
    async with Bus() as bus:
        with pytest.raises(BusError, match="input has handlers"):
            bus.tell(Input("x"))
