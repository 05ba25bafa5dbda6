"""Watchers see everything, in order, and can neither change nor hold up anything."""

import asyncio

import pytest

from panto.bus import Bus, BusError, Handle, Rank, watcher as watcher_module
from panto.events import Event, ExtensionError, Input, ModeChange, Notification
from tests.bus.gathering import SOMEBODY, Faults

OTHER = Rank(3, "project.other")


def words(event: Event) -> str:
    match event:
        case Input():
            return event.text
        case Notification():
            return event.text
        case _:
            return event.name


async def test_a_watcher_sees_every_event_in_order_in_its_final_form() -> None:
    seen: list[str] = []
    async with Bus() as bus:
        bus.on(Input, lambda event: setattr(event, "text", event.text.upper()), rank=SOMEBODY)
        bus.watch((Input, Notification), lambda event: seen.append(words(event)), rank=OTHER)
        for number in range(100):
            await bus.emit(Input(f"i{number}"))
            bus.tell(Notification(f"n{number}"))
        await bus.settle()
    assert seen == [word for number in range(100) for word in (f"I{number}", f"n{number}")]


async def test_a_blocked_watcher_holds_nobody_up_and_misses_nothing() -> None:
    release = asyncio.Event()
    slow: list[str] = []
    quick: list[str] = []

    async def wait(event: Event) -> None:
        await release.wait()
        slow.append(words(event))

    async with Bus() as bus:
        bus.watch((Input,), wait, rank=SOMEBODY)
        bus.watch((Input,), lambda event: quick.append(words(event)), rank=OTHER)
        for text in "abc":
            await bus.emit(Input(text))
        seen = asyncio.Event()
        bus.watch((ModeChange,), lambda _event: seen.set(), rank=OTHER)
        await bus.emit(ModeChange("plan"))
        await seen.wait()
        assert (quick, slow) == (["a", "b", "c"], [])
        release.set()
        await bus.settle()
        assert slow == ["a", "b", "c"]


async def test_a_watchers_faults_are_reported_and_it_goes_on() -> None:
    seen: list[str] = []

    async def fails(event: Event) -> None:
        text = words(event)
        if text == "exit":
            raise SystemExit(1)
        if text == "cancel":
            raise asyncio.CancelledError
        if text == "raise":
            raise ValueError("oh")
        seen.append(text)

    async with Bus() as bus:
        faults = Faults(bus)
        bus.watch((Input,), fails, rank=SOMEBODY)
        for text in ("raise", "a", "exit", "b", "cancel", "c"):
            await bus.emit(Input(text))
        await bus.settle()
        await bus.settle()
        assert seen == ["a", "b", "c"]
        assert [fault.message for fault in faults] == [
            "ValueError: oh",
            "it tried to end the program (1)",
            "it was cancelled, and not from outside",
        ]
        assert {(fault.extension, fault.doing) for fault in faults} == {(SOMEBODY.id, "watch input")}


async def test_faults_in_watching_faults_are_counted_and_go_no_further(caplog: pytest.LogCaptureFixture) -> None:
    """Two that fail at each other's faults, and one that reports a fault for each fault, would never end."""
    seen: list[str] = []

    def fails(_event: Event) -> None:
        raise ValueError("oh")

    async with Bus() as bus:
        bus.watch((ExtensionError,), fails, rank=SOMEBODY)
        bus.watch((ExtensionError,), fails, rank=OTHER)
        bus.watch((ExtensionError,), lambda _event: bus.fault(Rank(3, "x.y"), "seeing", "a fault"), rank=Rank(3, "x.y"))
        bus.watch((ExtensionError,), lambda event: seen.append(vars(event)["message"]), rank=Rank(0, "a.screen"))
        bus.fault(Rank(1, "z"), "testing", "first")
        bus.fault(Rank(1, "z"), "testing", "second")
        await bus.settle()
        await bus.settle()
        assert seen == ["first", "second"]
        for owner in (SOMEBODY.id, OTHER.id, "x.y"):
            assert bus.record(owner).errors == 2
        assert f"{SOMEBODY.id}: watch extension_error: ValueError: oh" in caplog.text


async def test_a_watcher_can_not_feed_itself() -> None:
    seen: list[str] = []

    async with Bus() as bus:
        faults = Faults(bus)

        def answers(event: Event) -> None:
            seen.append(words(event))
            bus.tell(Notification(f"re: {words(event)}"))

        bus.watch((Notification,), answers, rank=SOMEBODY)
        bus.tell(Notification("hello"))
        fault = await faults.only()
        assert fault.message == "BusError: notification was told by a watcher that is looking at one"
        assert seen == ["hello"]


async def test_watchers_that_feed_each_other_leave_time_for_the_rest() -> None:
    seen = 0
    enough = asyncio.Event()

    async with Bus() as bus:

        def count(_event: Event) -> None:
            nonlocal seen
            seen += 1
            if seen == 50:
                enough.set()
            bus.fault(SOMEBODY, "testing", "again")

        first = bus.watch((Notification,), count, rank=SOMEBODY)
        second = bus.watch((ExtensionError,), lambda _event: bus.tell(Notification("again")), rank=OTHER)
        bus.tell(Notification("go"))
        await enough.wait()
        first.close()
        second.close()
        await bus.settle()
        assert bus.counts()["watchers"] == 0


async def test_a_watcher_that_lags_too_far_is_named_once_and_loses_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher_module, "WATCHER_BACKLOG", 3)
    seen: list[str] = []
    async with Bus() as bus:
        faults = Faults(bus)
        bus.watch((Notification,), lambda event: seen.append(words(event)), rank=SOMEBODY)
        for text in "abcdefg":
            bus.tell(Notification(text))
        fault = await faults.only()
        await bus.settle()
        assert seen == ["e", "f", "g"]
        assert (fault.extension, fault.message) == (SOMEBODY.id, "it lags 3 events behind; the oldest are dropped")


async def test_a_closed_watcher_sees_nothing_more_and_its_work_is_cancelled() -> None:
    began, ended = asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def blocked(event: Event) -> None:
        seen.append(words(event))
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with Bus() as bus:
        handle = bus.watch((Input,), blocked, rank=SOMEBODY)
        await bus.emit(Input("a"))
        await bus.emit(Input("b"))
        await began.wait()
        handle.close()
        await bus.settle()
        assert ended.is_set()
        assert bus.counts() == Bus().counts()
        await bus.emit(Input("c"))
        await bus.settle()
        assert seen == ["a"]


async def test_a_watcher_may_close_itself_and_finish_what_it_is_at() -> None:
    seen: list[str] = []
    handles: list[Handle] = []

    async def once(event: Event) -> None:
        handles[0].close()
        await asyncio.sleep(0)
        seen.append(words(event))

    async with Bus() as bus:
        handles.append(bus.watch((Input,), once, rank=SOMEBODY))
        for text in "abc":
            await bus.emit(Input(text))
        await bus.settle()
        assert seen == ["a"]
        await asyncio.sleep(0)
        assert bus.counts()["watchers"] == 0


async def test_settling_waits_for_no_watcher_that_is_closed() -> None:
    began = asyncio.Event()

    async def blocked(_event: Event) -> None:
        began.set()
        await asyncio.Event().wait()

    async with Bus() as bus:
        handle = bus.watch((Input,), blocked, rank=SOMEBODY)
        await bus.emit(Input("a"))
        settling = asyncio.create_task(bus.settle())
        await began.wait()
        assert not settling.done()
        handle.close()
        await settling


async def test_what_a_handler_lets_watch_may_emit_what_the_handler_was_handling() -> None:
    texts: list[str] = []
    async with Bus() as bus:
        faults = Faults(bus)

        async def emits(_event: Event) -> None:
            texts.append((await bus.emit(Input("from a watcher"))).text)

        handler = bus.on(
            Input, lambda _event: started.append(bus.watch((ModeChange,), emits, rank=OTHER)), rank=SOMEBODY
        )
        started: list[Handle] = []
        await bus.emit(Input("first"))
        handler.close()
        await bus.emit(ModeChange("ask"))
        await bus.settle()
        assert not faults
        assert texts == ["from a watcher"]


async def test_there_is_no_watching_without_a_running_bus() -> None:
    bus = Bus()
    with pytest.raises(BusError, match="not running"):
        bus.watch((Input,), lambda _event: None, rank=SOMEBODY)
    assert bus.counts()["watchers"] == 0
    assert (await bus.emit(Input("x"))).text == "x"
