"""The side panel: the sections that there are, in a picture that is never older than it must be."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.pilot import Pilot

from panto.offers import Panels
from panto.tui import side_panel as module
from panto.tui.palette import built_in_palettes
from panto.tui.side_panel import SidePanel
from panto.tui.steady import SteadyTranscript
from panto.tui.transcript import AnswerEntry, UserEntry
from tests.tui.transcript.test_snapshots import SnapCompare

NOTHING = "Extensions may show something here."


class Aside(App[None]):
    """A transcript with the panel beside it, in the program's own style sheet."""

    CSS_PATH = "../../app/panto/tui/app.tcss"

    def __init__(self, panels: Panels | None = None, theme: str = "panto-dark", *, narrow: bool = False) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme
        self.panels = panels or Panels()
        self._narrow = narrow

    def compose(self) -> ComposeResult:
        """Side by side."""
        with Horizontal(id="body"):
            yield SteadyTranscript(id="transcript")
            yield SidePanel(id="side")

    def on_mount(self) -> None:
        """Open it."""
        transcript = self.query_one("#transcript", SteadyTranscript)
        transcript.add(UserEntry("Why does checkout drop the discount on the last item?"))
        transcript.add(AnswerEntry("I'll look at how totals are built, and then at the loop in `totals.py`.")).finish()
        self.screen.set_class(self._narrow, "narrow")
        self.screen.add_class("aside")
        self.side.show_panels(self.panels)
        self.side.toggle()

    @property
    def side(self) -> SidePanel:
        """The panel."""
        return self.query_one(SidePanel)

    def rows(self) -> list[str]:
        """The rows of the panel on the screen, without empty ones."""
        region = self.side.text.content_region
        strips = self.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage] - the picture itself
        rows = [strips[y].crop(region.x, region.right - 1).text.strip() for y in range(region.y, region.bottom)]
        return [row for row in rows if row]


async def settled(pilot: Pilot[None], app: Aside) -> None:
    """Waits until nothing is left to paint."""
    await pilot.pause()
    while app.side._next is not None or app.side._is_due or app.side.text._frame is not None:  # pyright: ignore[reportPrivateUsage] - no other sign
        await pilot.pause(0.01)
    await pilot.pause()


@asynccontextmanager
async def aside(size: tuple[int, int] = (100, 20)) -> AsyncGenerator[tuple[Aside, Pilot[None]]]:
    """The panel, open."""
    app = Aside()
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app)
        yield app, pilot


async def test_without_sections_one_line_says_so() -> None:
    async with aside() as (app, _):
        assert " ".join(app.rows()) == NOTHING
        assert not app.side.has_sections


async def test_sections_come_go_and_change() -> None:
    async with aside() as (app, pilot):
        first, second = app.panels.add("First"), app.panels.add("Second")
        first.show("**one**")
        await settled(pilot, app)
        assert app.rows() == ["First", "one"]
        assert app.side.has_sections
        second.show("- two")
        await settled(pilot, app)
        assert app.rows() == ["First", "one", "Second", "• two"]
        first.show("other")
        await settled(pilot, app)
        assert app.rows() == ["First", "other", "Second", "• two"]
        first.show("")
        await settled(pilot, app)
        assert app.rows() == ["Second", "• two"]
        second.close()
        await settled(pilot, app)
        assert " ".join(app.rows()) == NOTHING
        assert not app.side.has_sections


async def test_it_shows_another_programs_sections_once_it_is_told() -> None:
    async with aside() as (app, pilot):
        app.panels.add("Old").show("old")
        await settled(pilot, app)
        other = Panels()
        other.add("New").show("new")
        app.side.show_panels(other)
        await settled(pilot, app)
        assert app.rows() == ["New", "new"]


async def test_a_hundred_updates_are_a_few_pictures_and_the_last_one_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    async with aside() as (app, pilot):
        panel = app.panels.add("Count")
        panel.show("0")
        await settled(pilot, app)
        monkeypatch.setattr(module, "REFRESH_SECONDS", 60.0)
        panel.show("1")
        assert app.side._next is not None  # pyright: ignore[reportPrivateUsage] - one timer, for all of them
        timer = app.side._next  # pyright: ignore[reportPrivateUsage]
        for number in range(2, 100):
            panel.show(str(number))
            await pilot.pause()
            assert app.side._next is timer  # pyright: ignore[reportPrivateUsage]
        assert app.rows() == ["Count", "0"]
        app.side.toggle()
        app.side.toggle()
        await settled(pilot, app)
        assert app.rows() == ["Count", "99"]
        assert app.side._next is None  # pyright: ignore[reportPrivateUsage] - none runs when nothing changes


async def test_while_it_is_closed_it_only_knows_whether_there_is_something() -> None:
    async with aside() as (app, pilot):
        app.side.toggle()
        panel = app.panels.add("Count")
        panel.show("1")
        assert app.side.has_sections
        await settled(pilot, app)
        assert len(app.side.text.entries) == 1
        assert NOTHING in app.side.text.entries[0].source
        app.side.toggle()
        await settled(pilot, app)
        assert app.rows() == ["Count", "1"]


async def test_a_long_text_is_read_from_its_top_and_keeps_its_place() -> None:
    async with aside((100, 10)) as (app, pilot):
        panel = app.panels.add("Long")
        panel.show("short")
        await settled(pilot, app)
        panel.show("\n\n".join(f"line {number}" for number in range(50)))
        await settled(pilot, app)
        assert app.rows()[:2] == ["Long", "line 0"]
        app.side.text.action_page_down()
        await settled(pilot, app)
        place = app.rows()[0]
        assert place not in ("Long", "line 0")
        panel.show("\n\n".join(f"line {number}" for number in range(60)))
        await settled(pilot, app)
        assert app.rows()[0] == place
        app.side.text.follow()
        await settled(pilot, app)
        assert app.rows()[-1] == "line 59"
        app.side.text.action_scroll_home()
        await settled(pilot, app)
        assert app.rows()[0] == "Long"


async def test_a_smaller_screen_still_shows_the_top() -> None:
    async with aside((100, 20)) as (app, pilot):
        app.panels.add("Some").show("\n\n".join(f"line {number}" for number in range(8)))
        await settled(pilot, app)
        assert app.rows()[-1] == "line 7"
        await pilot.resize_terminal(100, 6)
        await settled(pilot, app)
        assert app.rows()[0] == "Some"


async def test_hostile_text_is_only_shown() -> None:
    async with aside() as (app, pilot):
        app.panels.add("T\x1b[2J\nitle [red]").show("a \x1b]0;x\x07 b [/] \u202e")
        await settled(pilot, app)
        assert app.rows()[0] == "T␛[2J␊itle [red]"
        assert not set("\x1b\x07\u202e") & set("".join(app.rows()))


@pytest.mark.parametrize(("columns", "width"), [(60, 28), (100, 33), (200, 48)])
async def test_it_takes_about_a_third_of_the_screen(columns: int, width: int) -> None:
    async with aside((columns, 20)) as (app, _):
        assert app.side.outer_size.width == width
        assert app.query_one("#transcript").outer_size.width == columns - width


async def test_on_a_narrow_screen_it_takes_the_transcripts_place() -> None:
    app = Aside(narrow=True)
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot, app)
        assert app.side.outer_size.width == 60
        assert not app.query_one("#transcript").display


def sections() -> Panels:
    """Some sections."""
    panels = Panels()
    panels.add("Tasks").show("- [x] read `totals.py`\n- [x] find the loop that leaves one out\n- [ ] run the **tests**")
    panels.add("Language servers").show("`pyright` ready\n\n| file | problems |\n|---|--:|\n| totals.py | 2 |")
    panels.add("Hidden")
    return panels


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize("columns", [60, 100, 160])
@pytest.mark.parametrize("filled", [True, False], ids=["sections", "nothing"])
def test_the_picture(snap_compare: SnapCompare, filled: bool, columns: int, theme: str) -> None:
    app = Aside(sections() if filled else Panels(), theme, narrow=columns < 90)
    assert snap_compare(app, terminal_size=(columns, 20))
