"""What the keys of the screen wish for, and that they keep to the order in which they were pressed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.pilot import Pilot

from panto.tui.model_picker import ModelScreen, Wish
from panto.tui.pick_list import PickList
from tests.tui.model_picker.test_pictures import MARKS, STOCK, Picture

PRESENT, FAVOURITE, RECENT = "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5", "local/qwen3:8b"


@asynccontextmanager
async def opened(words: str = "") -> AsyncGenerator[tuple[ModelScreen, Pilot[None]]]:
    """The screen alone."""
    app = Picture("panto-dark", words)
    async with app.run_test(size=(100, 28)) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, ModelScreen)
        yield app.screen, pilot


def chosen(screen: ModelScreen) -> str:
    """The model that is chosen."""
    return screen.chosen.key if screen.chosen else ""


async def test_keys_move_over_models_and_past_all_else() -> None:
    async with opened() as (screen, pilot):
        assert chosen(screen) == PRESENT
        for key, at in (
            ("down", FAVOURITE),
            ("ctrl+n", RECENT),
            ("ctrl+p", FAVOURITE),
            ("up", PRESENT),
            ("up", PRESENT),
            ("ctrl+end", f"local/{'a-model-with-a-very-long-name-' * 5}"),
            ("pageup", PRESENT),
            ("pagedown", f"local/{'a-model-with-a-very-long-name-' * 5}"),
            ("ctrl+home", PRESENT),
        ):
            await pilot.press(key)
            assert (key, chosen(screen)) == (key, at)


@pytest.mark.parametrize("close", ["escape", "ctrl+c"])
async def test_each_key_wishes_for_what_it_says(close: str) -> None:
    async with opened() as (screen, pilot):
        await pilot.press("ctrl+f", "down", "ctrl+d", "enter")
        assert [await screen.wish() for _ in range(3)] == [
            Wish(PRESENT, "favour"),
            Wish(FAVOURITE, "default"),
            Wish(FAVOURITE, "choose"),
        ]
        await pilot.press(close)
        assert await screen.wish() is None
        assert screen.closed


async def test_a_key_acts_on_all_that_was_typed_before_it() -> None:
    async with opened() as (screen, pilot):
        for letter in "opus":
            pilot.app.post_message(events.Key(letter, letter))
        pilot.app.post_message(events.Key("enter", "\r"))
        assert await screen.wish() == Wish("anthropic/claude-opus-5-5", "choose")


async def test_a_key_acts_on_nothing_that_was_typed_behind_it() -> None:
    async with opened("claude") as (screen, pilot):
        first = chosen(screen)
        pilot.app.post_message(events.Key("enter", "\r"))
        for letter in "-opus":
            pilot.app.post_message(events.Key(letter, letter))
        assert await screen.wish() == Wish(first, "choose")


async def test_typing_goes_on_after_a_click() -> None:
    async with opened() as (screen, pilot):
        await pilot.click(PickList, offset=(10, 4))
        assert chosen(screen) == RECENT
        await pilot.press("o", "p", "u", "s")
        assert chosen(screen) == "anthropic/claude-opus-5-5"
        screen.show(STOCK, MARKS)
        assert chosen(screen) == "anthropic/claude-opus-5-5"


async def test_where_nothing_fits_there_is_nothing_to_wish_for() -> None:
    async with opened("nothing like it") as (screen, pilot):
        await pilot.press("enter", "ctrl+f", "ctrl+d", "down", "escape")
        assert await screen.wish() is None
