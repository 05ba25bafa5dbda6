"""The tool lists of a command, in force during the turn that its prompt begins.

They travel in the prompt's tag, so that they hold for that turn and no other, however long it waits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from panto import Host, SessionEnd, ToolCallEvent, TurnStart
from panto_agent._tools import ToolLists

_TAG = "agent.commands:"


class Limits(msgspec.Struct, frozen=True):
    """What a command says of tools. ``name`` is how reasons name it; see `ToolLists.activate` for the rest."""

    name: str
    allowed: Sequence[str] | None
    disallowed: Sequence[str] | None
    grants: bool

    @property
    def tag(self) -> str:
        """The tag that brings them into their turn; empty if nothing is limited or granted."""
        if self.allowed is None and self.disallowed is None:
            return ""
        return f"{_TAG}{msgspec.json.encode(self).decode()}"


def limits_in(tag: str) -> Limits | None:
    """What a tag brings, if it is one of these."""
    try:
        return msgspec.json.decode(tag.removeprefix(_TAG), type=Limits) if tag.startswith(_TAG) else None
    except msgspec.MsgspecError:
        return None


@dataclass
class TurnLimits:
    """Puts the lists in force as their turn begins, and out of force as the next one does.

    A turn of another session (a subagent's, within this one) leaves them as they are.
    """

    host: Host
    session: str | None = None
    lists: ToolLists = field(init=False)

    def __post_init__(self) -> None:
        self.lists = ToolLists(self.host.project)

    def register(self) -> None:
        """Take part in turns and calls."""
        self.host.on(TurnStart, self.start)
        self.host.on(SessionEnd, self.end)
        self.host.on(ToolCallEvent, self.lists.judge)

    def start(self, event: TurnStart) -> None:
        """A turn begins."""
        limits = limits_in(event.tag)
        if limits is None:
            self._clear(event.session)
            return
        self.lists.clear()
        self.session = event.session
        unknown = self.lists.activate(
            limits.name, allowed=limits.allowed, disallowed=limits.disallowed, grants=limits.grants
        )
        if unknown:
            self.host.notify(
                f"{limits.name}: its tool lists name what is no tool here: {', '.join(unknown)}", "warning"
            )

    def end(self, event: SessionEnd) -> None:
        """A session is over, and with it its turn."""
        self._clear(event.session)

    def _clear(self, session: str) -> None:
        if session == self.session:
            self.session = None
            self.lists.clear()
