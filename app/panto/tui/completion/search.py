"""Which commands a word may stand for, the likeliest first."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from panto.offers import Command, Registry
from panto.tui.commands import parse_command

_WORD = re.compile(r"/(?P<word>[^\s/]*)(?=\s|$)")
_PARTS_WORDS = ":-."
"""What stands between the words of a name."""


class Fit(IntEnum):
    """How a word fits a name, the best first."""

    EXACT = 0
    PREFIX = 1
    WORD_START = 2
    SCATTERED = 3


@dataclass(frozen=True)
class Match:
    """A command, that name of it which fits best, and the places of the letters in it that were typed."""

    command: Command
    name: str
    fit: Fit
    places: tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """A command with the names that it can be called by, its own first."""

    command: Command
    names: tuple[str, ...]
    folded: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", tuple(map(_folded, self.names)))


def candidates(commands: Registry[Command]) -> list[Candidate]:
    """All commands that can be called, by name."""
    found: list[Candidate] = []
    for command in commands.all():
        names = (command.name, *command.aliases)
        callable_names = tuple(name for name in names if parse_command(f"/{name}", commands) == (command, ""))
        if callable_names:
            found.append(Candidate(command, callable_names))
    return found


def search(word: str, among: Iterable[Candidate]) -> list[Match]:
    """The commands that a word, typed in any case, fits: by how it does, then by name."""
    wanted = _folded(word)
    found = [match for candidate in among if (match := _best(wanted, candidate)) is not None]
    return sorted(found, key=lambda match: (match.fit, _folded(match.name), match.name))


def word_at(line: str, column: int) -> str | None:
    """The command's name in the first line of a text, without its slash, if the caret is in it; None if it is not.

    A path has a second slash, and is no name.
    """
    match = _WORD.match(line)
    return match["word"] if match is not None and 1 <= column <= match.end() else None


def _best(wanted: str, candidate: Candidate) -> Match | None:
    best: Match | None = None
    for name, folded in zip(candidate.names, candidate.folded, strict=True):
        fit, places = _fit(wanted, folded)
        if fit is not None and (best is None or fit < best.fit):
            best = Match(candidate.command, name, fit, tuple(places))
    return best


def _fit(wanted: str, name: str) -> tuple[Fit | None, Sequence[int]]:
    """How a word fits a name, and where; both of them folded."""
    if name.startswith(wanted):
        return Fit.EXACT if name == wanted else Fit.PREFIX, range(len(wanted))
    at = name.find(wanted, 1)
    while at > 0:
        if name[at - 1] in _PARTS_WORDS:
            return Fit.WORD_START, range(at, at + len(wanted))
        at = name.find(wanted, at + 1)
    places = _scattered(wanted, name)
    return (Fit.SCATTERED if places else None), places


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


def _folded(text: str) -> str:
    """A text in lower case with every letter still in its place."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
