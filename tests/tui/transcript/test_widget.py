"""The widget in a running app: following, scrolling, anchoring, folding, painting no more than it must."""

from typing import cast

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.scrollbar import ScrollTo
from textual.widgets import Input

from panto.tui.palette import built_in_palettes
from panto.tui.transcript import AnswerEntry, ThinkingEntry, ToolEntry, Transcript, UserEntry, widget as widget_module


class Screen(App[None]):
    """A transcript above an input."""

    CSS = "Transcript { height: 1fr; background: $background; } Input { height: 1; border: none; }"

    def __init__(self) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = "panto-dark"

    def compose(self) -> ComposeResult:
        """The transcript has the focus first."""
        yield Transcript()
        yield Input()

    @property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.query_one(Transcript)


def shown(app: Screen) -> list[str]:
    """What is on the screen, row by row, without the input and the scrollbar."""
    strips = app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage] - the picture itself
    return [strip.crop(0, app.size.width - 1).text.strip() for strip in strips[:-1]]


async def fill(pilot: Pilot[None], count: int = 100) -> Transcript:
    """Adds some entries and has them painted."""
    transcript = cast("Screen", pilot.app).transcript
    for number in range(count):
        transcript.add(UserEntry(f"entry {number}"))
    await settled(pilot)
    return transcript


async def settled(pilot: Pilot[None]) -> None:
    """Waits until nothing is left to paint."""
    transcript = cast("Screen", pilot.app).transcript
    await pilot.pause()
    while transcript._frame is not None or transcript._paint_is_due:  # pyright: ignore[reportPrivateUsage] - no other sign
        await pilot.pause(0.01)
    await pilot.pause()


async def test_it_follows_what_is_added_and_what_streams() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        assert shown(app)[-1] == "┃ entry 99"
        entry = transcript.add(AnswerEntry())
        for number in range(50):
            entry.append(f"line {number}  \n")
        entry.finish()
        await settled(pilot)
        assert shown(app)[-1] == "line 49"
        assert transcript.following
        assert not transcript.unseen


async def test_entries_added_before_it_is_mounted_are_shown() -> None:
    class Early(Screen):
        def compose(self) -> ComposeResult:
            transcript = Transcript()
            transcript.add(UserEntry("early"))
            yield transcript
            yield Input()

    app = Early()
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        assert shown(app)[0] == "┃ early"


async def test_scrolling_up_stays_and_says_that_there_is_more_until_end_is_pressed() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        await pilot.press("pageup")
        before = shown(app)
        assert before[-1] != "┃ entry 99"
        assert not transcript.unseen
        transcript.add(UserEntry("news"))
        await settled(pilot)
        assert shown(app) == before
        assert transcript.unseen
        await pilot.press("end")
        await settled(pilot)
        assert shown(app)[-1] == "┃ news"
        assert not transcript.unseen


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        (["home"], "┃ entry 0"),
        (["home", "down"], ""),
        (["home", "pagedown"], "┃ entry 9"),
        (["home", "pagedown", "pageup"], "┃ entry 0"),
        (["up", "up"], "┃ entry 89"),
    ],
)
async def test_keys_scroll_at_once(keys: list[str], first: str) -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        await fill(pilot)
        await pilot.press(*keys)
        await pilot.pause()
        assert shown(app)[0] == first


async def test_the_wheel_and_the_scrollbar_scroll() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        top = transcript.scroll_offset.y
        transcript.post_message(events.MouseScrollUp(transcript, 5, 5, 0, -1, 0, False, False, False))
        await pilot.pause()
        assert transcript.scroll_offset.y == top - round(app.scroll_sensitivity_y)
        transcript.post_message(events.MouseScrollDown(transcript, 5, 5, 0, 1, 0, False, False, False))
        await pilot.pause()
        assert transcript.following
        transcript.post_message(ScrollTo(y=50.0, animate=True))
        await pilot.pause()
        assert transcript.scroll_offset.y == 50
        assert shown(app)[0] == "┃ entry 25"
        transcript.post_message(ScrollTo(y=10_000.0))
        await pilot.pause()
        assert transcript.following


async def test_textuals_own_scrolling_works_too() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        transcript.scroll_to(y=30, animate=False)
        await pilot.pause()
        assert shown(app)[0] == "┃ entry 15"
        transcript.scroll_end(animate=False)
        await pilot.pause()
        await pilot.pause()
        assert transcript.following


async def test_resizing_keeps_the_text_at_the_top() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot, 1)
        entry = transcript.add(AnswerEntry(" ".join(f"word{number}" for number in range(3000))))
        entry.finish()
        transcript.add(UserEntry("end"))
        await settled(pilot)
        await pilot.press("home", *["pagedown"] * 9)
        first = shown(app)[0].split()[0]
        for size in ((100, 30), (33, 9), (60, 20)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert first in shown(app)[0].split()
            assert len(shown(app)) == size[1] - 1


async def test_resizing_while_it_streams_loses_nothing() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        entry = app.transcript.add(AnswerEntry())
        for number in range(300):
            entry.append(f"{number}  \n")
            if number % 60 == 0:
                await pilot.resize_terminal(40 + number // 10, 20)
        entry.finish()
        await settled(pilot)
        assert shown(app) == [str(number) for number in range(281, 300)]
        await pilot.press("home")
        assert shown(app) == [str(number) for number in range(19)]


async def test_folding() -> None:
    app = Screen()
    async with app.run_test(size=(60, 40)) as pilot:
        transcript = await fill(pilot, 1)
        thinking = transcript.add(ThinkingEntry("hm\nso", done=True))
        tool = transcript.add(ToolEntry("std.shell", "run"))
        tool.finish("done", "\n".join(f"out {number}" for number in range(20)))
        await settled(pilot)
        folded = shown(app)
        assert "… 16 more lines" in folded
        transcript.toggle_last_fold()
        await settled(pilot)
        assert "out 10" in shown(app)
        assert thinking.folded
        transcript.toggle_last_fold()
        transcript.toggle_folds()
        await settled(pilot)
        assert {"out 10", "hm", "so"} <= set(shown(app))
        transcript.toggle_folds()
        await settled(pilot)
        assert shown(app) == folded


async def test_a_fold_by_the_user_is_no_news() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        tool = transcript.add(ToolEntry("std.shell", "run"))
        tool.finish("done", "out\n" * 20)
        await settled(pilot)
        await pilot.press("pageup")
        tool.set_folded(False)
        await settled(pilot)
        assert not transcript.unseen


async def test_revealing_and_clearing() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        transcript.reveal(transcript.entries[3])
        await pilot.pause()
        assert "┃ entry 3" in shown(app)
        old = transcript.entries[0]
        transcript.clear()
        await settled(pilot)
        assert transcript.entries == ()
        assert transcript.following
        assert set(shown(app)) == {""}
        assert not transcript.show_vertical_scrollbar
        with pytest.raises(KeyError):
            transcript.reveal(old)
        transcript.add(UserEntry("anew"))
        await settled(pilot)
        assert shown(app)[0] == "┃ anew"


async def test_another_theme_repaints_everything() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot, 5)
        before = shown(app)
        for theme in ("panto-light", "textual-dark", "panto-dark"):
            app.theme = theme
            await settled(pilot)
            assert shown(app) == before
            assert transcript.palette.name == theme
            strips = app.screen._compositor.render_strips()[:-1]  # pyright: ignore[reportPrivateUsage] - the picture
            backgrounds = {s.style.bgcolor for strip in strips for s in strip.crop(0, 59) if s.style}
            assert backgrounds == {transcript.palette.base.bgcolor}


async def test_the_first_change_after_a_pause_is_painted_at_once_and_the_next_ones_together() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot, 1)
        entry = transcript.add(AnswerEntry())
        await settled(pilot)
        transcript._last_paint = 0.0  # pyright: ignore[reportPrivateUsage] - as if long ago
        entry.append("first")
        assert transcript._frame is None  # pyright: ignore[reportPrivateUsage] - no timer was needed
        await pilot.pause()
        assert "first" in shown(app)
        transcript._pause = 1000.0  # pyright: ignore[reportPrivateUsage] - so that no frame comes by itself
        entry.append(" second")
        entry.append(" third")
        assert transcript._frame is not None  # pyright: ignore[reportPrivateUsage] - one timer for both
        await pilot.pause()
        assert "first" in shown(app)


async def test_idle_runs_no_timer() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot)
        await settled(pilot)
        assert transcript._frame is None  # pyright: ignore[reportPrivateUsage] - what is asked
        assert not transcript.auto_refresh


async def test_only_the_cells_that_changed_are_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot, 1)
        entry = transcript.add(AnswerEntry("some words"))
        await settled(pilot)
        painted: list[tuple[Region, ...]] = []
        original = transcript.refresh

        def noted(*regions: Region, **options: bool) -> Transcript:
            painted.append(regions)
            return original(*regions, **options)

        monkeypatch.setattr(transcript, "refresh", noted)
        entry.append(" more")
        await settled(pilot)
        assert painted == [(Region(13, 2, 4, 1),)]
        painted.clear()
        entry.append("")
        await settled(pilot)
        assert painted == []


async def test_a_slow_repaint_is_followed_by_a_longer_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await fill(pilot, 1)
        await settled(pilot)
        clock = iter(number * 0.1 for number in range(10_000))
        monkeypatch.setattr(widget_module.time, "monotonic", lambda: next(clock))
        transcript._paint()  # pyright: ignore[reportPrivateUsage] - a repaint that takes a tenth of a second
        assert transcript._pause == pytest.approx(0.4)  # pyright: ignore[reportPrivateUsage] - what is asked


@pytest.mark.parametrize("size", [(10, 3), (12, 5), (1, 1), (2, 2), (300, 60)])
async def test_any_size_of_screen(size: tuple[int, int]) -> None:
    app = Screen()
    async with app.run_test(size=size) as pilot:
        transcript = await fill(pilot, 3)
        entry = transcript.add(AnswerEntry("- a list\n\n| a | b |\n|---|---|\n| 漢字 | c |\n\n```py\nx = 1\n```"))
        entry.finish()
        await settled(pilot)
        await pilot.press("pageup", "home", "end")
        strips = app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage] - the picture itself
        assert all(strip.cell_length == size[0] for strip in strips)
