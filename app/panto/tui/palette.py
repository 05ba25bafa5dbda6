"""Colours by what they mean. A palette is a TOML file in ``themes/``; every role has one colour."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path

from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import Theme

from panto.tui.contrast import READABLE, contrast, rgb_of

_QUIET = 1.19
"""Grounds with less contrast than this do not stand out by themselves."""
_TINTS = (0.18, 0.14, 0.11, 0.08, 0.05, 0.03)
_NO_TEXT = frozenset({"background", "surface", "chosen", "border"})
_VARIABLE = "panto-"
"""What the names of a theme's variables begin with that hold our roles."""


class PaletteError(ValueError):
    """A palette that can't be used: the message names the file and the key."""


@dataclass(frozen=True)
class Palette:
    """One theme: colours as ``#rrggbb``, or a name of the terminal's own."""

    name: str
    dark: bool
    background: str
    surface: str
    chosen: str
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
        wrong += [complaint for name, value in values.items() if (complaint := _complaint(name, value))]
        if wrong:
            raise PaletteError(f"{where}: {', '.join(wrong)}")
        return cls(**values)  # pyright: ignore[reportArgumentType] - checked above

    @classmethod
    def of(cls, theme: Theme) -> "Palette":
        """The palette in a Textual theme: its own roles if `theme` made it, else the nearest that the theme has."""
        shown = {**theme.to_color_system().generate(), **theme.variables}
        background = shown["background"]
        roles = {
            field.name: shown.get(_VARIABLE + field.name) or shown.get(_NEAREST.get(field.name, "foreground"), "")
            for field in fields(cls)
            if field.name not in ("name", "dark")
        }
        opaque = {role: _opaque(color or shown["foreground"], background) for role, color in roles.items()}
        return cls(name=theme.name, dark=theme.dark, **opaque)

    def style(
        self, role: str, *, on: str = "background", bold: bool = False, italic: bool = False, underline: bool = False
    ) -> Style:
        """A role's colour on another's. Raises KeyError if there is no such role."""
        key = (role, on, bold, italic, underline)
        style = self._styles.get(key)
        if style is None:
            back = Color.parse(self.grounds.get(on) or self.colors[on]).rich_color
            front = Color.parse(self.colors[role]).rich_color
            plain = Style(color=front, bgcolor=back)
            style = plain + Style(bold=bold or None, italic=italic or None, underline=underline or None)
            self._styles[key] = style
        return style

    @cached_property
    def colors(self) -> dict[str, str]:
        """Every role's colour."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("name", "dark")}

    @cached_property
    def grounds(self) -> dict[str, str]:
        """Grounds that are no roles: a tint of the background for what was added, and for what was removed."""
        return {f"{role}-ground": self._tint(role) for role in ("added", "removed")}

    def _tint(self, role: str) -> str:
        """The background with as much of a role's colour in it as leaves every text as easy to read as it should be."""
        background, color = Color.parse(self.background), Color.parse(self.colors[role])
        if background.ansi is not None or color.ansi is not None:
            return self.background
        texts = [rgb_of(value) for name, value in self.colors.items() if name not in _NO_TEXT]
        tints = (background.blend(color, share) for share in _TINTS)
        return next(
            (
                tint.hex6
                for tint in tints
                if contrast(background.rgb, tint.rgb) < _QUIET
                and all(contrast(text, tint.rgb) >= READABLE for text in texts)
            ),
            self.background,
        )

    @cached_property
    def base(self) -> Style:
        """The plain text on the plain background."""
        return self.style("foreground")

    @cached_property
    def _styles(self) -> dict[tuple[str, str, bool, bool, bool], Style]:
        return {}

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
                **{_VARIABLE + role: color for role, color in self.colors.items()},
            },
        )


_NEAREST = {
    "background": "background",
    "surface": "surface",
    "chosen": "surface",
    "muted": "foreground-muted",
    "border": "foreground-disabled",
    "accent": "accent",
    "user": "secondary",
    "thought": "foreground-muted",
    "note": "foreground-muted",
    "success": "text-success",
    "warning": "text-warning",
    "error": "text-error",
    "heading": "text-primary",
    "link": "text-primary",
    "quote": "foreground-muted",
    "code": "text-secondary",
    "added": "text-success",
    "removed": "text-error",
    "keyword": "text-accent",
    "string": "text-success",
    "number": "text-warning",
    "function": "text-primary",
    "type": "text-secondary",
    "comment": "foreground-muted",
}
"""What stands for our roles in a theme that is not of our making."""


def _complaint(name: str, value: object) -> str:
    """What is wrong with a value; empty if nothing is."""
    if name == "dark":
        return "" if isinstance(value, bool) else "dark must be true or false"
    if not isinstance(value, str):
        return f"{name} must be a text"
    if name == "name":
        return ""
    try:
        Color.parse(value)
    except ColorParseError:
        return f"{name} must be a colour such as #7aa2f7, not {value!r}"
    return ""


def _opaque(color: str, background: str) -> str:
    """A colour as a terminal can show it: what lets the background through is mixed with it."""
    name, _, percent = color.partition(" ")
    front, back = Color.parse(name), Color.parse(background)
    if front.ansi is not None or back.ansi is not None:
        return name if front.a else background
    if front.a == 1 and not percent:
        return name
    share = int(percent.removesuffix("%")) / 100 if percent else 1.0
    return back.blend(front.with_alpha(1), front.a * share).hex6


def theme_directory() -> Path:
    """Where the built-in themes are: in the installed package, or at the top of a checkout."""
    installed = Path(__file__).parent.parent / "themes"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "themes"


@cache
def default_palette() -> Palette:
    """The one that is used where none is chosen."""
    return read_palette(theme_directory() / "panto-dark.toml")


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
