"""Permission rules as they stand in config: ``fs.read(**/.env*)``, ``command.run(sudo *)``, or a bare ``net.http``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

from panto.permissions.paths import real
from panto.tools import Ability, Need

_RULE = re.compile(r"(?P<ability>[a-z]+\.[a-z]+)(?:\((?P<pattern>.*)\))?", re.DOTALL)
_ABILITIES: frozenset[str] = frozenset(get_args(Ability))
_SHELL_SYNTAX = frozenset(";&|<>`$(){}\n\\!*?[]~#'\"")
"""What lets one command line hold more than one plain command: an allow rule never covers it."""


class RuleError(ValueError):
    """A rule that can't be read. The message names it and says what one looks like."""


@dataclass(frozen=True)
class Rule:
    """One rule: an ability or a whole category of them (``fs``), and a pattern for its subject (None: any)."""

    ability: str
    pattern: str | None

    def covers(self, need: Need, project: Path) -> bool:
        """Whether a need falls under this rule."""
        if self.ability not in (need.ability, need.ability.partition(".")[0]):
            return False
        if self.pattern is None:
            return True
        subjects = _path_subjects(need.subject, project) if need.ability.startswith("fs.") else (need.subject,)
        return any(_glob(self.pattern).fullmatch(subject) for subject in subjects)

    def allows(self, need: Need, project: Path) -> bool:
        """Whether an allow rule covers a need: a command only if it is one plain command."""
        if need.ability == "command.run" and _SHELL_SYNTAX & set(need.subject):
            return False
        return self.covers(need, project)


def parse_rule(text: str) -> Rule:
    """Read one rule. Raises `RuleError`."""
    match = _RULE.fullmatch(text.strip())
    if match is None or match["ability"] not in _ABILITIES:
        raise RuleError(f"{text!r} is no permission rule; one looks like fs.read(**/.env) or command.run(sudo *)")
    return Rule(match["ability"], match["pattern"])


def first_covering(rules: Iterable[Rule], need: Need, project: Path) -> Rule | None:
    """The first rule that covers a need, if one does."""
    return next((rule for rule in rules if rule.covers(need, project)), None)


def _path_subjects(subject: str, project: Path) -> tuple[str, ...]:
    """The spellings that a path pattern is tried on: absolute and below the project, as written and as it really is."""
    spelled = Path(subject)
    places = {spelled, real(spelled)}
    relative = {
        place.relative_to(root) for place in places for root in (project, real(project)) if place.is_relative_to(root)
    }
    return tuple(place.as_posix() for place in places | relative)


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    """A glob in which ``**/`` is any directories, ``*`` anything but a slash in paths, ``?`` one character.

    In a pattern without a slash ``*`` matches everything, so that ``sudo *`` covers a command with paths in it.
    """
    star = "[^/]*" if "/" in pattern else ".*"
    tokens = {"**/": "(?:.*/)?", "**": ".*", "*": star, "?": "."}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(tokens.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)
