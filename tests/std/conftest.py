"""The standard tools as the program has them: activated on a real host, called with raw JSON arguments."""

import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal

import pytest

from panto import Need, Reply, SessionEnd, ToolCall, ToolContext
from panto.bus import Bus, Rank
from panto.extension import Host
from panto.tools import Tool, ToolBox
from tests.support.extension_host import make_shell

NAMES = ("read", "write", "edit", "list", "glob", "grep", "shell")


@dataclass
class Bench:
    """A project directory, the tools, and what they told."""

    project: Path
    bus: Bus
    tools: ToolBox
    session: str = "one"
    changes: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    progress: list[str] = field(default_factory=list[str])
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def write(self, name: str, content: str | bytes) -> Path:
        """Put a file into the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def tool(self, name: str) -> Tool[object]:
        """A tool by its last name."""
        tool = self.tools.get(f"std.{name}")
        assert tool is not None
        return tool

    def context(self, name: str = "", session: str = "") -> ToolContext:
        """What a call of that tool gets."""

        async def environment(_command: str) -> Mapping[str, str]:
            return self.environment

        async def changed(path: Path, change: Literal["created", "changed", "deleted"]) -> None:
            self.changes.append((path, change))
            await self.after_change(path)

        return ToolContext(
            call=ToolCall("call-1", f"std.{name}"),
            session=session or self.session,
            project=self.project,
            progress=self.progress.append,
            environment=environment,
            changed=changed,
        )

    async def after_change(self, path: Path) -> None:
        """What others do when they hear of a change."""

    async def call(self, name: str, session: str = "", **arguments: object) -> Reply:
        """Run a tool with arguments as a model sends them."""
        tool = self.tool(name)
        return await tool.run(tool.arguments(arguments), self.context(name, session))

    def needs(self, name: str, **arguments: object) -> list[Need]:
        """What a call would need."""
        tool = self.tool(name)
        return list(tool.needs(tool.arguments(arguments), self.context(name)))

    def summary(self, name: str, **arguments: object) -> str:
        """How the screen would name a call."""
        tool = self.tool(name)
        return tool.summarise(tool.arguments(arguments))

    async def end_session(self) -> None:
        """Let the session end."""
        await self.bus.emit(SessionEnd(self.session))


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    project = tmp_path / "project"
    project.mkdir()
    async with Bus() as bus:
        shell = make_shell(bus, project, tmp_path)
        hosts: list[Host] = []
        for name in NAMES:
            host = Host(Rank(0, f"std.{name}"), shell)
            import_module(f"panto_std.{name}").activate(host)
            hosts.append(host)
        bench = Bench(project, bus, shell.tools, session=str(tmp_path))
        yield bench
        await bench.end_session()
        for host in hosts:
            host.close()
        assert len(shell.tools) == 0
        assert bus.counts()["handlers"] == 0
