"""What is not built in is read anew when extensions are loaded again, and when a broken one is tried again."""

import sys

from tests.loader.conftest import World


async def test_edited_files_count_when_extensions_are_loaded_again(world: World) -> None:
    world.write("user/foo/_shared.py", "WORD = 'first'\n")
    code = "from ._shared import WORD\ndef activate(host):\n    host.add_panel(WORD)\n"
    world.write("user/foo/bar.py", code)
    first = world.loader()
    await world.load(first)
    assert [panel.title for panel in world.shell.offers.panels.all()] == ["first"]
    first.close()

    world.write("user/foo/_shared.py", "WORD = 'the second'\n")
    world.write("user/foo/new.py", "def activate(host):\n    host.add_panel('new')\n")
    second = world.loader()
    assert await world.load(second) == {"foo.bar": "on", "foo.new": "on"}
    assert [panel.title for panel in world.shell.offers.panels.all()] == ["the second", "new"]


async def test_a_checkouts_package_is_read_anew_too(world: World) -> None:
    world.write("checkout/panto_foo/__init__.py", "")
    world.write("checkout/panto_foo/bar.py", "def activate(host):\n    host.add_panel('one')\n")
    sources = world.sources(paths=["checkout"])
    first = world.loader(sources)
    await world.load(first)
    first.close()
    world.write("checkout/panto_foo/bar.py", "def activate(host):\n    host.add_panel('another')\n")
    await world.load(world.loader(sources))
    assert [panel.title for panel in world.shell.offers.panels.all()] == ["another"]


async def test_a_broken_one_is_read_anew_when_it_is_switched_on(world: World) -> None:
    file = world.write("user/foo/bar.py", "def activate(host):\n    raise ValueError('oh')\n")
    loader = world.loader()
    assert await world.load(loader) == {"foo.bar": "broken"}
    file.write_text("def activate(host):\n    pass\n", encoding="utf-8")
    extension = await loader.switch_on("foo.bar")
    assert (extension.state, extension.why) == ("on", "")


async def test_what_joins_a_built_in_suite_leaves_the_suite_as_it_is(world: World) -> None:
    import panto_std.read  # noqa: PLC0415 - as it is now

    world.write("checkout/panto_std/__init__.py", "")
    world.write("checkout/panto_std/extra.py", "def activate(host):\n    pass\n")
    await world.load(world.loader(world.sources(paths=["checkout"])))
    assert sys.modules["panto_std.read"] is panto_std.read
