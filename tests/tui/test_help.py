"""The help page: what is bound, and what there is."""

from pathlib import Path

from panto.extension import Command
from panto.program import Options
from panto.tui.app import PantoApp
from panto.tui.help import help_text, key_name


async def nothing(_arguments: str) -> None:
    """A command that does nothing."""


def test_keys_are_named_as_people_write_them() -> None:
    assert [key_name(key) for key in ("ctrl+o", "escape", "shift+tab", "f1")] == ["Ctrl+O", "Esc", "Shift+Tab", "F1"]


async def test_the_page_lists_keys_and_commands(tmp_path: Path) -> None:
    app = PantoApp(Options(tmp_path, demo=True))
    async with app.run_test(size=(80, 24)):
        text = help_text(app.active_bindings.values(), [Command("mode", "change the mode", nothing, hint="plan | ask")])
    assert "- `Enter`: send" in text
    assert "`Shift+Enter`, `Alt+Enter`, `Ctrl+Enter`, `Ctrl+J`: new line" in text
    assert "- `/mode plan | ask`: change the mode" in text
