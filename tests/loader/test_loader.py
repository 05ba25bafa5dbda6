import sys
from pathlib import Path

import pytest

from panto.events import AppStop
from panto.loader import loader as module
from tests.loader.conftest import World
from tests.loader.everything import EVERYTHING


async def test_extensions_from_every_place_load_and_take_part(world: World) -> None:
    world.extension("user/foo/bar.py")
    world.extension("user/bar.py", "top")
    world.extension("user/_x.py", "never")
    world.write("checkout/panto_foo/__init__.py", "NAME = 'itself'")
    world.write(
        "checkout/panto_foo/baz.py",
        f"""
        import panto_foo

        def activate(host):
            {world.mark("on:baz")}
            assert panto_foo.NAME == "itself"
        """,
    )
    states = await world.load(world.loader(world.sources(paths=["checkout"])))
    assert states == {"foo.bar": "on", "user.bar": "on", "foo.baz": "on"}
    assert sorted(world.marks) == ["import:bar", "import:top", "on:bar", "on:baz", "on:top"]
    assert "panto_foo" in sys.modules
    assert (world.notices, world.faults) == ([], [])


async def test_a_modules_neighbours_can_be_imported(world: World) -> None:
    world.write("user/foo/_shared.py", "WORD = 'shared'")
    world.write(
        "user/foo/bar.py",
        f"from ._shared import WORD\ndef activate(host):\n    {world.mark('on')}\n    assert WORD == 'shared'\n",
    )
    assert await world.load() == {"foo.bar": "on"}


async def test_all_built_in_extensions_load(world: World) -> None:
    loader = world.loader(deny=())
    await loader.load()
    await world.shell.bus.settle()
    assert {one.id: one.why for one in loader.extensions if one.state != "on"} == {}
    assert (world.notices, world.faults) == ([], [])
    loader.close()


BROKEN: list[tuple[str, int | None, str]] = [
    ("def activate(host):\n    return 1 +\n", 2, "invalid syntax"),
    ("\n\n1 / 0\n", 3, "ZeroDivisionError: division by zero"),
    ("import no_such_module_anywhere\n", 1, "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
    ("x = 1\ndef activate(host):\n    raise ValueError('oh')\n", 3, "ValueError: oh"),
    ("async def activate(host):\n    raise ValueError('oh')\n", 2, "ValueError: oh"),
    ("import sys\nsys.exit(3)\n", 2, "it tried to end the program (3)"),
    ("def activate(host):\n    raise SystemExit\n", 2, "it tried to end the program ()"),
    (
        "import asyncio\nasync def activate(host):\n    raise asyncio.CancelledError\n",
        3,
        "it was cancelled, and not from outside",
    ),
    ("def activate(host):\n    eval('1 +')\n", 2, "SyntaxError: invalid syntax (<string>, line 1)"),
    (
        "from panto import TurnEnd\ndef activate(host):\n    host.on(TurnEnd, print)\n",
        3,
        "BusError: nobody takes part in turn_end: it can only be watched",
    ),
    ("activate = 5\n", None, "TypeError: it has no function activate(host)"),
]


@pytest.mark.parametrize(("code", "line", "words"), BROKEN, ids=[words for _, _, words in BROKEN])
async def test_a_broken_one_is_one_diagnostic_with_its_place_and_the_rest_load(
    world: World, code: str, line: int | None, words: str
) -> None:
    file = world.write("user/foo/bad.py", code)
    world.extension("user/foo/aaa.py")
    world.extension("user/foo/zzz.py")
    before = world.left()
    loader = world.loader()
    assert await world.load(loader) == {"foo.aaa": "on", "foo.bad": "broken", "foo.zzz": "on"}
    (fault,) = world.faults
    place = str(file) if line is None else f"{file}:{line}"
    assert (fault.extension, fault.doing, fault.message) == ("foo.bad", "load", f"{place}: {words}")
    assert next(one for one in loader.extensions if one.id == "foo.bad").why == fault.message
    assert world.left() == before


async def test_one_that_raises_after_registering_leaves_nothing(world: World) -> None:
    world.write("user/foo/bad.py", EVERYTHING + "    raise ValueError('late')\n")
    before = world.left()
    assert await world.load() == {"foo.bad": "broken"}
    assert world.left() == before


async def test_one_that_never_finishes_activating_is_broken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ACTIVATION_SECONDS", 0.02)
    world.write("user/foo/slow.py", "import asyncio\nasync def activate(host):\n    await asyncio.Event().wait()\n")
    world.extension("user/foo/zzz.py")
    assert await world.load() == {"foo.slow": "broken", "foo.zzz": "on"}
    (fault,) = world.faults
    assert fault.message.endswith("TimeoutError: took longer than 0.02 s")


async def test_async_activation(world: World) -> None:
    world.write(
        "user/foo/bar.py",
        f"import asyncio\nasync def activate(host):\n    await asyncio.sleep(0)\n    {world.mark('on')}\n",
    )
    assert await world.load() == {"foo.bar": "on"}
    assert world.marks == ["on"]


async def test_the_policy_decides_and_globs_without_a_match_are_warned_of(world: World) -> None:
    for name in ("bar", "baz"):
        world.extension(f"user/foo/{name}.py")
    loader = world.loader(allow=["foo.*", "typo.*"], deny=["foo.baz", "sdt.*"])
    assert await world.load(loader) == {"foo.bar": "on", "foo.baz": "denied"}
    assert world.marks == ["import:bar", "on:bar"]
    assert world.notices == ["extensions: the glob 'typo.*' matches none", "extensions: the glob 'sdt.*' matches none"]
    assert next(one for one in loader.extensions if one.id == "std.read").state == "denied"


async def test_what_a_project_brings_never_runs(world: World) -> None:
    world.extension("project/foo/bar.py", "layer")
    world.write("checkout/panto_evil/__init__.py", world.mark("package"))
    world.extension("checkout/panto_evil/baz.py")
    world.write("checkout/only_in_the_project.py", world.mark("neighbour"))
    path = list(sys.path)
    loader = world.loader(world.sources(paths=["checkout"], paths_layer=["project"]))
    assert await world.load(loader) == {"foo.bar": "untrusted", "evil.baz": "untrusted"}
    for name in ("foo.bar", "evil.baz"):
        assert (await loader.switch_on(name)).state == "untrusted"
        assert loader.switch_off(name).state == "untrusted"
        assert (await loader.switch_on(name)).state == "untrusted"
    assert world.marks == []
    assert sys.path == path
    assert len([notice for notice in world.notices if "brings code that is not run: evil.baz, foo.bar" in notice]) == 1


async def test_problems_of_the_places_are_told(world: World) -> None:
    await world.load(world.loader(world.sources(paths=["gone"])))
    assert world.notices == [f"extensions: {world.root / 'gone'}: no package whose name begins with panto_ is there"]


async def test_a_package_that_is_another_one_already_is_not_taken_for_it(world: World) -> None:
    world.write("checkout/panto_std/__init__.py", "")
    world.extension("checkout/panto_std/brand_new.py")
    world.write("first/panto_foo/__init__.py", "")
    world.write("second/panto_foo/__init__.py", "")
    world.extension("first/panto_foo/one.py")
    world.extension("second/panto_foo/two.py")
    loader = world.loader(world.sources(paths=["checkout", "first", "second"]), deny=["std.read"])
    states = await world.load(loader)
    assert (states["foo.one"], states["foo.two"], states["std.brand_new"]) == ("on", "broken", "broken")
    loader.close()


async def test_handlers_run_in_the_order_of_layers(world: World) -> None:
    for place in ("user/zoo/a.py", "base/zoo/b.py", "user/ant/c.py"):
        world.write(
            place,
            f"""
            from panto import AppStop

            def mark(event):
                {world.mark(Path(place).stem)}

            def activate(host):
                host.on(AppStop, mark)
            """,
        )
    loader = world.loader()
    await world.load(loader)
    await world.shell.bus.emit(AppStop())
    assert world.marks == ["b", "c", "a"]
    assert [one.id for one in loader.extensions if one.state == "on"] == ["zoo.b", "ant.c", "zoo.a"]
