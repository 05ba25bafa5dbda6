"""Skills in use: which ones the conversation has loaded, and which are active.

A skill is *loaded* once its instructions stand in the conversation; from then on a short note replaces them. It is
*active* from its activation, by the model or by hand, to the end of that turn; activating it again, in whichever turn,
makes it active again. While it is active its tool lists are in force (see `panto_agent._tools`): what it disallows is
denied, and where it has an ``allowed-tools`` list, other tools are denied too. What that list names runs without asking
where only the mode would ask, if the skill is the user's own, or the user trusts the project that it comes from.
"""

import asyncio
from collections.abc import Mapping

from panto import CommandResult, Host, Prompt, Reply, SessionStart, ToolCallEvent, ToolError, TurnStart
from panto_agent._tools import ToolLists
from panto_agent.skill._catalogue import Found
from panto_agent.skill._instructions import LOADED_ALREADY, NAME, already, instructions, skill_in, skills_in
from panto_agent.skill._records import SkillError, shown

TAG = f"{NAME}:"
"""Begins the tag of a prompt that loads a skill by hand; the skill's name follows."""
_MOST_NAMED = 5


class SkillUse:
    """The use of these skills in the present conversation."""

    def __init__(self, host: Host, skills: Mapping[str, Found]) -> None:
        self._host = host
        self._skills = skills
        self._loaded: set[str] = set()
        self._lists = ToolLists(host.project)
        self._one_by_one = asyncio.Lock()

    def attach(self) -> None:
        """Follow sessions and turns, and judge calls."""
        self._host.on(SessionStart, self._start)
        self._host.on(TurnStart, self._begin_turn)
        self._host.on(ToolCallEvent, self._lists.judge)

    async def by_model(self, name: str) -> Reply:
        """Load a skill for the model, and make it active. Raises `ToolError` if it can't be read any more."""
        found = self._skills[name]
        async with self._one_by_one:  # two calls in one answer don't both get the text
            if name in self._loaded:
                reply = Reply(already(name), LOADED_ALREADY)
            else:
                reply = Reply(await _read(found), f"from {found.root.label}", paths=(found.header.directory,))
                self._loaded.add(name)
        self._activate(found)
        return reply

    async def by_hand(self, name: str, command: str, arguments: str) -> CommandResult:
        """A prompt that loads a skill and says what to do with it. It makes the skill active in the turn it begins."""
        try:
            text = already(name) if name in self._loaded else await _read(self._skills[name])
        except ToolError as error:
            self._host.notify(f"skills: {error}", "warning")
            return CommandResult()
        task = arguments or "Follow the skill's instructions."
        typed = f"/{command} {arguments}".rstrip()
        return CommandResult(prompt=Prompt(f"{text}\n\n{task}", shown=typed, own_turn=True, tag=f"{TAG}{name}"))

    def _start(self, event: SessionStart) -> None:
        self._lists.clear()
        self._loaded.clear()
        self._loaded.update(skills_in(event.history))

    def _begin_turn(self, event: TurnStart) -> None:
        self._lists.clear()
        found = self._skills.get(event.tag.removeprefix(TAG)) if event.tag.startswith(TAG) else None
        if found is not None:
            self._loaded.update(skill_in(event.user))
            self._activate(found)

    def _activate(self, found: Found) -> None:
        header = found.header
        unknown = self._lists.activate(
            f"skill {shown(header.name, 80)}",
            allowed=header.allowed_tools,
            disallowed=header.disallowed_tools,
            grants=found.root.is_users or self._host.trusts_project,
            directory=header.directory,
        )
        if unknown:
            named = ", ".join(shown(entry, 60) for entry in unknown[:_MOST_NAMED])
            more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
            self._host.notify(
                f"skill {shown(header.name, 80)}: its tool lists name what stands for no tool here: {named}{more}",
                "warning",
                "such an entry allows nothing; /skills shows the lists",
            )


async def _read(found: Found) -> str:
    """A skill's instructions. Raises `ToolError`."""
    try:
        return await asyncio.to_thread(instructions, found)
    except SkillError as error:
        raise ToolError(str(error)) from error
