"""A host: what an extension registers with it, and that all of it is taken back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from msgspec import Struct

from panto.bus import Bus, BusError, Rank
from panto.events import (
    AppStop,
    Event,
    ExtensionError,
    Notification,
    ToolCallEvent,
    ToolResult,
    TurnEnd,
)
from panto.extension import Host, LayerDirectory, Shell
from panto.messages import ToolCall
from panto.offers import Command, Offers
from panto.tools import Reply, Tool, ToolBox, ToolContext
from tests.support.extension_host import Settings, left_behind, make_shell


class Nothing(Struct):
    pass


class Taste(Struct):
    sweet: bool = False
    salt: int = 1


async def run(_arguments: Nothing, _context: ToolContext) -> Reply:
    return Reply("done")


async def say(_arguments: str) -> str | None:
    return "said"


async def forever() -> None:
    await asyncio.Event().wait()


def tool(name: str = "test.tool") -> Tool[Nothing]:
    return Tool(name, "A tool.", Nothing, run)


@dataclass
class Stand:
    shell: Shell
    told: list[Event] = field(default_factory=list[Event])

    def host(self, name: str = "test.one") -> Host:
        return Host(Rank(2, name), self.shell)

    def left(self) -> dict[str, int]:
        return left_behind(self.shell)


@pytest.fixture
async def stand(tmp_path: Path) -> AsyncIterator[Stand]:
    layers = (LayerDirectory("user", tmp_path / "user", tmp_path / "user"),)
    async with Bus() as bus:
        settings = Settings({"taste": {"sweet": True}})
        shell = make_shell(bus, tmp_path, tmp_path / "home", layers, settings=settings)
        made = Stand(shell)
        bus.watch((Notification, ExtensionError), made.told.append, rank=Rank(0, "test"))
        yield made


def register_everything(host: Host) -> None:
    host.on(ToolResult, lambda _event: None, tool="std.read", after=["agent.rules"])
    host.on(AppStop, lambda _event: None)
    host.watch(TurnEnd, lambda _event: None)
    host.add_tool(tool())
    host.add_command(Command("shout", "Say it loud.", say, aliases=("s", "cry")))
    host.start(forever(), name="forever")


async def test_all_that_is_registered_is_taken_back_a_hundred_times(stand: Stand) -> None:
    before = stand.left()
    for number in range(100):
        host = stand.host()
        register_everything(host)
        assert len(host.handles) == 6
        if number % 2:
            await asyncio.sleep(0)  # with and without time for the tasks to begin
        host.close()
        host.close()
        assert host.handles == ()
        await stand.shell.bus.settle()
        assert stand.left() == before
    assert stand.told == []


async def test_the_last_comes_off_first_and_one_that_fails_keeps_no_other(stand: Stand) -> None:
    closed: list[str] = []

    def remove(name: str) -> Callable[[], None]:
        def removed() -> None:
            closed.append(name)
            if name == "b":
                raise OSError("it sticks")

        return removed

    class Recording(ToolBox):
        def add(self, tool: Tool[Nothing]) -> Callable[[], None]:  # pyright: ignore[reportIncompatibleMethodOverride] - these tools only
            return remove(tool.name)

    host = Host(Rank(2, "test.one"), replace(stand.shell, tools=Recording()))
    for name in "abc":
        host.add_tool(tool(name))
    host.close()
    assert closed == ["c", "b", "a"]
    await stand.shell.bus.settle()
    (fault,) = stand.told
    assert isinstance(fault, ExtensionError)
    assert (fault.extension, fault.doing, fault.message) == ("test.one", "close tool b", "OSError: it sticks")


async def test_a_closed_host_registers_nothing_more(stand: Stand) -> None:
    host, before = stand.host(), stand.left()
    host.close()
    registrations: list[Callable[[], object]] = [
        lambda: host.on(AppStop, lambda _event: None),
        lambda: host.watch(AppStop, lambda _event: None),
        lambda: host.add_tool(tool()),
        lambda: host.add_command(Command("shout", "", say)),
        lambda: host.start(forever(), name="forever"),
    ]
    for register in registrations:
        with pytest.raises(BusError, match=r"test\.one is switched off"):
            register()
    await stand.shell.bus.settle()
    assert stand.left() == before


async def test_handles_that_are_closed_are_forgotten(stand: Stand) -> None:
    host = stand.host()
    done = asyncio.Event()

    async def short() -> None:
        done.set()

    host.on(AppStop, lambda _event: None).close()
    host.start(short(), name="short")
    await done.wait()
    await stand.shell.bus.settle()
    await asyncio.sleep(0)
    assert host.handles == ()
    for _ in range(1000):
        host.on(AppStop, lambda _event: None).close()
    assert len(vars(host)["_handles"]) <= 1


async def test_a_tools_events_can_be_limited_to_one_tool(stand: Stand) -> None:
    host, seen = stand.host(), list[str]()
    host.on(ToolCallEvent, lambda event: seen.append(f"call {event.call.name}"), tool="std.read")
    host.on(ToolResult, lambda event: seen.append(f"result {event.call.name}"), tool="std.read")
    host.on(AppStop, lambda _event: seen.append("never"), tool="std.read")
    for name in ("std.read", "std.readme"):
        call = ToolCall("1", name)
        await stand.shell.bus.emit(ToolCallEvent("s", call, (), {}))
        await stand.shell.bus.emit(ToolResult("s", call, (), shown="", output="", notes=[], is_error=False))
    await stand.shell.bus.emit(AppStop())
    assert seen == ["call std.read", "result std.read"]


async def test_what_can_only_be_watched_is_refused_with_a_word_on_it(stand: Stand) -> None:
    with pytest.raises(BusError, match="turn_end: it can only be watched"):
        stand.host().on(TurnEnd, lambda _event: None)


async def test_a_host_tells_and_reports(stand: Stand) -> None:
    host = stand.host()
    host.notify("look", "warning", "there")
    host.fault("reading its cache", "it is gone")

    failing = asyncio.Event()

    async def fails() -> None:
        failing.set()
        raise ValueError("oh")

    host.start(fails(), name="failing")
    await failing.wait()
    await stand.shell.bus.settle()
    notice, fault, failure = stand.told
    assert isinstance(notice, Notification)
    assert (notice.text, notice.severity, notice.hint) == ("look", "warning", "there")
    assert isinstance(fault, ExtensionError)
    assert (fault.extension, fault.doing, fault.message) == ("test.one", "reading its cache", "it is gone")
    assert isinstance(failure, ExtensionError)
    assert failure.doing == "task failing"
    assert stand.shell.bus.record("test.one").errors == 2


async def test_what_a_host_knows(stand: Stand, tmp_path: Path) -> None:
    host = stand.host()
    assert host.id == "test.one"
    assert host.project == tmp_path
    assert host.home == tmp_path / "home"
    assert [layer.name for layer in host.layers] == ["user"]
    assert host.log.name == "panto.extension.test.one"
    assert host.settings("taste", Taste) == Taste(sweet=True)


async def test_two_extensions_can_not_have_the_same_tool_or_command(stand: Stand) -> None:
    first, second = stand.host("test.one"), stand.host("test.two")
    register_everything(first)
    with pytest.raises(ValueError, match=r"there is a tool test\.tool already"):
        second.add_tool(tool())
    for name in ("shout", "s", "cry"):
        with pytest.raises(ValueError, match=f"there is a command /{name} already"):
            second.add_command(Command("new", "", say, aliases=(name,)))
    assert second.handles == ()
    second.close()
    assert len(stand.shell.tools) == 1
    assert stand.shell.offers.commands.get("new") is None
    first.close()


def test_commands_are_found_by_name_and_alias_and_listed_once() -> None:
    table = Offers().commands
    shout, ask = Command("shout", "", say, aliases=("s", "cry")), Command("ask", "", say)
    remove = table.add(shout)
    table.add(ask)
    assert table.get("s") is table.get("shout") is table.get("cry") is shout
    assert table.all() == [ask, shout]
    remove()
    assert table.all() == [ask]
    assert table.get("cry") is None
