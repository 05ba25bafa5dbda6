"""Switching extensions off and on while the program runs."""

import asyncio

import pytest

from tests.loader import gate
from tests.loader.conftest import World
from tests.loader.everything import EVERYTHING


async def test_switching_off_and_on_leaves_nothing_behind_a_hundred_times(world: World) -> None:
    world.write("user/foo/bar.py", EVERYTHING)
    empty = world.left()
    loader = world.loader()
    assert await world.load(loader) == {"foo.bar": "on"}
    full = world.left()
    assert {name: full[name] - empty[name] for name in full} == {
        "handlers": 2,
        "watchers": 1,
        "tasks": 2,
        "tools": 1,
        "commands": 1,
        "keys": 1,
        "panels": 1,
        "subcommands": 1,
    }
    for _ in range(100):
        assert loader.switch_off("foo.bar").state == "off"
        await world.shell.bus.settle()
        assert world.left() == empty
        assert (await loader.switch_on("foo.bar")).state == "on"
        assert world.left() == full
    loader.close()
    await world.shell.bus.settle()
    assert world.left() == empty
    assert (world.notices, world.faults) == ([], [])


async def test_switching_on_twice_at_once_is_switching_on_once(world: World) -> None:
    world.write("user/foo/bar.py", EVERYTHING)
    loader = world.loader(deny=["*"])
    await world.load(loader)
    empty = world.left()
    both = await asyncio.gather(loader.switch_on("foo.bar"), loader.switch_on("foo.bar"))
    assert [one.state for one in both] == ["on", "on"]
    assert len(world.shell.tools) == 1
    loader.switch_off("foo.bar")
    await world.shell.bus.settle()
    assert world.left() == empty


@pytest.mark.parametrize("goes_on_to_register", [True, False])
async def test_one_that_is_switched_off_while_it_activates_stays_off(world: World, goes_on_to_register: bool) -> None:
    gate.reset()
    world.write(
        "user/foo/slow.py",
        f"""
        from panto import AppStart, AppStop
        from tests.loader import gate

        async def activate(host):
            host.on(AppStart, lambda event: None)
            gate.began.set()
            await gate.go.wait()
            if {goes_on_to_register}:
                host.on(AppStop, lambda event: None)
        """,
    )
    loader = world.loader(allow=["foo.slow"], deny=[])
    empty = world.left()
    loading = asyncio.create_task(loader.load())
    await gate.began.wait()
    loader.switch_off("foo.slow")
    gate.go.set()
    await loading
    await world.shell.bus.settle()
    assert next(one for one in loader.extensions if one.id == "foo.slow").state == "off"
    assert world.left() == empty
    assert world.faults == []


async def test_a_broken_one_can_be_switched_on_when_it_is_mended(world: World) -> None:
    flag = world.root / "mended"
    world.write(
        "user/foo/bar.py",
        f"""
        from pathlib import Path

        def activate(host):
            if not Path({str(flag)!r}).exists():
                raise ValueError("oh")
        """,
    )
    loader = world.loader()
    assert await world.load(loader) == {"foo.bar": "broken"}
    flag.touch()
    extension = await loader.switch_on("foo.bar")
    assert (extension.state, extension.why) == ("on", "")


async def test_an_unknown_id_is_an_error(world: World) -> None:
    loader = world.loader()
    await world.load(loader)
    with pytest.raises(KeyError):
        await loader.switch_on("foo.bar")
    with pytest.raises(KeyError):
        loader.switch_off("foo.bar")
