"""The screen of models as a picture: wide and narrow, high and low, dark and light, searched and not."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest
from textual.app import App

import panto.tui.app
from panto.events import Notification
from panto.llm.offered import OfferedModel
from panto.model_shelf import Shelf
from panto.tui.model_picker import ModelScreen
from panto.tui.model_picker.stock import Marks, Stock
from panto.tui.palette import built_in_palettes

HOSTILE = "\x1b[31m[bold red]markup[/] \u202eevil"
PRICES = {"claude-opus-5-5": "5 / 25", "claude-sonnet-5-5": "2 / 10", "claude-haiku-5-5": "0.5 / 2.5"}
STOCK = Stock(
    {
        "anthropic": [OfferedModel("anthropic", name, 1_000_000, sees_images=True, thinks=True) for name in PRICES],
        "local": [
            OfferedModel("local", "qwen3:8b", 32_768, sees_images=False, thinks=True),
            OfferedModel("local", HOSTILE),
            OfferedModel("local", "a-model-with-a-very-long-name-" * 5, 128_000, sees_images=True),
        ],
        "openrouter": [],
    },
    frozenset({"openrouter"}),
    {"local": f"local: the server sent {HOSTILE} (HTTP 500)"},
    ("llamacpp", "lmstudio", "ollama", "vllm"),
    ("deepseek", "google", "groq", "mistral", "openai", "xai"),
)
MARKS = Marks(
    "anthropic/claude-sonnet-5-5",
    "local/qwen3:8b",
    Shelf(("anthropic/claude-haiku-5-5",), ("local/qwen3:8b",)),
    lambda model: PRICES.get(model.model, "?"),
)
TOLD = Notification("anthropic/claude-haiku-5-5 is the default from the next start on: ~/.config/panto/config.toml")


class SnapCompare(Protocol):
    """The fixture that compares an app's picture with the one that was approved."""

    def __call__(self, app: App[None], *, terminal_size: tuple[int, int], press: Sequence[str] = ()) -> bool:
        """Whether they are the same."""
        ...


class Picture(App[None]):
    """The screen alone."""

    CSS_PATH = Path(panto.tui.app.__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str, words: str) -> None:
        super().__init__()
        for palette in built_in_palettes().values():
            self.register_theme(palette.theme())
        self.theme = theme
        self._words = words

    async def on_mount(self) -> None:
        """Open it, with something told below the list."""
        screen = ModelScreen(STOCK, MARKS, self._words)
        await self.push_screen(screen)
        screen.tell(TOLD)


@pytest.mark.parametrize("theme", ["panto-dark", "panto-light"])
@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (60, 24), (100, 28), (160, 28)])
@pytest.mark.parametrize("words", ["", "cl-5"], ids=["all", "searched"])
def test_the_picture(snap_compare: SnapCompare, words: str, columns: int, rows: int, theme: str) -> None:
    assert snap_compare(Picture(theme, words), terminal_size=(columns, rows), press=["down"])
