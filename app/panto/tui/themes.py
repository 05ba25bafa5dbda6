"""The themes that can be chosen now."""

from textual.theme import Theme

from panto.tui.palette import Palette, built_in_palettes

DEFAULT = "panto-dark"


def themes() -> dict[str, Theme]:
    """The themes for Textual, by name."""
    return {name: palette.theme() for name, palette in built_in_palettes().items()}


def palette_named(name: str) -> Palette:
    """The palette of a theme; the default's for a name that is none of ours."""
    palettes = built_in_palettes()
    return palettes.get(name, palettes[DEFAULT])
