"""What an extension gets: a `Host`, through which it registers, and which takes all of it back.

An extension is a module with ``activate(host)``. All that it registers is a `Handle` that the host owns; closing the
host closes them in reverse and leaves nothing behind.
"""

import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from panto.bus import HANDLER_SECONDS, Bus, BusError, Handle, Rank, words
from panto.events import Event, Notification, Severity, ShellEnv, ToolCallEvent, ToolProgress, ToolResult
from panto.offers import Command, Key, Offers, Panel, Subcommand
from panto.permissions.guard import Guard
from panto.process import ProcessResult, run_shell
from panto.tools import Need, Tool, ToolBox

E = TypeVar("E", bound=Event)
S = TypeVar("S", bound=msgspec.Struct)
A = TypeVar("A")


@dataclass(frozen=True)
class LayerDirectory:
    """A layer as extensions see it: its name (``base``, ``user``, ``project``) and where its files are.

    ``rules`` is where its ``AGENTS.md`` lives, which for the project is the project's root.
    """

    name: str
    directory: Path
    rules: Path


class SettingsSource(Protocol):
    """Where an extension's settings come from."""

    def settings_for(self, table: str, kind: type[S]) -> S:
        """The table of that name, checked against a Struct; what is wrong in it keeps its default."""
        ...


@dataclass(frozen=True)
class Shell:
    """The parts of the program that extensions reach through their host."""

    bus: Bus
    tools: ToolBox
    offers: Offers
    guard: Guard
    settings: SettingsSource
    project: Path
    home: Path
    layers: tuple[LayerDirectory, ...]
    trusts_project: bool = False


class Host:
    """What one extension registers with. ``id`` is its ``suite.name``; ``project`` the directory worked in."""

    def __init__(self, rank: Rank, shell: Shell) -> None:
        self._rank = rank
        self._shell = shell
        self._handles: list[Handle] = []
        self._closed = False
        self.log = logging.getLogger(f"panto.extension.{rank.id}")

    @property
    def id(self) -> str:
        """The extension's id, ``suite.name``."""
        return self._rank.id

    @property
    def project(self) -> Path:
        """The root of the project: the directory that the program was launched in."""
        return self._shell.project

    @property
    def home(self) -> Path:
        """The user's home directory."""
        return self._shell.home

    @property
    def layers(self) -> tuple[LayerDirectory, ...]:
        """The layers that hold files of the user's, lowest priority first: base, user, project."""
        return self._shell.layers

    @property
    def trusts_project(self) -> bool:
        """Whether the user trusts this project: only then may its files run something, or grant anything."""
        return self._shell.trusts_project

    @property
    def handles(self) -> tuple[Handle, ...]:
        """All that the extension has registered and not closed."""
        return tuple(handle for handle in self._handles if not handle.closed)

    def on(
        self,
        event: type[E],
        handler: Callable[[E], Awaitable[None] | None],
        *,
        tool: str | None = None,
        after: Sequence[str] = (),
        seconds: float = HANDLER_SECONDS,
    ) -> Handle:
        """Take part in an event: the handler is awaited and may change the event's writable fields.

        ``tool`` limits a tool's events to one tool; ``after`` names extensions whose handlers come first; ``seconds``
        is how long one call may take before it no longer counts. An event that can only be watched is refused.
        """
        where = None if tool is None else _of_tool(tool)
        return self._own(
            self._shell.bus.on(event, handler, rank=self._rank, after=frozenset(after), where=where, seconds=seconds)
        )

    def watch(self, event: type[E], handler: Callable[[E], Awaitable[None] | None]) -> Handle:
        """Look at an event, after the fact and without holding anything up."""
        return self._own(self._shell.bus.watch((event,), handler, rank=self._rank))  # pyright: ignore[reportArgumentType] - it gets only what it asked for

    def add_tool(self, tool: Tool[A]) -> Handle:
        """Offer a tool to the model."""
        return self._own(Handle("tool", tool.name, self._shell.tools.add(tool)))

    def add_command(self, command: Command) -> Handle:
        """Offer a slash command to the user. Raises `ValueError` if a name of it is taken."""
        return self._own(Handle("command", command.name, self._shell.offers.commands.add(command)))

    def add_key(self, key: Key) -> Handle:
        """Bind a key. Raises `ValueError` if it is taken, by the program or by another extension."""
        return self._own(Handle("key", key.key, self._shell.offers.keys.add(key)))

    def add_panel(self, title: str) -> Panel:
        """Add a section to the side panel; `Panel.show` fills it."""
        panel = self._shell.offers.panels.add(title)
        self._own(panel)
        return panel

    def add_subcommand(self, subcommand: Subcommand) -> Handle:
        """Offer ``panto-py NAME`` on the command line. Raises `ValueError` if the name is taken."""
        return self._own(Handle("subcommand", subcommand.name, self._shell.offers.subcommands.add(subcommand)))

    def start(self, work: Awaitable[None], *, name: str) -> Handle:
        """Run a task of the extension's own. It ends with the extension at the latest; its failure is reported."""
        return self._own(self._shell.bus.background(work, rank=self._rank, name=name))

    def settings(self, table: str, kind: type[S]) -> S:
        """The extension's settings: the config's table of that name, checked against a Struct with defaults."""
        return self._shell.settings.settings_for(table, kind)

    async def permit(self, *needs: Need, title: str, summary: str = "") -> None:
        """Come back if this may be done; the user is asked where the rules and the mode want it.

        ``title`` and ``summary`` tell the user what it is for. Raises `PermissionDeniedError`.
        """
        await self._shell.guard.permit(needs, title=title, summary=summary)

    async def run_command(self, command: str, *, title: str, timeout_seconds: float) -> ProcessResult:
        """Run a command line in the project's directory, after asking as for any other.

        Raises `PermissionDeniedError`, or `ProcessError` if it can't be started.
        """
        await self.permit(Need("command.run", command), title=title)
        event = await self._shell.bus.emit(ShellEnv(command, dict(os.environ)))
        return await run_shell(command, cwd=self.project, environment=event.env, timeout_seconds=timeout_seconds)

    def notify(self, text: str, severity: Severity = "info", hint: str = "") -> None:
        """Tell the user something, with what to do about it as the hint."""
        self._shell.bus.tell(Notification(text, severity, hint))

    def fault(self, doing: str, message: str) -> None:
        """Report a fault of the extension's own that it got over."""
        self._shell.bus.fault(self._rank, doing, message)

    def close(self) -> None:
        """Take back all that was registered, last first. A part that fails to close does not keep the others.

        From then on nothing more can be registered.
        """
        self._closed = True
        while self._handles:
            handle = self._handles.pop()
            try:
                handle.close()
            except Exception as error:  # noqa: BLE001 - foreign code: its fault is reported, the rest still closes
                self.fault(f"close {handle.kind} {handle.name}", words(error))

    def _own(self, handle: Handle) -> Handle:
        if self._closed:
            handle.close()
            raise BusError(f"{self.id} is switched off: it can register nothing more")
        self._handles = [*self.handles, handle]
        return handle


def _of_tool(tool: str) -> Callable[[Event], bool]:
    def matches(event: Event) -> bool:
        return isinstance(event, ToolCallEvent | ToolProgress | ToolResult) and event.call.name == tool

    return matches
