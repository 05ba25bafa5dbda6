"""The screen of extensions in the real app: what the keys and the mouse do, and what is written."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from panto.config import load
from panto.permissions.approval import ApprovalRequest
from panto.program import Options, Program
from panto.tui.app import PantoApp
from panto.tui.approval import ApprovalPanel
from panto.tui.extensions import ExtensionsScreen
from panto.tui.extensions.screen import ExtensionList
from tests.loader import gate


async def until(pilot: Pilot[str], condition: Callable[[], bool]) -> None:
    """Let the app work until something is so."""
    async with asyncio.timeout(30):
        while not condition():
            await pilot.pause()


class Desk:
    """The app with the screen open."""

    def __init__(self, app: PantoApp, pilot: Pilot[str], program: Program) -> None:
        self.app = app
        self.pilot = pilot
        self.program = program

    @property
    def screen(self) -> ExtensionsScreen:
        """The screen of extensions."""
        assert isinstance(self.app.screen, ExtensionsScreen)
        return self.app.screen

    @property
    def chosen(self) -> str:
        """The id of the chosen one."""
        return self.screen.chosen.id if self.screen.chosen else ""

    def text(self, part: str) -> str:
        """What a line of the screen says."""
        return str(self.screen.query_one(f"#extensions-{part}", Static).render())

    def detail(self) -> str:
        """What the details say."""
        return str(self.screen.query_one("#extensions-detail Static", Static).render())

    def state(self, name: str) -> str:
        """The state of an extension, as the program knows it."""
        return self.program.loader.extension(name).state

    async def choose(self, name: str) -> None:
        """Go to an extension."""
        await self.pilot.press("home")
        for _ in self.program.loader.extensions:
            if self.chosen == name:
                return
            await self.pilot.press("down")
        raise AssertionError(f"there is no {name}")

    async def told(self, words: str) -> None:
        """Wait until the screen says something."""
        await until(self.pilot, lambda: words in " ".join(self.text("told").split()))


@asynccontextmanager
async def opened(project: Path, size: tuple[int, int] = (120, 30)) -> AsyncGenerator[Desk]:
    """The app with the screen open. It is closed, and the app with it, behind the test."""
    app = PantoApp(Options(project, demo=True))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.program is not None and app.program.session is not None)
        app.prompt.replace_text("/extensions")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExtensionsScreen) and app.screen.chosen is not None)
        assert app.program is not None
        await until(pilot, lambda: app.focused is not None)
        yield Desk(app, pilot, app.program)


@pytest.fixture
def user_config(home: Path) -> Path:
    """Where the user's config is."""
    return home / ".config/panto/config.toml"


async def test_keys_and_clicks_choose_and_switch_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        ids = [one.id for one in desk.program.loader.extensions]
        assert desk.chosen == ids[0]
        for key, chosen in (
            ("down", ids[1]),
            ("j", ids[2]),
            ("up", ids[1]),
            ("k", ids[0]),
            ("end", ids[-1]),
            ("pageup", ids[0]),
            ("pagedown", ids[-1]),
            ("home", ids[0]),
        ):
            await desk.pilot.press(key)
            assert (key, desk.chosen) == (key, chosen)
        await desk.pilot.click(ExtensionList, offset=(5, 2))
        await until(desk.pilot, lambda: desk.chosen == ids[2])
        assert desk.detail().splitlines()[0].endswith(ids[2])
        assert {one.state for one in desk.program.loader.extensions} == {"on"}
        assert desk.app.prompt.text == ""


async def test_space_and_enter_switch_and_the_screen_follows(tmp_path: Path, user_config: Path) -> None:
    async with opened(tmp_path) as desk:
        await desk.choose("agent.rules")
        assert "handler: session_start, tool_result" in desk.detail()
        assert "Space switch off" in desk.text("keys")
        assert "● user  ~/.config/panto/config.toml" in desk.text("target")
        await desk.pilot.press("space")
        await desk.told("agent.rules is off now, and from the next start on: ~/.config/panto/config.toml")
        assert load(desk.program.paths).extensions.deny == ("agent.rules",)
        assert "handler" not in desk.detail()
        assert 'denied by "agent.rules" (user: ~/.config/panto/config.toml:2)' in " ".join(desk.detail().split())
        assert "1 off" in desk.text("title")
        assert "Space switch on" in desk.text("keys")
        assert desk.chosen == "agent.rules"
        await desk.pilot.press("enter")
        await desk.told("agent.rules is on now")
        assert load(desk.program.paths).extensions.deny == ()
        assert "handler: session_start, tool_result" in desk.detail()
        await desk.pilot.press("down")
        await until(desk.pilot, lambda: not desk.screen.query_one("#extensions-told").display)


@pytest.mark.parametrize("key", ["p", "tab"])
async def test_the_projects_file_is_written_once_it_is_chosen(tmp_path: Path, user_config: Path, key: str) -> None:
    async with opened(tmp_path) as desk:
        await desk.choose("std.list")
        await desk.pilot.press(key)
        assert "● project  .panto/config.toml" in desk.text("target")
        await desk.pilot.press("space")
        await desk.told("std.list is off now")
        assert (tmp_path / ".panto/config.toml").read_text() == '[extensions]\ndeny = ["std.list"]\n'
        assert not user_config.exists()
        await desk.pilot.press("u", "space")
        await desk.told('on now, and off again from the next start on: denied by "std.list"')
        assert not user_config.exists()


async def test_a_broken_one_says_where_and_can_be_tried_again_or_given_up(tmp_path: Path, user_config: Path) -> None:
    file = user_config.parent / "extensions/my/rhyme.py"
    file.parent.mkdir(parents=True)
    file.write_text("def activate(host):\n    raise ValueError('[bold]oh\\x1b[31m')\n")
    async with opened(tmp_path, (160, 30)) as desk:
        await desk.choose("my.rhyme")
        assert "".join(f"{file}:2: ValueError: [bold]oh".split()) in "".join(desk.detail().split())
        assert "\x1b" not in desk.detail()
        assert "Space try again   x switch off" in desk.text("keys")
        await desk.pilot.press("space")
        await desk.told("my.rhyme was tried, and is broken")
        assert "\x1b" not in desk.text("told")
        file.write_text("def activate(host):\n    host.add_panel('Rhymes')\n")
        await desk.pilot.press("space")
        await desk.told("my.rhyme is on now, as the config has it")
        assert "panel: Rhymes" in desk.detail()
        assert "x switch off" not in desk.text("keys")


async def test_a_broken_one_that_is_given_up_is_denied(tmp_path: Path, user_config: Path) -> None:
    file = user_config.parent / "extensions/my/rhyme.py"
    file.parent.mkdir(parents=True)
    file.write_text("1 / 0\n")
    async with opened(tmp_path) as desk:
        await desk.choose("my.rhyme")
        await desk.pilot.press("x")
        await desk.told("my.rhyme is off now")
        assert load(desk.program.paths).extensions.deny == ("my.rhyme",)


async def test_what_a_project_brings_is_refused_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / ".panto/extensions/evil/one.py"
    file.parent.mkdir(parents=True)
    file.write_text(f"from pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\n")
    async with opened(tmp_path) as desk:
        await desk.choose("evil.one")
        assert "what a project brings is not run" in " ".join(desk.detail().split())
        await desk.pilot.press("space")
        await desk.told("evil.one is code that this project brings: it is not run")
        assert not (tmp_path / "ran").exists()


async def test_what_is_not_written_is_said(tmp_path: Path, user_config: Path) -> None:
    async with opened(tmp_path) as desk:
        user_config.parent.mkdir(parents=True, exist_ok=True)
        user_config.write_text("deny = [\n")
        await desk.choose("std.list")
        await desk.pilot.press("space")
        await desk.told("std.list is off now, but not from the next start on: it is not written")
        assert "mend it first" in " ".join(desk.text("told").split())
        assert user_config.read_text() == "deny = [\n"


@pytest.mark.parametrize("key", ["escape", "q", "ctrl+c"])
async def test_leaving_brings_the_prompt_back(tmp_path: Path, key: str) -> None:
    async with opened(tmp_path) as desk:
        await desk.pilot.press("f1", "shift+tab", "z", key)
        await until(desk.pilot, lambda: len(desk.app.screen_stack) == 1)
        assert desk.app.focused is desk.app.prompt
        assert desk.program.gate.mode == "build"
        await until(desk.pilot, lambda: desk.app.status.command == "")
        await desk.pilot.press("h", "i")
        assert desk.app.prompt.text == "hi"


async def test_closing_while_one_is_switched_on_lets_it_finish_and_tells(tmp_path: Path, user_config: Path) -> None:
    gate.reset()
    file = user_config.parent / "extensions/my/slow.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "from tests.loader import gate\n"
        "async def activate(host):\n    gate.began.set()\n    await gate.go.wait()\n    host.add_panel('Slow')\n"
    )
    user_config.write_text('[extensions]\ndeny = ["my.slow"]\n')
    async with opened(tmp_path) as desk:
        await desk.choose("my.slow")
        await desk.pilot.press("space")
        await gate.began.wait()
        await desk.pilot.press("space", "escape")
        await until(desk.pilot, lambda: len(desk.app.screen_stack) == 1)
        gate.go.set()
        await until(desk.pilot, lambda: desk.state("my.slow") == "on" and desk.app.status.command == "")
        assert load(desk.program.paths).extensions.deny == ()


async def test_a_question_that_the_screen_covers_is_announced_and_waits_below(tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        asking = asyncio.ensure_future(desk.program.approve(ApprovalRequest("std.shell", "ls", (), "it asks")))
        await desk.told("something is to be approved before it runs")
        await desk.pilot.press("escape")
        await until(desk.pilot, lambda: isinstance(desk.app.focused, ApprovalPanel))
        await desk.pilot.press("3")
        assert (await asking).verdict == "no"


async def test_a_new_session_from_elsewhere_closes_the_screen(tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        before = desk.program.session
        desk.app.request("new_session")
        await until(desk.pilot, lambda: desk.program.session is not before and len(desk.app.screen_stack) == 1)
        await until(desk.pilot, lambda: desk.app.focused is desk.app.prompt)


@pytest.mark.parametrize("size", [(60, 12), (60, 30), (100, 12), (40, 8)])
async def test_a_long_detail_can_be_scrolled_wherever_there_is_room_for_little(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, size) as desk:
        pane = desk.screen.query_one("#extensions-detail")
        await desk.pilot.press("ctrl+down")
        await until(desk.pilot, lambda: pane.scroll_offset.y == min(pane.max_scroll_y, max(1, pane.size.height - 2)))
        await desk.pilot.press("down")
        await until(desk.pilot, lambda: pane.scroll_offset.y == 0)
        await desk.pilot.resize_terminal(160, 40)
        await until(desk.pilot, lambda: desk.screen.has_class("wide"))
