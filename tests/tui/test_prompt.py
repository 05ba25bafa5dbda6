"""The prompt: what is typed is what is sent, in the order it was typed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from panto.tui.prompt import Prompt


class _Desk(App[None]):
    """A prompt, and what it sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    def compose(self) -> ComposeResult:
        yield Prompt()

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        self.sent.append(message.text)

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)


@asynccontextmanager
async def desk() -> AsyncGenerator[tuple[_Desk, Pilot[None]]]:
    """The prompt, focused."""
    app = _Desk()
    async with app.run_test(size=(60, 20)) as pilot:
        app.prompt.focus()
        await pilot.pause()
        yield app, pilot


async def test_enter_sends_and_clears() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"hi", "enter")
        assert (app.sent, app.prompt.text) == (["hi"], "")


async def test_blank_text_is_not_sent() -> None:
    async with desk() as (app, pilot):
        await pilot.press("space", "enter")
        assert app.sent == []


@pytest.mark.parametrize("key", ["shift+enter", "alt+enter", "ctrl+j"])
async def test_newline_keys_make_a_line(key: str) -> None:
    async with desk() as (app, pilot):
        await pilot.press("a", key, "b", "enter")
        assert app.sent == ["a\nb"]


async def test_a_trailing_backslash_makes_a_line() -> None:
    async with desk() as (app, pilot):
        await pilot.press("a", "backslash", "enter", "b", "enter")
        assert app.sent == ["a\nb"]


async def test_a_paste_is_kept_to_the_character_sends_nothing_and_is_one_step_back() -> None:
    async with desk() as (app, pilot):
        pasted = "one\r\ntwo\ttab\x00 [b]x[/b]\n"
        app.prompt.post_message(events.Paste(pasted))
        await pilot.pause()
        assert app.sent == []
        assert app.prompt.text == "one\ntwo\ttab\x00 [b]x[/b]\n"
        await pilot.press("ctrl+z")
        assert app.prompt.text == ""


async def test_up_and_down_walk_through_what_was_sent_and_back_to_the_draft() -> None:
    async with desk() as (app, pilot):
        await pilot.press("1", "enter", "2", "enter", *"draft", "up")
        assert app.prompt.text == "2"
        await pilot.press("up", "up")
        assert app.prompt.text == "1"
        await pilot.press("down", "down")
        assert app.prompt.text == "draft"


async def test_up_within_several_lines_only_moves_the_caret() -> None:
    async with desk() as (app, pilot):
        await pilot.press("1", "enter", "a", "ctrl+j", "b", "up", "x")
        assert app.prompt.text in ("ax\nb", "xa\nb")


async def test_what_is_given_back_stands_before_what_is_there() -> None:
    async with desk() as (app, _):
        app.prompt.text = "new"
        app.prompt.give_back("old")
        assert app.prompt.text == "old\nnew"


async def test_text_typed_ahead_sends_its_whole_lines() -> None:
    async with desk() as (app, pilot):
        app.prompt.type_ahead("first\nsecond\nhalf\x1b")
        await pilot.pause()
        assert (app.sent, app.prompt.text) == (["first", "second"], "half")
