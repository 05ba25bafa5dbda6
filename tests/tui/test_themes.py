"""Themes by name: those that ship, the user's and the project's; and what is said of one that can't be used."""

from pathlib import Path

import pytest

from panto.tui.palette import PaletteError, default_palette
from panto.tui.themes import DEFAULT, Themes
from tests.tui.test_palette import GOOD

SHIPPED = {
    "panto-dark", "panto-light", "kanagawa-wave", "kanagawa-dragon", "kanagawa-lotus", "catppuccin-mocha",
    "catppuccin-latte", "gruvbox", "nord", "dracula", "tokyo-night", "solarized-dark", "solarized-light",
    "high-contrast",
}  # fmt: skip


def test_what_ships_can_be_used() -> None:
    themes = Themes()
    assert set(themes.names()) == SHIPPED
    assert {palette.name for palette in themes.all()} == SHIPPED
    assert themes.palette(DEFAULT) == default_palette()


def test_a_later_directory_comes_first(tmp_path: Path) -> None:
    user, project = tmp_path / "user", tmp_path / "project"
    for directory, names in ((user, ("mine", "nord")), (project, ("mine",))):
        directory.mkdir()
        for name in names:
            (directory / f"{name}.toml").write_text(
                GOOD.replace("#a0b0c0", f"#{'12' if directory == user else '34'}0000")
            )
    themes = Themes([user, project, tmp_path / "nowhere"])
    assert themes.palette("mine").user == "#340000"
    assert themes.palette("nord").user == "#120000"
    assert set(themes.names()) == SHIPPED | {"mine"}


def test_what_can_t_be_used_is_told_of_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text(GOOD + 'usr = "#123456"\n')
    themes = Themes([tmp_path])
    with pytest.raises(PaletteError, match="usr is unknown"):
        themes.palette("broken")
    with pytest.raises(PaletteError, match=r"there is no theme 'x\.y'; there are broken, catppuccin-latte, "):
        themes.palette("x.y")
    assert {palette.name for palette in themes.all()} == SHIPPED
