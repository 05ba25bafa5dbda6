"""Colours for terminals that have fewer of them than a theme: 256, 16, or none at all. Every text can still be read.

Themes are written in true colours, and everything is drawn in them. What goes to a terminal with fewer passes through
`FewerColors`, which picks for each pair of text and ground what that terminal has.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Literal, TypeAlias

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as AnyColor
from textual.filter import LineFilter, Monochrome, NoColor

from panto.tui.contrast import READABLE, Rgb, contrast, rgb_of
from panto.tui.palette import Palette

Depth: TypeAlias = Literal["true", "256", "16", "none"]
"""How many colours a terminal has."""

_LOUD = 1.2
"""A ground with more contrast than this to the theme's own is there to be seen: a cursor, a selection, a handle."""
_MOST_STYLES = 4_000
_STRONG = frozenset({"accent", "warning", "error", "code", "keyword", "heading"})
"""Without colours, texts of these roles are bold."""
_STEPS = (0, 95, 135, 175, 215, 255)
_CUBE = [(red, green, blue) for red, green, blue in product(_STEPS, repeat=3)]
_GREYS = [(grey, grey, grey) for grey in range(8, 248, 10)]
_256: dict[int, Rgb] = dict(enumerate([*_CUBE, *_GREYS], 16))
"""The colours that all terminals with 256 share. The first 16 are the user's own."""
_DARK = {
    "black": ("background", "surface"),
    "blue": ("chosen",),
    "bright_black": ("border",),
    "white": ("muted", "thought", "note", "quote", "comment"),
    "bright_white": ("foreground", "tool", "heading", "function"),
    "bright_cyan": ("accent", "user", "link", "keyword", "type"),
    "bright_green": ("success", "added", "string"),
    "bright_yellow": ("warning", "code", "number"),
    "bright_red": ("error", "removed"),
}
_LIGHT = {
    "bright_white": ("background", "surface"),
    "blue": ("chosen", "accent", "user", "link", "code", "added", "success", "keyword", "type", "function"),
    "bright_black": ("border",),
    "black": ("foreground", "muted", "tool", "thought", "note", "quote", "heading", "string", "number", "comment"),
    "red": ("warning", "error", "removed"),
}
SIXTEEN: dict[bool, dict[str, str]] = {
    dark: {role: name for name, roles in table.items() for role in roles}
    for dark, table in ((True, _DARK), (False, _LIGHT))
}
"""Which of the 16 stands for a role, in a dark theme and in a light one.

A ground is black or white, for the terminal's own may be anything. Bright black is no colour for texts, nor are on
white green, yellow, cyan and magenta: some terminals show them too much like the ground.
"""
_ROUNDED = 4
_DEPTHS: dict[str, Depth] = {"standard": "16", "windows": "16", "256": "256"}
_DEEP = frozenset({"black", "blue", "red"})
"""Grounds on which a text is white."""


def depth_of(system: str | None, *, no_color: bool) -> Depth:
    """The depth of what Rich calls a colour system; none for a dumb terminal, and for who wants no colours."""
    return "none" if no_color or system is None else _DEPTHS.get(system, "true")


class FewerColors(LineFilter):
    """Lines in the colours of a depth, for whatever is drawn in a palette."""

    def __init__(self, depth: Depth, palette: Palette) -> None:
        super().__init__(enabled=depth != "true")
        self.depth: Depth = depth
        self.palette = palette
        self._known: dict[Style, Style] = {}

    def among(self, filters: Iterable[LineFilter], palette: Palette) -> Sequence[LineFilter]:
        """Textual's filters and this one, for what is drawn in a palette from now on; without Textual's own greys."""
        if palette is not self.palette:
            self.palette = palette
            self._known.clear()
        kept = [one for one in filters if not isinstance(one, Monochrome | NoColor)]
        return [*kept, self] if self.enabled else kept

    def apply(self, segments: list[Segment], background: AnyColor) -> list[Segment]:
        """The same segments, in colours that the terminal has."""
        return [Segment(text, self.fitted(style or Style.null()), control) for text, style, control in segments]

    def fitted(self, style: Style) -> Style:
        """A style as the terminal can show it."""
        known = self._known.get(style)
        if known is None:
            if len(self._known) > _MOST_STYLES:
                self._known.clear()
            known = self._known[style] = self._fit(style)
        return known

    def _fit(self, style: Style) -> Style:
        front = _rgb(style.color, self.palette.foreground)
        back = _rgb(style.bgcolor, self.palette.background)
        if self.depth == "256":
            return style + Style.from_color(*_of_256(front, back))
        if self.depth == "16":
            return style + Style.from_color(*(Color.parse(name) for name in self._of_16(front, back)))
        strong = not _STRONG.isdisjoint(self._roles(front))
        plain = style.without_color + Style.from_meta(style.meta)
        return plain + Style(bold=strong or None, reverse=self._is_loud(back) or None)

    def _of_16(self, front: Rgb, back: Rgb) -> tuple[str, str]:
        names = SIXTEEN[self.palette.dark]
        if not self._is_loud(back):
            faint = contrast(front, back) < READABLE / 2
            return self._name(front, names["border" if faint else "foreground"]), names["background"]
        ground = self._name(back, names["muted"])
        if front == back:
            return ground, ground
        return ("bright_white" if ground in _DEEP else "black"), ground

    def _name(self, color: Rgb, otherwise: str) -> str:
        names = SIXTEEN[self.palette.dark]
        return next((names[role] for role in self._roles(color)), otherwise)

    def _roles(self, color: Rgb) -> list[str]:
        """The roles that have a colour. Textual's mixing rounds parts up or down."""
        return [role for role, value in self.palette.colors.items() if _distance(rgb_of(value), color) < _ROUNDED]

    def _is_loud(self, back: Rgb) -> bool:
        roles = self._roles(back)
        if "background" in roles or "surface" in roles:
            return False
        return "chosen" in roles or contrast(back, rgb_of(self.palette.background)) >= _LOUD


def _rgb(color: Color | None, otherwise: str) -> Rgb:
    if color is None or color.is_default:
        return rgb_of(otherwise)
    red, green, blue = color.get_truecolor()
    return red, green, blue


@lru_cache(_MOST_STYLES)
def _of_256(front: Rgb, back: Rgb) -> tuple[Color, Color]:
    """The nearest pair in which the text is seen as well as it was, or well enough."""
    ground = min(_256, key=lambda number: _distance(_256[number], back))
    wanted = min(READABLE, contrast(front, back))
    seen = [number for number, color in _256.items() if contrast(color, _256[ground]) >= wanted]
    text = min(seen or _256, key=lambda number: _distance(_256[number], front))
    return Color.from_ansi(text), Color.from_ansi(ground)


def _distance(first: Rgb, second: Rgb) -> int:
    return sum((one - other) ** 2 for one, other in zip(first, second, strict=True))
