"""How what one types to find something fits a name."""

from collections.abc import Sequence
from enum import IntEnum

_PARTS_WORDS = "/:-._"
"""What stands between the words of a name."""


class Fit(IntEnum):
    """How a word fits a name, the best first."""

    EXACT = 0
    PREFIX = 1
    WORD_START = 2
    SCATTERED = 3


def fit_of(wanted: str, name: str) -> tuple[Fit | None, Sequence[int]]:
    """How a word fits a name, and the places of its letters there; both of them `folded`."""
    if name.startswith(wanted):
        return Fit.EXACT if name == wanted else Fit.PREFIX, range(len(wanted))
    starts = [at + 1 for part in _PARTS_WORDS if (at := name.find(part + wanted)) >= 0] if wanted in name else []
    if starts:
        return Fit.WORD_START, range(min(starts), min(starts) + len(wanted))
    places = _scattered(wanted, name)
    return (Fit.SCATTERED if places else None), places


def folded(text: str) -> str:
    """A text in lower case with every letter still in its place."""
    if text.isascii():
        return text.lower()
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _scattered(wanted: str, name: str) -> list[int]:
    """Where the letters of a word stand in a name, in their order; nothing if they don't."""
    places: list[int] = []
    at = -1
    for letter in wanted:
        at = name.find(letter, at + 1)
        if at < 0:
            return []
        places.append(at)
    return places
