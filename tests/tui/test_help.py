"""The help page: what is bound, and what there is."""

from pathlib import Path

from textual.binding import Binding

from panto.offers import Command, Key
from panto.program import Options
from panto.tui.app import PantoApp
from panto.tui.help import help_text, key_name


async def nothing(_arguments: str) -> None:
    """A command that does nothing."""


def test_keys_are_named_as_people_write_them() -> None:
    assert [key_name(key) for key in ("ctrl+o", "escape", "shift+tab", "f1", "g", "G")] == [
        "Ctrl+O", "Esc", "Shift+Tab", "F1", "g", "G",
    ]  # fmt: skip


async def test_the_page_lists_keys_and_commands(tmp_path: Path) -> None:
    app = PantoApp(Options(tmp_path, demo=True))
    async with app.run_test(size=(80, 24)):
        text = help_text(app.active_bindings.values(), [Command("mode", "change the mode", nothing, hint="plan | ask")])
    assert "- `Enter`: send" in text
    assert "`Shift+Enter`, `Alt+Enter`, `Ctrl+Enter`, `Ctrl+J`: new line" in text
    assert "- `/mode plan | ask`: change the mode" in text


def test_keys_of_extensions_are_listed_too() -> None:
    async def run() -> None:
        """Nothing."""

    keys = [Key("ctrl+y", "count\none", run), Key("f6", "count one", run)]
    assert "- `Ctrl+Y`, `F6`: count one" in help_text([], [], keys)


def test_keys_for_reading_back_are_listed_by_themselves() -> None:
    walking = [Binding("j", "move(1)", "move"), Binding("k", "move(-1)", "move"), Binding("slash", "find", "find")]
    assert "where Alt+2 leads**\n\n- `j`, `k`: move\n- `/`: find\n" in help_text([], [], walking=walking)


def test_nested_commands_are_counted_and_not_listed() -> None:
    def nested(count: int) -> str:
        return help_text([], [Command(f"skill:{number}", "a skill", nothing) for number in range(count)])

    assert "- and 300 more with `:` in the name: type `/` to find them" in nested(300)
    assert "- and 1 more with `:` in the name: type `/` to find it" in nested(1)
    assert "a skill" not in nested(300)
    assert "more" not in nested(0)


def test_descriptions_are_text_and_no_markup() -> None:
    hostile = Command("x", "*not* [a](http://x) <b> `code`\n# head", nothing, hint="`y`")
    shown = "- `` /x `y` ``: &#42;not&#42; &#91;a&#93;(http://x) &#60;b&#62; &#96;code&#96; &#35; head"
    assert help_text([], [hostile]).endswith(shown)
