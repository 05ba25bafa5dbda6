"""How the driver's own tests start small programs."""

from collections.abc import Callable
from pathlib import Path

from tests.support.terminal import Terminal

Start = Callable[..., Terminal]
"""Starts a script; the options are those of `Terminal.start`."""


def launch(argv: list[str], places: tuple[Path, Path], options: dict[str, object]) -> Terminal:
    """A program in its places."""
    return Terminal.start(argv, cwd=places[0], home=places[1], **options)  # pyright: ignore[reportArgumentType] - as given
