"""The prompt as a picture: with chips, in vi's normal mode, and under the list of what was sent before."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot

import panto.tui.app
from panto.messages import Image
from panto.tui.completion import CommandList
from panto.tui.palette import built_in_palettes
from panto.tui.prompt import Prompt
from panto.tui.search_panel import SearchPanel
from panto.tui.view import fit
from panto.tui.writing.history_search import history_rows, sent_before
from panto.tui.writing.written import Written

SENT = [
    Written(text)
    for text in ("Why does checkout drop the last item?", "fix it\nand test it", "日本語で書いて", "go on")
]


class SnapCompare(Protocol):
    """The fixture that compares an app's picture with the one that was approved."""

    def __call__(
        self, app: App[str], *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[str]], Awaitable[None]]
    ) -> bool:
        """Whether they are the same."""
        ...


class Picture(App[str]):
    """The prompt alone, in a theme."""

    CSS_PATH = Path(panto.tui.app.__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme

    def compose(self) -> ComposeResult:
        yield Vertical(id="body")
        yield CommandList(id="commands")
        yield Prompt(id="prompt")

    def on_mount(self) -> None:
        fit(self.screen, self.size)
        self.prompt.border_subtitle = "build"
        self.prompt.show_hints(["/ command"])
        self.prompt.focus()

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)


async def _chips(pilot: Pilot[str]) -> None:
    prompt = pilot.app.query_one(Prompt)
    image = prompt.chips.image("/tmp/shot.png", "shot.png", Image("image/png", b"x" * 1_200_000))
    paste = prompt.chips.paste("a line\n" * 213)
    prompt.use_vi(True)
    prompt.type_in(f"Look at {image}\nand read {paste} too")
    await pilot.press("escape")


async def _search(pilot: Pilot[str]) -> None:
    rows = history_rows(SENT)
    await pilot.app.screen.mount(SearchPanel("sent before", lambda words: sent_before(words, rows)), before="#commands")
    await pilot.pause()
    await pilot.press(*"it")


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (60, 20), (100, 30)])
@pytest.mark.parametrize("what", [_chips, _search], ids=["chips", "search"])
def test_the_picture(
    snap_compare: SnapCompare, what: Callable[[Pilot[str]], Awaitable[None]], columns: int, rows: int, theme: str
) -> None:
    assert snap_compare(Picture(theme), terminal_size=(columns, rows), run_before=what)
