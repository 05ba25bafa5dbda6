"""``agent.skill`` on the bus: discovery when it is switched on, one tool, a command for each skill, and the lists."""

import asyncio
import re
from collections.abc import Mapping

from panto import Command, CommandResult, Host
from panto_agent.skill._catalogue import Catalogue, Found, SkillsSettings, discover, roots
from panto_agent.skill._listing import Places, listing, one_line
from panto_agent.skill._records import SkillWarning
from panto_agent.skill._subcommand import skills_subcommand
from panto_agent.skill._tool import skill_tool
from panto_agent.skill._use import SkillUse

_TYPEABLE = re.compile(r"[A-Za-z0-9_.-]+")
_DESCRIPTION = 80
_MOST_TOLD = 10
"""Refused skills that are told one by one; the rest are counted."""


async def activate_skills(host: Host) -> None:
    """Find the skills, and offer the tool and the commands for those there are."""
    settings = host.settings("skills", SkillsSettings)
    places = roots(host.layers, host.home, host.project, settings)
    catalogue = await asyncio.to_thread(discover, places, strict=settings.strict)
    _tell(host, catalogue)
    _add_lists(host, catalogue)
    if catalogue.skills:
        use = SkillUse(host, catalogue.skills)
        use.attach()
        _add_tool(host, catalogue.skills, use, settings.description_budget)
        _add_commands(host, catalogue.skills, use)


def _tell(host: Host, catalogue: Catalogue) -> None:
    for trouble in catalogue.troubles:
        host.notify(f"skills: {trouble.text}", "warning", trouble.hint)
    for refused in catalogue.refused[:_MOST_TOLD]:
        host.notify(f"skills: {_where(refused.warning)}", "warning")
    more = len(catalogue.refused) - _MOST_TOLD
    if more > 0:
        host.notify(f"skills: {more} more are refused", "warning", "/skills lists them")


def _where(warning: SkillWarning) -> str:
    line = "" if warning.line is None else f":{warning.line}"
    return f"{warning.file}{line}: {warning.code.value}: {warning.detail}"


def _add_lists(host: Host, catalogue: Catalogue) -> None:
    places = Places(host.project, host.home)

    async def describe(_arguments: str) -> str:
        return listing(catalogue, places)

    host.add_command(Command("skills", "list the skills, and those left out", describe))
    host.add_subcommand(skills_subcommand(catalogue, host.project, places))


def _add_tool(host: Host, skills: Mapping[str, Found], use: SkillUse, budget: int) -> None:
    offered = {name: found.header.description for name, found in skills.items() if found.is_offered}
    if not offered:
        return
    tool, shortened = skill_tool(offered, budget, use.by_model)
    host.add_tool(tool)
    if shortened:
        host.notify(
            f"skills: the descriptions of {len(offered)} skills are longer than [skills] description_budget"
            f" ({budget} characters); the longest are shortened",
            "warning",
        )


def _add_commands(host: Host, skills: Mapping[str, Found], use: SkillUse) -> None:
    """Offer ``/skill:name`` for each skill that may be loaded by hand, and whose name can be typed so."""
    for name, found in skills.items():
        if not found.is_for_users or _TYPEABLE.fullmatch(name) is None:
            continue
        try:
            host.add_command(_command(name, found, use))
        except ValueError as error:  # another extension has it
            host.notify(f"skills: {name} can't be loaded by hand: {error}", "warning")


def _command(name: str, found: Found, use: SkillUse) -> Command:
    command = f"skill:{name}"

    async def run(arguments: str) -> CommandResult:
        return await use.by_hand(name, command, arguments)

    description = one_line(found.header.description, _DESCRIPTION)
    return Command(command, description, run, hint="[what to do]", mentionable=True)
