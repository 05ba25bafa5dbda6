"""Colours by what they mean. A palette is a TOML file in ``themes/``; every role has one colour."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path

from rich.style import Style
from textual.theme import Theme


class PaletteError(ValueError):
    """A palette that can't be used: the message names the file and the key."""


@dataclass(frozen=True)
class Palette:
    """One theme: colours as ``#rrggbb``, or a name of the terminal's own."""

    name: str
    dark: bool
    background: str
    surface: str
    foreground: str
    muted: str
    border: str
    accent: str
    user: str
    tool: str
    thought: str
    note: str
    success: str
    warning: str
    error: str
    heading: str
    link: str
    quote: str
    code: str
    added: str
    removed: str
    keyword: str
    string: str
    number: str
    function: str
    type: str
    comment: str

    @classmethod
    def from_mapping(cls, values: Mapping[str, object], where: str) -> "Palette":
        """A palette from a decoded TOML file. Raises `PaletteError`, naming what is missing, unknown or no colour."""
        names = [field.name for field in fields(cls)]
        wrong = [*(f"{name} is missing" for name in names if name not in values)]
        wrong += [f"{name} is unknown" for name in values if name not in names]
        wrong += [
            f"{name} must be {'true or false' if name == 'dark' else 'a text'}"
            for name, value in values.items()
            if not isinstance(value, bool if name == "dark" else str)
        ]
        if wrong:
            raise PaletteError(f"{where}: {', '.join(wrong)}")
        return cls(**values)  # pyright: ignore[reportArgumentType] - checked above

    def style(self, role: str, **extra: bool) -> Style:
        """A role's colour as a style, with ``bold``, ``italic``, ``underline`` and so on."""
        return _style(getattr(self, role), tuple(sorted(extra.items())))

    @cached_property
    def base(self) -> Style:
        """The plain text on the plain background."""
        return Style(color=self.foreground, bgcolor=self.background)

    def theme(self) -> Theme:
        """The palette for Textual's own widgets."""
        return Theme(
            self.name,
            primary=self.accent,
            secondary=self.user,
            accent=self.accent,
            foreground=self.foreground,
            background=self.background,
            surface=self.surface,
            panel=self.surface,
            boost=self.surface,
            success=self.success,
            warning=self.warning,
            error=self.error,
            dark=self.dark,
            variables={
                "border": self.accent,
                "border-blurred": self.border,
                "muted": self.muted,
                "scrollbar": self.border,
                "scrollbar-hover": self.muted,
                "scrollbar-active": self.accent,
                "scrollbar-background": self.background,
                "scrollbar-background-hover": self.background,
                "scrollbar-background-active": self.background,
                "scrollbar-corner-color": self.background,
            },
        )


@cache
def _style(color: str, extra: tuple[tuple[str, bool], ...]) -> Style:
    return Style.parse(" ".join((color, *(name for name, wanted in extra if wanted))))


def theme_directory() -> Path:
    """Where the built-in themes are: in the installed package, or at the top of a checkout."""
    installed = Path(__file__).parent.parent / "themes"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "themes"


@cache
def built_in_palettes() -> dict[str, Palette]:
    """The palettes that ship, by name."""
    found = [read_palette(file) for file in sorted(theme_directory().glob("*.toml"))]
    return {palette.name: palette for palette in found}


def read_palette(file: Path) -> Palette:
    """The palette in a TOML file, named after it. Raises `PaletteError`."""
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PaletteError(f"{file}: {error}") from error
    return Palette.from_mapping({"name": file.stem, **values}, str(file))
