"""Changing settings on the screen: found by typing, judged while one types, written where the user wants."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from panto.program import Options, Program
from panto.tui.app import PantoApp
from panto.tui.search_panel import SearchPanel


@asynccontextmanager
async def opened(project: Path) -> AsyncGenerator[tuple[PantoApp, Program, Pilot[str]]]:
    """The program, with its list of settings open."""
    app = PantoApp(Options(project))
    async with app.run_test(size=(100, 40)) as pilot:
        while app.program is None or app.program.session is None:
            await pilot.pause(0.01)
        await pilot.press(*"/config", "enter")
        await titled(app, pilot, "settings")
        yield app, app.program, pilot


async def titled(app: PantoApp, pilot: Pilot[str], title: str) -> None:
    """Waits for a panel."""
    while [panel.border_title for panel in app.query(SearchPanel)] != [title]:
        await pilot.pause(0.01)
    await pilot.pause()


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Path:
    """An empty project, and no config."""
    assert home.is_dir()
    directory = tmp_path / "shop"
    directory.mkdir()
    return directory


async def test_a_choice_is_written_to_the_file_that_is_picked_and_counts_at_once(home: Path, project: Path) -> None:
    async with opened(project) as (app, program, pilot):
        await pilot.press(*"mode", "enter")
        await titled(app, pilot, "mode")
        await pilot.press(*"ask", "enter")
        await titled(app, pilot, "mode, written to")
        await pilot.press("enter")
        await titled(app, pilot, "settings")
        file = home / ".config/panto/config.toml"
        assert file.read_text() == 'mode = "ask"\n'
        assert program.gate.mode == "build"
        await pilot.press("escape")
        while app.program is program or app.program is None or app.program.session is None:
            await pilot.pause(0.01)
        assert app.program.gate.mode == "ask"


async def test_what_does_not_fit_can_t_be_saved(home: Path, project: Path) -> None:
    async with opened(project) as (app, _, pilot):
        await pilot.press(*"extensions.deny", "enter")
        await titled(app, pilot, "extensions.deny")
        await pilot.press("ctrl+u", *"mcp", "enter", "enter")
        await titled(app, pilot, "extensions.deny")
        await pilot.press("ctrl+u", *'["mcp.*"]', "enter")
        await titled(app, pilot, "extensions.deny, written to")
        await pilot.press("down", "enter")
        await titled(app, pilot, "settings")
        assert (project / ".panto/config.toml").read_text() == '[extensions]\ndeny = ["mcp.*"]\n'
        assert not (home / ".config/panto/config.toml").exists()


async def test_leaving_at_any_step_changes_nothing(home: Path, project: Path) -> None:
    async with opened(project) as (app, program, pilot):
        await pilot.press(*"theme", "enter")
        await titled(app, pilot, "theme")
        await pilot.press("escape")
        await titled(app, pilot, "settings")
        await pilot.press(*"debug", "enter")
        await titled(app, pilot, "debug.wire")
        await pilot.press(*"true", "enter")
        await titled(app, pilot, "debug.wire, written to")
        await pilot.press("escape")
        await titled(app, pilot, "settings")
        await pilot.press("escape")
        while app.query(SearchPanel):
            await pilot.pause(0.01)
        await pilot.pause()
        assert app.program is program
        assert app.focused is app.prompt
        assert not (home / ".config/panto").exists()


async def test_a_file_that_can_t_be_changed_is_told_of(home: Path, project: Path) -> None:
    file = home / ".config/panto/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("mode = [")
    async with opened(project) as (app, program, pilot):
        await pilot.press(*"mode", "enter")
        await titled(app, pilot, "mode")
        await pilot.press(*"ask", "enter")
        await titled(app, pilot, "mode, written to")
        await pilot.press("enter")
        await titled(app, pilot, "settings")
        assert file.read_text() == "mode = ["
        await program.bus.settle()
        assert any("cannot be changed" in entry.source for entry in app.transcript.entries)
