"""The palette: everything that can be done, once, with its keys; the likeliest first; and what comes of picking."""

from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import given, strategies as st
from textual.app import App

from panto.offers import Command, Key, Offers
from panto.program import Options
from panto.tui.app import PantoApp
from panto.tui.choice_row import ChoiceRow, found
from panto.tui.command_palette import palette
from panto.tui.safe_text import cell_width
from panto.tui.search_panel import SearchPanel
from tests.tui.test_completion import nothing


class SnapCompare(Protocol):
    """The fixture that compares an app's picture with the one that was approved."""

    def __call__(self, app: App[None], *, terminal_size: tuple[int, int]) -> bool:
        """Whether they are the same."""
        ...


async def no_answer() -> None:
    """A key that does nothing."""


def offers() -> Offers:
    """Some commands, and a key."""
    made = Offers()
    for name, does, hint, aliases in (
        ("mode", "change what may happen", "plan | ask | build", ()),
        ("model", "pick the model", "[name]", ("models",)),
        ("new", "begin a new session", "", ("clear",)),
        ("skill:commit-all", "write \x1b[31m[red]a message", "", ()),
    ):
        made.commands.add(Command(name, does, nothing, hint=hint, aliases=aliases))
    made.keys.add(Key("alt+y", "count words", no_answer))
    return made


ROWS = list(palette(offers(), []))


@pytest.mark.parametrize(
    ("words", "first"),
    [("mode", "/mode"), ("model", "/model"), ("models", "/model"), ("clear", "/new"),
     ("commit", "/skill:commit-all"), ("words", "key alt+y"), ("session", "/new"), ("COUNT", "key alt+y")],
)  # fmt: skip
def test_the_likeliest_comes_first(words: str, first: str) -> None:
    assert found(words, ROWS)[0].key == first


def test_everything_is_there_and_what_fits_nothing_is_not() -> None:
    assert [row.key for row in found("", ROWS)] == ["/mode", "/model", "/new", "/skill:commit-all", "key alt+y"]
    assert found("zzzz", ROWS) == []


@given(st.sampled_from(ROWS), st.integers(1, 200), st.booleans())
def test_a_row_fits_any_width_and_holds_nothing_raw(row: ChoiceRow, width: int, chosen: bool) -> None:
    text = "".join(span.text for span in row.spans(width, chosen))
    assert cell_width(text) <= width
    assert "\x1b" not in text


async def test_the_app_s_own_keys_are_in_it_once_and_beside_the_command_that_does_the_same(tmp_path: Path) -> None:
    app = PantoApp(Options(tmp_path, demo=True))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        while app.program is None or app.program.session is None:
            await pilot.pause(0.01)
        rows = list(palette(app.program.offers, app.active_bindings.values()))
        keys = [row.key for row in rows]
        assert len(keys) == len(set(keys))
        assert next(row.right for row in rows if row.key == "/help") == "F1"
        assert next(row.right for row in rows if row.key == "action find") == "Ctrl+F"
        assert "action help" not in keys


async def test_picking_does_it_and_escape_does_nothing(tmp_path: Path) -> None:
    app = PantoApp(Options(tmp_path, demo=True))
    async with app.run_test(size=(100, 40)) as pilot:
        while app.program is None or app.program.session is None:
            await pilot.pause(0.01)
        await pilot.press("d", "r", "ctrl+p", *"mode", "enter")
        await pilot.pause()
        assert app.prompt.text == "/mode "
        assert app.focused is app.prompt
        await pilot.press("ctrl+u", "ctrl+p", *"side", "enter")
        await pilot.pause()
        assert app.side_panel.display
        await pilot.press("ctrl+p", "ctrl+p", "down", "escape")
        await pilot.pause()
        assert not app.query(SearchPanel)
        assert app.focused is app.prompt
        assert app.prompt.text == ""
