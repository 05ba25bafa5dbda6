"""Permission rules as they stand in config: ``fs.read(**/.env*)``, ``command.run(sudo *)``, or a bare ``net.http``."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from panto.permissions.globs import Glob, parse_glob
from panto.permissions.paths import real
from panto.tools import Ability, Need

_RULE = re.compile(r"(?P<ability>[a-z]+\.[a-z]+)(?:\((?P<pattern>.*)\))?", re.DOTALL)
_ABILITIES: frozenset[str] = frozenset(get_args(Ability))
_SHELL_SYNTAX = frozenset(";&|<>`$(){}\n\\!*?[]~#'\"")
"""What lets one command line hold more than one plain command: an allow rule never covers it."""


class RuleError(ValueError):
    """A rule that can't be read. The message names it and says what one looks like."""


ANYTHING = ""
"""The ability of a rule that covers all of them."""


@dataclass(frozen=True)
class Rule:
    """One rule: an ability, a whole category (``fs``) or `ANYTHING`, and a pattern for its subject (None: any)."""

    ability: str
    pattern: str | None

    def covers(self, need: Need, project: Path) -> bool:
        """Whether a need falls under this rule: a path as it is spelled, or as it really is."""
        return self._holds(need, project, as_spelled=True)

    def allows(self, need: Need, project: Path) -> bool:
        """Whether an allow rule covers a need: a command only if it is one plain command, a path as it really is."""
        if need.ability == "command.run" and _SHELL_SYNTAX & set(need.subject):
            return False
        return self._holds(need, project, as_spelled=False)

    def _holds(self, need: Need, project: Path, *, as_spelled: bool) -> bool:
        if self.ability not in (need.ability, _category(need.ability), ANYTHING):
            return False
        if self.pattern is None:
            return True
        if _category(need.ability) != "fs":
            return parse_glob(self.pattern, of_path=False).matches(need.subject.strip())
        spelled = Path(need.subject)
        places = {real(spelled), spelled} if as_spelled else {real(spelled)}
        glob = _path_glob(os.path.expanduser(self.pattern))  # noqa: PTH111 - a pattern is no path
        return any(glob.matches(spelling) for place in places for spelling in _spellings(place, project))


def parse_rule(text: str) -> Rule:
    """Read one rule. Raises `RuleError`."""
    match = _RULE.fullmatch(text.strip())
    if match is None or match["ability"] not in _ABILITIES or match["pattern"] == "":
        raise RuleError(f"{text!r} is no permission rule; one looks like fs.read(**/.env) or command.run(sudo *)")
    return Rule(match["ability"], match["pattern"])


def rule_for_all_meant(text: str) -> Rule:
    """What a rule that can't be read may have meant at most: its category, or anything if that can't be read either."""
    category = re.split(r"[.(]", text.strip().lower())[0].strip()
    return Rule(category if category in map(_category, _ABILITIES) else ANYTHING, None)


def _category(ability: str) -> str:
    return ability.partition(".")[0]


def first_covering(rules: Iterable[Rule], need: Need, project: Path) -> Rule | None:
    """The first rule that covers a need, if one does."""
    return next((rule for rule in rules if rule.covers(need, project)), None)


def _spellings(place: Path, project: Path) -> list[str]:
    """What a path pattern is tried on: the absolute path, and the one below the project."""
    below = [place.relative_to(root) for root in (project, real(project)) if place.is_relative_to(root)]
    return [path.as_posix() for path in (place, *below)]


def _path_glob(pattern: str) -> Glob:
    """A glob for paths: without a slash in it, it holds in any directory."""
    return parse_glob(pattern if "/" in pattern else f"**/{pattern}", of_path="/" in pattern)
