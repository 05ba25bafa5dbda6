"""An extension on a real bus and a real host, without the rest of the program."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import msgspec

from panto import ExtensionError, Host, LayerDirectory, Notification, ToolCall, ToolResult
from panto.bus import Bus, Rank
from panto.events import Event
from panto.extension import CommandTable, Shell
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
class Stage:
    """What an extension stands on, and what the user was told meanwhile."""

    bus: Bus
    host: Host
    shell: Shell
    notices: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])

    async def read_result(self, path: Path, output: str = "1\ttext", *, is_error: bool = False) -> ToolResult:
        """What becomes of the result of a ``std.read`` of a path."""
        call = ToolCall("c1", "std.read", {"path": str(path)})
        return await self.bus.emit(
            ToolResult(session="s", call=call, paths=(path,), shown=output, output=output, notes=[], is_error=is_error)
        )


@asynccontextmanager
async def on_stage(
    extension: ModuleType, project: Path, home: Path, tables: dict[str, dict[str, object]] | None = None
) -> AsyncGenerator[Stage]:
    """Activate an extension for a project; all it registered is closed behind it."""
    layers = (
        LayerDirectory("base", home / ".local/share/panto/agent", home / ".local/share/panto/agent"),
        LayerDirectory("user", home / ".config/panto", home / ".config/panto"),
        LayerDirectory("project", project / ".panto", project),
    )
    async with Bus() as bus:
        shell = Shell(bus, ToolBox(), CommandTable(), Settings(tables or {}), project, home, layers)
        stage = Stage(bus, Host(Rank(0, "test.extension"), shell), shell)

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
