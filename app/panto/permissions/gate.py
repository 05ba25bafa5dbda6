"""The gate: whether a tool call runs, asks or is denied, by its needs, the mode and the user's rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from panto.events import Mode, Verdict
from panto.permissions.paths import is_inside
from panto.permissions.rules import ANYTHING, Rule, RuleError, first_covering, parse_rule, rule_for_all_meant
from panto.tools import Need


@dataclass(frozen=True)
class Judgement:
    """A verdict, and why, in words for the user (ask) or the model (deny)."""

    verdict: Verdict
    why: str = ""


ALLOWED = Judgement("allow")
"""No objection."""
_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


def strictest(judgements: Iterable[Judgement]) -> Judgement:
    """Deny over ask over allow; the first of equals."""
    return max(judgements, key=lambda judgement: _STRICTNESS[judgement.verdict], default=ALLOWED)


@dataclass(frozen=True)
class Rules:
    """The user's rules, in the order of strictness."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()


def read_rules(deny: Iterable[str], ask: Iterable[str], allow: Iterable[str]) -> tuple[Rules, list[str]]:
    """Read the rules of a config. What can't be read is left out and told.

    A deny rule that can't be read denies its whole category (all of ``fs``), or everything if it names none: a typo
    never opens what was to be shut.
    """
    problems: list[str] = []

    def read(texts: Iterable[str], *, fail_closed: bool = False) -> tuple[Rule, ...]:
        rules: list[Rule] = []
        for text in texts:
            try:
                rules.append(parse_rule(text))
            except RuleError as error:
                problems.append(str(error))
                if fail_closed:
                    rules.append(rule_for_all_meant(text))
        return tuple(rules)

    return Rules(read(deny, fail_closed=True), read(ask), read(allow)), problems


class Gate:
    """Judges needs. The mode is the user's to change, and nobody else's."""

    def __init__(self, project: Path, mode: Mode = "build", rules: Rules | None = None) -> None:
        self._project = project
        self._rules = rules or Rules()
        self._granted: set[Need] = set()
        self.mode: Mode = mode

    def grant(self, needs: Iterable[Need]) -> None:
        """Allow exactly these needs from now on, until the program ends: the user said so."""
        self._granted.update(needs)

    def judge(self, needs: Iterable[Need], *, granted: bool = False) -> Judgement:
        """The strictest verdict on the needs of one call.

        ``granted``: what is asked only by default is allowed. What a rule asks or denies, what the mode denies and what
        is written outside of the project is not touched by it.
        """
        return strictest(self._judge(need, granted=granted) for need in needs)

    def _judge(self, need: Need, *, granted: bool) -> Judgement:
        denied = first_covering(self._rules.deny, need, self._project)
        if denied is not None:
            return Judgement("deny", f"a rule of the user's denies it: {_spelled(denied)}")
        if self.mode == "plan" and _changes(need):
            return Judgement("deny", "the mode is plan: nothing may be changed. The user lifts it with Shift+Tab")
        if need in self._granted:
            return ALLOWED
        asked = first_covering(self._rules.ask, need, self._project)
        if asked is not None:
            return Judgement("ask", f"a rule asks: {_spelled(asked)}")
        if any(rule.allows(need, self._project) for rule in self._rules.allow):
            return ALLOWED
        return self._by_default(need, granted=granted)

    def _by_default(self, need: Need, *, granted: bool) -> Judgement:
        if not _changes(need):
            return ALLOWED
        if need.ability == "fs.write" and not is_inside(Path(need.subject), self._project):
            return Judgement("ask", f"it writes outside of the project: {need.subject}")
        if granted:
            return ALLOWED
        if need.ability == "fs.write":
            return ALLOWED if self.mode == "build" else Judgement("ask", "the mode is ask")
        return Judgement("ask", "it runs a command" if need.ability == "command.run" else f"it needs {need.ability}")


def _changes(need: Need) -> bool:
    """Whether a need may change something, here or elsewhere."""
    return need.ability not in ("fs.read", "skill.use", "env.read")


def _spelled(rule: Rule) -> str:
    if rule.ability == ANYTHING:
        return "one in [permissions] that can't be read"
    return rule.ability if rule.pattern is None else f"{rule.ability}({rule.pattern})"
