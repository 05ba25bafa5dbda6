"""The keys of vi."""

import pytest

from tests.tui.writing.test_area import LONG, desk, paste, shown


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("0x", "ne two"),
        ("hhx", "one wo"),
        ("0lx", "oe two"),
        ("bx", "one wo"),
        ("0wx", "one wo"),
        ("0ex", "on two"),
        ("0$x", "one tw"),
        ("0wD", "one "),
        ("0wCsix", "one six"),
        ("dd", ""),
        ("dx", "one two"),
        ("xp", "one two"),
        ("0xp", "noe two"),
        ("xu", "one two"),
        ("ia", "one twao"),
        ("aa", "one twoa"),
        ("Ia", "aone two"),
        ("0Aa", "one twoa"),
        ("oa", "one two\na"),
        ("Oa", "a\none two"),
        ("qzQ!", "one two"),
        ("ddp", "\none two"),
    ],
)
async def test_keys(keys: str, text: str) -> None:
    async with desk() as (app, pilot):
        app.prompt.use_vi(True)
        app.prompt.replace_text("one two")
        await pilot.press("escape", *keys)
        assert app.prompt.text == text


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("kdd", "a\nc"),
        ("kddp", "a\nc\nb"),
        ("dd", "a\nb"),
        ("kkddp", "b\na\nc"),
        ("ddkP", "a\nb"),
        ("kkwx", "a\n\nc"),
        ("bx", "a\n\nc"),
        ("kkjx", "a\n\nc"),
    ],
)
async def test_lines(keys: str, text: str) -> None:
    async with desk() as (app, pilot):
        app.prompt.use_vi(True)
        app.prompt.replace_text("a\nb\nc")
        await pilot.press("escape", *keys)
        assert app.prompt.text == text


async def test_enter_sends_in_both_modes_and_leads_back_to_typing() -> None:
    async with desk() as (app, pilot):
        app.prompt.use_vi(True)
        await pilot.press(*"dd", "escape", "enter", *"yes", "enter")
        assert app.sent == ["dd", "yes"]


async def test_a_chip_is_one_character() -> None:
    async with desk() as (app, pilot):
        app.prompt.use_vi(True)
        await pilot.press("a")
        await paste(app, pilot, LONG)
        await pilot.press("escape", "x")
        assert app.prompt.text == "a"
        await pilot.press("p")
        assert shown(app.prompt) == "a[paste 2: 50 lines]"


async def test_without_it_letters_are_letters() -> None:
    async with desk() as (app, pilot):
        await pilot.press("escape", *"dd")
        assert app.prompt.text == "dd"
