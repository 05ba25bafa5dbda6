"""``agent.commands`` on the bus: the files found when it is switched on, a command for each, and one that lists."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from panto import AppStart, Command, CommandResult, Host
from panto_agent.commands._catalogue import Catalogue, CommandsSettings, Found, discover, roots
from panto_agent.commands._listing import listing
from panto_agent.commands._run import Runner
from panto_agent.commands._turn import TurnLimits
from panto_agent.commands._walk import Fault

MOST_NOTICES = 20
"""Files that are told of one by one."""


@dataclass
class Commands:
    """The commands that were found, and what was refused."""

    host: Host
    runner: Runner
    catalogue: Catalogue = field(default_factory=lambda: Catalogue({}, ()))
    offered: dict[str, Found] = field(default_factory=dict[str, Found])
    refused: list[Fault] = field(default_factory=list[Fault])

    async def activate(self, settings: CommandsSettings) -> None:
        """Find the commands. They are offered once every extension has taken the names that it needs."""
        places = roots(self.host.layers, self.host.project, compat=settings.compat)
        self.catalogue = await asyncio.to_thread(discover, places, self.runner.inside)
        self.refused.extend(self.catalogue.refused)
        self._tell(self.refused)
        self.host.add_command(Command("commands", "list the commands from files, and those left out", self.describe))
        self.host.on(AppStart, self.offer)

    def offer(self, _event: AppStart) -> None:
        """Offer the commands, but for those whose names are taken."""
        taken: list[Fault] = []
        for found in self.catalogue.commands.values():
            command = Command(found.name, found.description, partial(self._run, found), _without_backticks(found.hint))
            try:
                self.host.add_command(command)
                self.offered[found.name] = found
            except ValueError as error:
                taken.append(Fault(found.path, str(error)))
        self.refused.extend(taken)
        self._tell(taken)

    async def describe(self, _arguments: str) -> str:
        """Every command with where it comes from, and what was refused and why."""
        return listing(self.offered.values(), self.refused)

    async def _run(self, found: Found, arguments: str) -> CommandResult:
        return await self.runner.run(found, arguments)

    def _tell(self, faults: Sequence[Fault]) -> None:
        for fault in faults[:MOST_NOTICES]:
            self.host.notify(f"commands: {fault}", "warning")
        if len(faults) > MOST_NOTICES:
            self.host.notify(
                f"commands: {len(faults) - MOST_NOTICES} more are left out", "warning", "/commands lists them"
            )


def _without_backticks(hint: str) -> str:
    """A hint for a help page, which shows it as code."""
    return hint.replace("`", "'")


async def activate_commands(host: Host) -> None:
    """Switch the commands on."""
    inside = None if host.trusts_project else await asyncio.to_thread(Path.resolve, host.project)
    limits = TurnLimits(host)
    limits.register()
    await Commands(host, Runner(host, inside)).activate(host.settings("commands", CommandsSettings))
