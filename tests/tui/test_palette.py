"""Palettes: every text can be read, every theme can be used, and what is wrong in a file is said."""

from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from panto.tui.palette import Palette, PaletteError, built_in_palettes, read_palette

PALETTES = list(built_in_palettes().values())
NO_TEXT = {"background", "surface", "chosen", "border"}
GOOD = "dark = true\n" + "".join(f'{role} = "#a0b0c0"\n' for role in PALETTES[0].colors)


def luminance(color: str) -> float:
    """The relative luminance of WCAG."""
    parts = [part / 255 for part in Color.parse(color).rgb]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """The contrast of WCAG between two colours."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_there_is_a_dark_and_a_light_one() -> None:
    assert {(palette.name, palette.dark) for palette in PALETTES} >= {("panto-dark", True), ("panto-light", False)}


@pytest.mark.parametrize("on", ["background", "surface", "chosen"])
@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_text_can_be_read(palette: Palette, on: str) -> None:
    ratios = {role: contrast(color, palette.colors[on]) for role, color in palette.colors.items()}
    assert {role: ratio for role, ratio in ratios.items() if ratio < 4.5 and role not in NO_TEXT} == {}


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_a_theme_holds_the_whole_palette(palette: Palette) -> None:
    assert Palette.of(palette.theme()) == palette


@pytest.mark.parametrize("name", BUILTIN_THEMES)
def test_any_theme_makes_a_palette(name: str) -> None:
    palette = Palette.of(BUILTIN_THEMES[name])
    assert all(palette.style(role).bgcolor for role in palette.colors)


def test_styles_have_both_colours_and_what_was_asked_for() -> None:
    palette = built_in_palettes()["panto-dark"]
    style = palette.style("user", on="surface", bold=True)
    assert (style.color, style.bgcolor) == (
        Color.parse(palette.user).rich_color,
        Color.parse(palette.surface).rich_color,
    )
    assert (style.bold, style.italic, style.underline) == (True, None, None)
    assert palette.style("user", on="surface", bold=True) is style
    with pytest.raises(KeyError):
        palette.style("nothing")


def test_a_file_becomes_a_palette_named_after_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    assert read_palette(file).name == "mine"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (GOOD.replace("dark = true", "dark = 1"), "dark must be true or false"),
        (GOOD.replace('user = "#a0b0c0"\n', ""), "user is missing"),
        (GOOD.replace('user = "#a0b0c0"', 'user = "#12"'), "user must be a colour such as #7aa2f7, not '#12'"),
        (GOOD.replace('user = "#a0b0c0"', "user = 7"), "user must be a text"),
        (GOOD + 'usr = "#a0b0c0"\n', "usr is unknown"),
        ("dark =", "Invalid value"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(PaletteError) as raised:
        read_palette(file)
    assert str(file) in str(raised.value)
    assert complaint in str(raised.value)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(PaletteError, match=r"none\.toml"):
        read_palette(tmp_path / "none.toml")
