"""An extension on a real bus and a real host, without the rest of the program."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import msgspec

from panto import CommandResult, ExtensionError, Host, LayerDirectory, Notification, ToolCall, ToolResult
from panto.bus import Bus, Rank
from panto.events import Event
from panto.extension import Shell
from panto.offers import Offers
from panto.permissions.approval import Approval, ApprovalRequest
from panto.permissions.gate import Gate
from panto.permissions.guard import Guard
from panto.tools import ToolBox

S = TypeVar("S", bound=msgspec.Struct)


@dataclass(frozen=True)
class Settings:
    """Settings tables, as the config would hold them."""

    tables: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])

    def settings_for(self, table: str, kind: type[S]) -> S:
        """The table of that name."""
        return msgspec.convert(self.tables.get(table, {}), kind)


@dataclass
class User:
    """Answers what is asked, and remembers it."""

    answer: Approval = field(default_factory=lambda: Approval("once"))
    asked: list[ApprovalRequest] = field(default_factory=list[ApprovalRequest])

    async def approve(self, request: ApprovalRequest) -> Approval:
        """The answer."""
        self.asked.append(request)
        return self.answer


def make_shell(
    bus: Bus,
    project: Path,
    home: Path,
    layers: tuple[LayerDirectory, ...] = (),
    *,
    settings: Settings | None = None,
    user: User | None = None,
    trusts_project: bool = False,
) -> Shell:
    """What hosts stand on, with nothing registered yet. The mode is build."""
    guard = Guard(Gate(project), (user or User()).approve)
    return Shell(bus, ToolBox(), Offers(), guard, settings or Settings(), project, home, layers, trusts_project)


def left_behind(shell: Shell) -> dict[str, int]:
    """How much of everything is registered anywhere."""
    offers = shell.offers
    return {
        **shell.bus.counts(),
        "tools": len(shell.tools),
        "commands": len(offers.commands.all()),
        "keys": len(offers.keys.all()),
        "panels": len(offers.panels.all()),
        "subcommands": len(offers.subcommands.all()),
    }


@dataclass
class Stage:
    """What an extension stands on, and what the user was told meanwhile."""

    bus: Bus
    host: Host
    shell: Shell
    user: User
    notices: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])

    async def command(self, name: str, arguments: str = "") -> CommandResult:
        """What comes of a slash command."""
        command = self.shell.offers.commands.get(name)
        assert command is not None, f"there is no command /{name}"
        outcome = await command.run(arguments)
        return outcome if isinstance(outcome, CommandResult) else CommandResult(outcome or "")

    async def read_result(self, path: Path, output: str = "1\ttext", *, is_error: bool = False) -> ToolResult:
        """What becomes of the result of a ``std.read`` of a path."""
        call = ToolCall("c1", "std.read", {"path": str(path)})
        return await self.bus.emit(
            ToolResult(session="s", call=call, paths=(path,), shown=output, output=output, notes=[], is_error=is_error)
        )


@asynccontextmanager
async def on_stage(
    extension: ModuleType,
    project: Path,
    home: Path,
    tables: dict[str, dict[str, object]] | None = None,
    *,
    trusts_project: bool = False,
) -> AsyncGenerator[Stage]:
    """Activate an extension for a project; all it registered is closed behind it."""
    layers = (
        LayerDirectory("base", home / ".local/share/panto/agent", home / ".local/share/panto/agent"),
        LayerDirectory("user", home / ".config/panto", home / ".config/panto"),
        LayerDirectory("project", project / ".panto", project),
    )
    async with Bus() as bus:
        user = User()
        shell = make_shell(
            bus, project, home, layers, settings=Settings(tables or {}), user=user, trusts_project=trusts_project
        )
        stage = Stage(bus, Host(Rank(0, "test.extension"), shell), shell, user)

        def note(event: Event) -> None:
            if isinstance(event, Notification):
                stage.notices.append(event.text)
            elif isinstance(event, ExtensionError):
                stage.faults.append(event.message)

        watching = bus.watch((Notification, ExtensionError), note, rank=Rank(0, "test"))
        try:
            activated = extension.activate(stage.host)
            if activated is not None:
                await activated
            yield stage
            await bus.settle()
        finally:
            stage.host.close()
            watching.close()
