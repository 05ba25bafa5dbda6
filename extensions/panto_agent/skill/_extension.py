"""``agent.skill`` on the bus: discovery when it is switched on, one tool, and the command that lists."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from panto import Assistant, Command, Host, Message, SessionStart, ToolMessage
from panto_agent.skill._catalogue import Catalogue, Found, Root, SkillsSettings, discover, roots
from panto_agent.skill._records import SkillWarning
from panto_agent.skill._tool import NAME, skill_tool


@dataclass
class Skills:
    """The skills that were found, and those that the present conversation has loaded."""

    host: Host
    settings: SkillsSettings
    catalogue: Catalogue = field(default_factory=lambda: Catalogue({}, (), ()))
    loaded: set[str] = field(default_factory=set[str])

    async def activate(self) -> None:
        """Find the skills, and offer the tool if there are any."""
        places = roots(self.host.layers, self.host.home, self.host.project, self.settings)
        self.catalogue = await asyncio.to_thread(discover, places, self._unreadable)
        self._tell()
        self.host.on(SessionStart, self.start)
        self.host.add_command(Command("skills", "list the skills, and those left out", self.describe))
        offered = {name: found for name, found in self.catalogue.skills.items() if _is_offered(found)}
        if not offered:
            return
        tool, shortened = skill_tool(offered, self.settings.description_budget, self.loaded)
        self.host.add_tool(tool)
        if shortened:
            self.host.notify(
                f"skills: the descriptions of {len(offered)} skills are longer than [skills] description_budget"
                f" ({self.settings.description_budget} characters); the longest are shortened",
                "warning",
            )

    def start(self, event: SessionStart) -> None:
        """Take up which skills the conversation has loaded."""
        self.loaded.clear()
        self.loaded.update(_in_history(event.history))

    async def describe(self, _arguments: str) -> str:
        """Every skill with where it comes from, what it stands in front of, and what was refused and why."""
        lines = [line for found in self.catalogue.skills.values() for line in _described(found)]
        refused = [f"- refused: {_where(warning)}" for warning in self.catalogue.refused]
        return "\n".join((*lines, *refused)) or "No skills: no SKILL.md in any of the places looked into."

    def _tell(self) -> None:
        for root in self.catalogue.missing:
            self.host.notify(f"skills: {root.path} does not exist", "warning", "see [skills] paths in config.toml")
        for warning in self.catalogue.refused:
            self.host.notify(f"skills: {_where(warning)}", "warning")

    def _unreadable(self, root: Root, error: OSError) -> None:
        self.host.notify(f"skills: {root.path} can't be read ({error.strerror})", "warning")


async def activate_skills(host: Host) -> None:
    """Switch the skills on."""
    await Skills(host, host.settings("skills", SkillsSettings)).activate()


def _is_offered(found: Found) -> bool:
    return not found.header.flag("disable-model-invocation")


def _described(found: Found) -> Iterator[str]:
    header = found.header
    hidden = "" if _is_offered(found) else ", not offered to the model"
    yield f"- **{header.name}** ({found.root.label}{hidden}): {header.description}"
    yield f"  `{header.path}`"
    yield from (f"  shadows `{other.path}`" for other in found.shadowed)
    yield from (f"  {_where(warning)}" for warning in header.warnings)


def _where(warning: SkillWarning) -> str:
    line = "" if warning.line is None else f":{warning.line}"
    return f"{warning.file}{line}: {warning.code.value}: {warning.detail}"


def _in_history(history: Iterable[Message]) -> Iterator[str]:
    """The names of the skills whose instructions a history holds."""
    called: dict[str, str] = {}
    for message in history:
        if isinstance(message, Assistant):
            called.update({call.id: str(call.arguments.get("name")) for call in message.calls if call.name == NAME})
        elif isinstance(message, ToolMessage):
            yield from (
                called[output.call_id] for output in message.parts if output.call_id in called and not output.is_error
            )
