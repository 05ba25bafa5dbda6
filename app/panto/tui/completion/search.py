"""Which commands a word may stand for, the likeliest first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from panto.offers import Command, Registry
from panto.tui.commands import parse_command
from panto.tui.fit import Fit, fit_of, folded

_WORD = re.compile(r"/(?P<word>[^\s/]*)(?=\s|$)")


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
    folded_names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded_names", tuple(map(folded, self.names)))


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
    wanted = folded(word)
    found = [match for candidate in among if (match := _best(wanted, candidate)) is not None]
    return sorted(found, key=lambda match: (match.fit, folded(match.name), match.name))


def word_at(line: str, column: int) -> str | None:
    """The command's name in the first line of a text, without its slash, if the caret is in it; None if it is not.

    A path has a second slash, and is no name.
    """
    match = _WORD.match(line)
    return match["word"] if match is not None and 1 <= column <= match.end() else None


def _best(wanted: str, candidate: Candidate) -> Match | None:
    best: Match | None = None
    for name, in_lower_case in zip(candidate.names, candidate.folded_names, strict=True):
        fit, places = fit_of(wanted, in_lower_case)
        if fit is not None and (best is None or fit < best.fit):
            best = Match(candidate.command, name, fit, tuple(places))
    return best
