"""How well one colour is seen on another."""

from functools import lru_cache
from typing import TypeAlias

from textual.color import Color

Rgb: TypeAlias = tuple[int, int, int]

READABLE = 4.5
"""The least contrast of a text with its ground, as WCAG counts it."""


@lru_cache(256)
def rgb_of(color: str) -> Rgb:
    """The parts of a colour of a palette, each from 0 to 255."""
    return Color.parse(color).rgb


def contrast(first: Rgb, second: Rgb) -> float:
    """How well one colour is seen on another: from 1, not at all, to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(1024)
def _luminance(color: Rgb) -> float:
    parts = [part / 255 for part in color]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
