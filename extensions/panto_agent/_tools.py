"""Tool lists of skills and commands: what the model may call while one of them is active.

A skill or a command may say which tools it is for (``allowed-tools``) and which not (``disallowed-tools``). While it is
active, what it rules out is denied, and what it allows is all that may be called: any other call is denied, with a
reason that the model can act on. Where several are active, each one's limit and each one's denials hold. Loading a
skill is never limited, nor is reading the files that come with the one that limits.

An entry is a tool's name, or a name with a pattern in parentheses. `panto_agent._tool_entries` says how one is read.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from panto import ToolCallEvent
from panto_agent._tool_entries import SKILL_TOOL, Cover, Entry, read_entry

_LONGEST = 400
"""Characters of a list that a reason repeats."""


class ToolLists:
    """The lists that are in force now. `judge` is to be registered: ``host.on(ToolCallEvent, lists.judge)``."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._active: dict[str, _Lists] = {}
        self._told: set[tuple[str, str]] = set()

    def activate(
        self,
        name: str,
        *,
        allowed: Sequence[str] | None,
        disallowed: Sequence[str] | None,
        grants: bool,
        directory: Path | None = None,
    ) -> tuple[str, ...]:
        """Put the lists of one skill or command in force, until `clear`; one that is active already is replaced.

        ``name`` is how reasons name it, such as ``skill totals`` or ``command /review``. ``allowed`` is None where
        nothing limits. ``grants``: what ``allowed`` covers runs without asking, where only the mode would ask.
        ``directory`` is where its own files are.

        Gives the entries that stand for no tool here, to be announced; each is given once.
        """
        lists = _Lists(
            _one_line(name),
            None if allowed is None else tuple(read_entry(text, denies=False) for text in allowed),
            tuple(read_entry(text, denies=True) for text in disallowed or ()),
            grants,
            directory,
        )
        self._active[name] = lists
        unknown = dict.fromkeys(entry.text for entry in lists.entries if not entry.is_known)
        told = tuple(text for text in unknown if (name, text) not in self._told)
        self._told.update((name, text) for text in told)
        return told

    def clear(self) -> None:
        """Put all lists out of force."""
        self._active.clear()

    def judge(self, event: ToolCallEvent) -> None:
        """Deny, ask about or allow a call, as the lists in force have it."""
        for lists in self._active.values():
            lists.judge(event, self._project)


@dataclass(frozen=True)
class _Lists:
    """What one skill or command says."""

    name: str
    allowed: tuple[Entry, ...] | None
    disallowed: tuple[Entry, ...]
    grants: bool
    directory: Path | None

    @property
    def entries(self) -> tuple[Entry, ...]:
        return (*(self.allowed or ()), *self.disallowed)

    def judge(self, event: ToolCallEvent, project: Path) -> None:
        denied = next((entry for entry in self.disallowed if entry.denies(event, project)), None)
        if denied is not None:
            rest = "do without it until this turn ends"
            event.deny(f"the {self.name} rules out {_one_line(denied.text)}; {rest}")
        elif self.allowed is not None and event.call.name != SKILL_TOOL and not self._is_own_file(event):
            self._limit(event, max((entry.covers(event, project) for entry in self.allowed), default=Cover.NO))

    def _limit(self, event: ToolCallEvent, cover: Cover) -> None:
        if cover is Cover.YES and self.grants:
            event.allow()
        elif cover is Cover.UNSURE:
            event.ask(f"the {self.name} allows only {self._allowed()}, and this may be more than one plain command")
        elif cover is Cover.NO:
            event.deny(
                f"until this turn ends the {self.name} allows only {self._allowed()}, and this call is none of these;"
                f" do it with what is allowed, or tell the user what you need {event.call.name} for"
            )

    def _allowed(self) -> str:
        names = [_one_line(entry.text) for entry in self.allowed or () if entry.is_known]
        return _cut(", ".join(names) or "loading skills", _LONGEST)

    def _is_own_file(self, event: ToolCallEvent) -> bool:
        """Whether a call only reads what comes with the skill itself."""
        return self.directory is not None and _read_below(self.directory, event)


def _read_below(directory: Path, event: ToolCallEvent) -> bool:
    if not event.needs or any(need.ability != "fs.read" for need in event.needs):
        return False
    places = _real(need.subject for need in event.needs)
    root = Path(os.path.realpath(directory))
    return all(place.is_relative_to(root) for place in places)


def _real(paths: Iterable[str]) -> list[Path]:
    try:
        return [Path(os.path.realpath(path)) for path in paths]
    except (OSError, ValueError):  # no system can have such a path
        return [Path()]


def _one_line(text: str) -> str:
    """A text from outside as a reason may hold it: valid, short, on one line."""
    return _cut(" ".join(text.split()).encode("utf-8", "backslashreplace").decode(), 120)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
