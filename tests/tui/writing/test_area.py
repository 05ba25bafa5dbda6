"""The editor: chips are one character, and words go and come back as in a shell."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from panto.tui.prompt import Prompt
from panto.tui.writing.chips import has_brackets
from panto.tui.writing.written import Written

LONG = "\n".join(f"line {number}" for number in range(50))


class Desk(App[None]):
    """A prompt, what it sent, and what it told."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        yield Prompt()

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        self.sent.append(message.text)

    def on_writing_area_told(self, message: Prompt.Told) -> None:
        self.told.append(message.text)

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)


@asynccontextmanager
async def desk() -> AsyncGenerator[tuple[Desk, Pilot[None]]]:
    """The prompt, focused."""
    app = Desk()
    async with app.run_test(size=(60, 20)) as pilot:
        app.prompt.focus()
        await pilot.pause()
        yield app, pilot


async def paste(app: Desk, pilot: Pilot[None], text: str) -> None:
    app.prompt.post_message(events.Paste(text))
    await pilot.pause()


def shown(prompt: Prompt) -> str:
    return "\n".join(prompt.document.lines)


async def test_a_chip_is_one_character_for_the_caret_and_for_deleting() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"ab")
        await paste(app, pilot, LONG)
        assert shown(app.prompt) == "ab[paste 1: 50 lines]"
        assert app.sent == []
        await pilot.press("left", "x", "right", "y")
        assert shown(app.prompt) == "abx[paste 1: 50 lines]y"
        await pilot.press("left", "backspace")
        assert shown(app.prompt) == "abxy"
        await pilot.press("ctrl+z")
        assert app.prompt.written.text == f"abx{LONG}y"
        await pilot.press("home", "right", "right", "right", "delete", "enter")
        assert app.sent == ["abxy"]


async def test_a_chip_is_sent_whole_and_comes_back_as_a_chip() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"ab")
        await paste(app, pilot, LONG)
        await pilot.press("enter")
        assert app.sent == [f"ab{LONG}"]
        await pilot.press("up")
        assert shown(app.prompt) == "ab[paste 1: 50 lines]"


async def test_a_paste_is_opened_edited_and_can_be_closed_again_by_undo() -> None:
    async with desk() as (app, pilot):
        await paste(app, pilot, LONG)
        await pilot.press("space", "ctrl+x")
        assert app.prompt.text == f"{LONG} "
        await pilot.press("ctrl+z")
        assert shown(app.prompt) == "[paste 1: 50 lines] "
        await pilot.press("ctrl+x", "!", "enter")
        assert app.sent == [f"{LONG}! "]


async def test_what_can_not_be_edited_stays_a_chip() -> None:
    async with desk() as (app, pilot):
        await paste(app, pilot, "a\x0cb\u2028c")
        await pilot.press("ctrl+x", "enter")
        assert app.told == ["[paste 1: 5 characters] has characters that can't be edited here"]
        assert app.sent == ["a\x0cb\u2028c"]


async def test_a_pasted_label_is_no_chip() -> None:
    async with desk() as (app, pilot):
        await paste(app, pilot, LONG)
        await paste(app, pilot, " [paste 1: 50 lines]")
        await pilot.press("enter")
        assert app.sent == [f"{LONG} [paste 1: 50 lines]"]


async def test_what_is_marked_is_copied_and_cut_with_all_of_its_pastes() -> None:
    async with desk() as (app, pilot):
        await pilot.press("a")
        await paste(app, pilot, LONG)
        await pilot.press("shift+left", "shift+left")
        assert app.prompt.selected_text == f"a{LONG}"
        await pilot.press("ctrl+x")
        assert (app.clipboard, app.prompt.text) == (f"a{LONG}", "")
        await pilot.press("ctrl+v")
        assert app.prompt.written.text == f"a{LONG}"


@pytest.mark.parametrize(
    ("typed", "keys", "left"),
    [
        ("one two-three", ["ctrl+w"], "one "),
        ("one two-three", ["alt+backspace"], "one two-"),
        ("one two", ["ctrl+u"], ""),
        ("one two", ["home", "ctrl+k"], ""),
        ("one two", ["home", "alt+d"], " two"),
        ("one two", ["home", "alt+f", "alt+d"], "one"),
        ("one two", ["alt+b", "ctrl+k"], "one "),
        ("one two three", ["ctrl+w", "ctrl+w", "ctrl+y"], "one two three"),
        ("one two three", ["home", "alt+d", "alt+d", "end", "ctrl+y"], " threeone two"),
        ("one two", ["ctrl+w", "home", "ctrl+y"], "twoone "),
        ("one two", ["ctrl+w", "x", "ctrl+w", "ctrl+y"], "one x"),
        ("a\nb", ["up", "end", "ctrl+k"], "ab"),
        ("a\nb", ["home", "ctrl+u"], "ab"),
        ("one", ["ctrl+w", "ctrl+z"], "one"),
        ("one", ["ctrl+w", "ctrl+z", "alt+z"], ""),
        ("", ["ctrl+w", "ctrl+k", "ctrl+u", "alt+d", "ctrl+y"], ""),
    ],
)
async def test_words_are_killed_and_yanked(typed: str, keys: list[str], left: str) -> None:
    async with desk() as (app, pilot):
        app.prompt.replace_text(typed)
        await pilot.press(*keys)
        assert app.prompt.text == left


async def test_a_chip_is_killed_and_yanked_also_into_another_prompt() -> None:
    async with desk() as (app, pilot):
        await paste(app, pilot, LONG)
        await pilot.press("ctrl+u", "x", "enter", "ctrl+y", "enter")
        assert app.sent == ["x", LONG]


async def test_a_text_is_put_in_place_of_another_in_one_step() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"abc")
        app.prompt.rewrite(Written(f"see {LONG}", ((4, 4 + len(LONG)),)))
        assert shown(app.prompt) == "see [paste 1: 50 lines]"
        await pilot.press("ctrl+z")
        assert app.prompt.text == "abc"


KEYS = (
    *("left", "right", "up", "down", "home", "end", "backspace", "delete", "enter", "ctrl+j", "x", "ctrl+w", "ctrl+k"),
    *("ctrl+u", "ctrl+y", "ctrl+z", "alt+z", "ctrl+x", "shift+left", "shift+right", "alt+b", "alt+d", "paste", "odd"),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(KEYS), max_size=25))
async def test_whatever_is_pressed_no_chip_is_ever_broken(keys: list[str]) -> None:
    async with desk() as (app, pilot):
        for key in keys:
            if key in ("paste", "odd"):
                await paste(app, pilot, LONG if key == "paste" else "\U00100000\x0b")
            else:
                await pilot.press(key)
            prompt = app.prompt
            outside = "".join(_without_chips(prompt))
            assert not has_brackets(outside)
            assert "\x0b" not in prompt.text


def _without_chips(prompt: Prompt) -> list[str]:
    text, end, pieces = prompt.text, 0, list[str]()
    for start, stop, _ in prompt.chips.at(text):
        pieces.append(text[end:start])
        end = stop
    return [*pieces, text[end:]]
