"""On terminals with fewer colours every text can be read, and what is marked can be seen."""

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter, Monochrome
from textual.theme import BUILTIN_THEMES

from panto.tui.fewer_colors import SIXTEEN, Depth, FewerColors, depth_of
from panto.tui.palette import Palette, built_in_palettes
from tests.tui.test_palette import contrast

PALETTES = list(built_in_palettes().values())
GROUNDS = ("background", "surface", "chosen")
TEXTS = [role for role in PALETTES[0].colors if role not in (*GROUNDS, "border")]
NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
SHADES = {
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
    "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "linux": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa "
    "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "windows": "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc "
    "767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2",
}
"""What terminals make of the 16 colours, as far as their users leave them alone."""


def shown(style: Style, table: str = "xterm") -> tuple[str, str]:
    """Text and ground as hex, as a terminal shows a style."""
    colors: list[str] = []
    for color in (style.color, style.bgcolor):
        assert color is not None
        assert color.number is not None
        sixteen = color.number < 16
        colors.append(f"#{SHADES[table].split()[color.number]}" if sixteen else color.get_truecolor().hex)
    return (colors[1], colors[0]) if style.reverse else (colors[0], colors[1])


@pytest.mark.parametrize(("depth", "table"), [("256", "xterm"), *(("16", table) for table in SHADES)])
@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_text_can_be_read_on_every_ground(palette: Palette, depth: Depth, table: str) -> None:
    fewer = FewerColors(depth, palette)
    ratios = {
        (role, ground): contrast(*shown(fewer.fitted(palette.style(role, on=ground)), table))
        for role in TEXTS
        for ground in GROUNDS
    }
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("table", SHADES)
@pytest.mark.parametrize("depth", ["256", "16"])
@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_what_is_marked_can_be_read(palette: Palette, depth: Depth, table: str) -> None:
    fewer = FewerColors(depth, palette)
    for role in TEXTS:
        for style in (
            palette.style(role) + Style(reverse=True),
            Style.from_color(palette.style("background").color, palette.style("chosen", on=role).bgcolor),
        ):
            assert contrast(*shown(fewer.fitted(style), table)) >= 4.5, (role, style)


@pytest.mark.parametrize("name", BUILTIN_THEMES)
@pytest.mark.parametrize("depth", ["256", "16", "none"])
def test_any_theme_can_be_shown(name: str, depth: Depth) -> None:
    palette = Palette.of(BUILTIN_THEMES[name])
    fewer = FewerColors(depth, palette)
    for role in palette.colors:
        assert fewer.fitted(palette.style(role)) is fewer.fitted(palette.style(role))


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_role_has_one_of_the_16(palette: Palette) -> None:
    assert set(SIXTEEN[palette.dark]) == set(palette.colors)
    assert {name.removeprefix("bright_") for name in SIXTEEN[palette.dark].values()} <= set(NAMES)


@pytest.mark.parametrize("depth", ["256", "16", "none"])
@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_a_chosen_row_and_a_handle_can_be_seen(palette: Palette, depth: Depth) -> None:
    fewer = FewerColors(depth, palette)
    plain = fewer.fitted(palette.style("foreground"))
    chosen = fewer.fitted(palette.style("foreground", on="chosen"))
    handle = fewer.fitted(Style.from_color(None, palette.style("border", on="border").bgcolor))
    assert (plain.reverse, plain.bgcolor) not in [(style.reverse, style.bgcolor) for style in (chosen, handle)]


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_without_colours_only_their_weight_is_left(palette: Palette) -> None:
    fewer = FewerColors("none", palette)
    for role in palette.colors:
        for ground in GROUNDS:
            style = fewer.fitted(palette.style(role, on=ground, italic=True))
            assert (style.color, style.bgcolor, style.italic) == (None, None, True)
            assert bool(style.reverse) == (ground == "chosen")
    assert fewer.fitted(palette.style("error")).bold
    assert fewer.fitted(palette.style("muted")).bold is None
    assert fewer.fitted(palette.style("accent") + Style(reverse=True)).reverse


@pytest.mark.parametrize("depth", ["256", "16", "none"])
def test_what_can_be_clicked_still_can(depth: Depth) -> None:
    palette = built_in_palettes()["panto-dark"]
    style = palette.style("link") + Style(meta={"option": 3}, link="https://example.com")
    fitted = FewerColors(depth, palette).fitted(style)
    assert (fitted.meta, fitted.link) == ({"option": 3}, "https://example.com")


def test_a_colour_that_was_mixed_is_the_roles_still() -> None:
    palette = built_in_palettes()["panto-dark"]
    red, green, blue = Color.parse(palette.warning).rgb
    mixed = Style.from_color(Color(red - 1, green, blue).rich_color, palette.base.bgcolor)
    assert FewerColors("16", palette).fitted(mixed) == FewerColors("16", palette).fitted(palette.style("warning"))


def test_segments_keep_their_text_and_what_has_no_style_gets_the_themes() -> None:
    palette = built_in_palettes()["panto-light"]
    segments = [Segment("a"), Segment("b", palette.style("user"))]
    plain, user = FewerColors("16", palette).apply(segments, Color.parse(palette.background))
    assert (plain.text, user.text) == ("a", "b")
    assert plain.style == Style(color="black", bgcolor="bright_white")
    assert user.style == Style(color="blue", bgcolor="bright_white")


def test_it_takes_the_place_of_textuals_greys_and_follows_the_theme() -> None:
    dark, light = built_in_palettes()["panto-dark"], built_in_palettes()["panto-light"]
    fewer = FewerColors("16", dark)
    before = fewer.fitted(Style(bold=True))
    mixing = FewerColors("true", dark)
    others: list[LineFilter] = [mixing, Monochrome()]
    assert fewer.among(others, light) == [mixing, fewer]
    assert mixing.among([Monochrome()], dark) == []
    assert fewer.fitted(Style(bold=True)) != before


@pytest.mark.parametrize(
    ("system", "no_color", "depth"),
    [
        ("truecolor", False, "true"),
        ("256", False, "256"),
        ("standard", False, "16"),
        (None, False, "none"),
        ("truecolor", True, "none"),
    ],
)
def test_the_depth_is_what_the_terminal_has(system: str | None, no_color: bool, depth: Depth) -> None:
    assert depth_of(system, no_color=no_color) == depth
