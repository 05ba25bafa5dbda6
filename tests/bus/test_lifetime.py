"""What lives as long as the bus at most: tasks, watchers, and what was registered."""

import asyncio
import logging

import pytest

from panto.bus import Bus, BusError, Handle, foreign
from panto.events import Event, Input, ToolResult
from tests.bus.gathering import SOMEBODY, Faults, tool_result


async def forever() -> None:
    await asyncio.Event().wait()


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not end when cancelled is given up soon."""
    monkeypatch.setattr(foreign, "GRACE_SECONDS", 0.02)
    monkeypatch.setattr("panto.bus.bus.GRACE_SECONDS", 0.02)


async def test_closing_handles_leaves_nothing_behind_a_hundred_times() -> None:
    async with Bus() as bus:
        before = bus.counts()
        for _ in range(100):
            handles = [
                bus.on(Input, lambda _event: None, rank=SOMEBODY),
                bus.on(ToolResult, lambda _event: None, rank=SOMEBODY, after=frozenset({"x"})),
                bus.watch((Input, ToolResult), lambda _event: None, rank=SOMEBODY),
                bus.background(forever(), rank=SOMEBODY, name="forever"),
            ]
            await bus.emit(Input("x"))
            assert bus.counts() != before
            for handle in reversed(handles):
                handle.close()
                handle.close()
                assert handle.closed
            await bus.settle()
            assert bus.counts() == before


async def test_it_leaves_nothing_behind_either_when_nothing_had_time_to_begin() -> None:
    async with Bus() as bus:
        before = bus.counts()
        for _ in range(100):
            bus.background(forever(), rank=SOMEBODY, name="forever").close()
            bus.watch((Input,), lambda _event: None, rank=SOMEBODY).close()
        await bus.settle()
        assert bus.counts() == before


async def test_a_failing_task_is_one_fault() -> None:
    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("oh")

    async with Bus() as bus:
        faults = Faults(bus)
        handle = bus.background(fails(), rank=SOMEBODY, name="counting")
        while_running = bus.counts()["tasks"]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        fault = await faults.only()
        assert (fault.extension, fault.doing, fault.message) == (SOMEBODY.id, "task counting", "ValueError: oh")
        assert bus.counts()["tasks"] == while_running - 1
        assert handle.closed


async def test_a_task_that_is_over_is_closed_and_one_that_was_closed_is_no_fault() -> None:
    done = asyncio.Event()

    async def short() -> None:
        done.set()

    async with Bus() as bus:
        faults = Faults(bus)
        first = bus.background(short(), rank=SOMEBODY, name="short")
        second = bus.background(forever(), rank=SOMEBODY, name="forever")
        await done.wait()
        second.close()
        await bus.settle()
        assert first.closed
        assert not faults


async def test_leaving_the_bus_ends_all_tasks() -> None:
    ended: list[str] = []

    async def long(name: str) -> None:
        try:
            await forever()
        finally:
            ended.append(name)

    handles: list[Handle] = []
    async with Bus() as bus:
        for name in "ab":
            handles.append(bus.background(long(name), rank=SOMEBODY, name=name))
        await asyncio.sleep(0)
    assert sorted(ended) == ["a", "b"]
    assert all(handle.closed for handle in handles)
    assert bus.counts() == Bus().counts()


async def test_watchers_still_see_what_was_emitted_before_the_end() -> None:
    seen: list[Event] = []
    async with Bus() as bus:
        bus.watch((Input,), seen.append, rank=SOMEBODY)
        event = await bus.emit(Input("last"))
    assert seen == [event]


@pytest.mark.parametrize("error", [None, ValueError("ours"), KeyboardInterrupt()])
async def test_a_blocked_watcher_does_not_hold_up_the_end(short_grace: None, error: BaseException | None) -> None:
    del short_grace
    began = asyncio.Event()

    async def blocked(_event: Event) -> None:
        began.set()
        await forever()

    async def use() -> None:
        async with Bus() as bus:
            bus.watch((Input,), blocked, rank=SOMEBODY)
            await bus.emit(Input("x"))
            await began.wait()
            if error is not None:
                raise error

    if error is None:
        await use()
    else:
        with pytest.raises(type(error)) as caught:
            await use()
        assert caught.value is error  # not wrapped into a group


async def test_what_will_not_end_is_given_up_and_named(short_grace: None, caplog: pytest.LogCaptureFixture) -> None:
    del short_grace
    release = asyncio.Event()
    began = asyncio.Event()

    async def stubborn() -> None:
        began.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    with caplog.at_level(logging.WARNING):
        async with Bus() as bus:
            bus.background(stubborn(), rank=SOMEBODY, name="mining")
            await began.wait()
    assert f"{SOMEBODY.id}: mining was cancelled and does not end" in caplog.text
    assert bus.counts()["tasks"] == 1
    release.set()
    await bus.settle()
    assert bus.counts()["tasks"] == 0


async def test_cancelling_the_user_of_a_bus_ends_it() -> None:
    began = asyncio.Event()
    ended = asyncio.Event()

    async def long() -> None:
        try:
            await forever()
        finally:
            ended.set()

    async def use() -> None:
        async with Bus() as bus:
            bus.background(long(), rank=SOMEBODY, name="long")
            began.set()
            await forever()

    using = asyncio.create_task(use())
    await began.wait()
    using.cancel()
    await asyncio.wait({using})
    assert using.cancelled()
    assert ended.is_set()


async def test_a_handler_that_runs_at_the_end_is_ended_too(short_grace: None) -> None:
    del short_grace
    began, ended = asyncio.Event(), asyncio.Event()

    async def handler(_event: ToolResult) -> None:
        began.set()
        try:
            await forever()
        finally:
            ended.set()

    async with Bus() as bus:
        bus.on(ToolResult, handler, rank=SOMEBODY)
        emitting = asyncio.create_task(bus.emit(tool_result()))
        await began.wait()
    assert ended.is_set()
    assert (await emitting).output == "out"


async def test_nothing_starts_before_or_after(recwarn: pytest.WarningsRecorder) -> None:
    bus = Bus()
    with pytest.raises(BusError, match="not running"):
        bus.background(forever(), rank=SOMEBODY, name="early")
    async with bus:
        pass
    with pytest.raises(BusError, match="not running"):
        bus.background(forever(), rank=SOMEBODY, name="late")
    assert not [warning for warning in recwarn if "never awaited" in str(warning.message)]


async def test_work_within_limits() -> None:
    async def fine() -> None:
        await asyncio.sleep(0)

    async def bad() -> None:
        raise ValueError("oh")

    async with Bus() as bus:
        await bus.limited(fine(), 10, name="fine")
        with pytest.raises(ValueError, match="oh"):
            await bus.limited(bad(), 10, name="bad")
        with pytest.raises(TimeoutError, match=r"took longer than 0\.01 s"):
            await bus.limited(forever(), 0.01, name="forever")
        assert bus.counts()["tasks"] == 0


def test_a_handle_can_be_closed_where_no_loop_runs() -> None:
    async def use() -> tuple[Bus, list[Handle]]:
        async with Bus() as bus:
            return bus, [
                bus.on(Input, lambda _event: None, rank=SOMEBODY),
                bus.watch((Input,), lambda _event: None, rank=SOMEBODY),
                bus.background(forever(), rank=SOMEBODY, name="forever"),
            ]

    bus, handles = asyncio.run(use())
    for handle in handles:
        handle.close()
    assert bus.counts() == Bus().counts()
