"""Reading Agent Skills: directories with a ``SKILL.md``, strictly and whole, or just what they say of themselves."""

from typing import TYPE_CHECKING

from panto_agent.skill._loader import check_skills, load_skills_directory
from panto_agent.skill._reading import read_skill_body, read_skill_header
from panto_agent.skill._records import (
    Skill,
    SkillError,
    SkillFile,
    SkillHeader,
    SkillVerdict,
    SkillWarning,
    WarningCode,
)

if TYPE_CHECKING:
    from panto import Host

__all__ = [
    "Skill",
    "SkillError",
    "SkillFile",
    "SkillHeader",
    "SkillVerdict",
    "SkillWarning",
    "WarningCode",
    "activate",
    "check_skills",
    "load_skills_directory",
    "read_skill_body",
    "read_skill_header",
]


async def activate(host: "Host") -> None:
    """Switch ``agent.skill`` on. The reader above stands alone: it needs nothing of the program."""
    from panto_agent.skill._extension import activate_skills  # noqa: PLC0415 - only here is panto needed

    await activate_skills(host)
