"""Keys that extensions bind: chords, never a character that one may want to type."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from panto.offers.commands import CommandOutcome
from panto.offers.registry import Registry

_CHORD = re.compile(r"(?:ctrl\+)?(?:alt\+)?(?:shift\+)?(?:[a-z0-9]|[a-z][a-z_0-9]+)")
_FUNCTION_KEY = re.compile(r"(?:shift\+)?f(?:[1-9]|1[0-9]|2[0-4])")


@dataclass(frozen=True)
class Key:
    """A key of an extension's: a chord such as ``alt+y`` or ``ctrl+shift+left``, or a function key such as ``f8``.

    Those that the program and its editor have (``ctrl+o``, ``ctrl+y``, ``f6``) are taken.

    ``run`` answers as a command's does. Raises `ValueError` for a key that is none, or that types a character.
    """

    key: str
    description: str
    run: Callable[[], Awaitable[CommandOutcome]]

    def __post_init__(self) -> None:
        chord = _CHORD.fullmatch(self.key) is not None and self.key.startswith(("ctrl+", "alt+"))
        if not chord and _FUNCTION_KEY.fullmatch(self.key) is None:
            raise ValueError(f"{self.key!r} is no key to bind: one is alt+y, ctrl+shift+left (in this order), or f8")


def key_registry() -> Registry[Key]:
    """A place for keys."""
    return Registry("key ", lambda key: (key.key,))
