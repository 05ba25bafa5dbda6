"""Picking colours: seen while one looks around, kept when picked, as before when not."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from panto.program import Options
from panto.tui.app import PantoApp
from panto.tui.palette import theme_directory
from panto.tui.search_panel import SearchPanel


@asynccontextmanager
async def picking(project: Path, command: str = "/theme", theme: str | None = None) -> AsyncGenerator[
    tuple[PantoApp, Pilot[str]]
]:  # fmt: skip
    """The program, with the themes to pick from."""
    app = PantoApp(Options(project, theme=theme))
    async with app.run_test(size=(100, 40)) as pilot:
        while app.program is None or app.program.session is None:
            await pilot.pause(0.01)
        await pilot.press(*command, "enter")
        while not app.query(SearchPanel) and " " not in command:
            await pilot.pause(0.01)
        await pilot.pause()
        yield app, pilot


async def closed(app: PantoApp, pilot: Pilot[str]) -> None:
    """Waits until there is nothing to pick any more."""
    while app.query(SearchPanel):
        await pilot.pause(0.01)
    await pilot.pause()


async def test_one_sees_the_colours_while_one_looks_around(home: Path, tmp_path: Path) -> None:
    async with picking(tmp_path) as (app, pilot):
        assert app.theme == "panto-dark"
        await pilot.press(*"light")
        assert app.theme == "panto-light"
        await pilot.press("escape")
        await closed(app, pilot)
        assert app.theme == "panto-dark"
        assert not (home / ".config/panto/config.toml").exists()


async def test_what_is_picked_is_kept(home: Path, tmp_path: Path) -> None:
    file = home / ".config/panto/config.toml"
    async with picking(tmp_path) as (app, pilot):
        await pilot.press(*"panto-light", "enter")
        await closed(app, pilot)
        while not file.exists():
            await pilot.pause(0.01)
        assert app.theme == "panto-light"
        assert file.read_text() == 'theme = "panto-light"\n'


async def test_a_name_needs_no_picking_and_who_has_the_last_word_is_told(home: Path, tmp_path: Path) -> None:
    async with picking(tmp_path, "/theme panto-light", theme="panto-dark") as (app, pilot):
        while not any("the next start has" in entry.source for entry in app.transcript.entries):
            await pilot.pause(0.01)
        assert app.theme == "panto-light"
        assert (home / ".config/panto/config.toml").read_text() == 'theme = "panto-light"\n'


async def test_the_user_s_own_theme_stands_before_one_of_its_name_that_ships(home: Path, tmp_path: Path) -> None:
    own = home / ".config/panto/themes/panto-dark.toml"
    own.parent.mkdir(parents=True)
    own.write_text((theme_directory() / "panto-dark.toml").read_text().replace("#16181d", "#000012"))
    async with picking(tmp_path) as (app, pilot):
        assert app.transcript.palette.background == "#000012"
        await pilot.press("escape")
        await closed(app, pilot)
        assert app.transcript.palette.background == "#000012"
