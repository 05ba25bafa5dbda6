"""The tool ``agent.skill``: names and descriptions for the model, and a skill's instructions on demand."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Annotated, Literal

import msgspec

from panto import Reply, Tool, ToolContext
from panto_agent.skill._instructions import NAME

_INTRODUCTION = """\
Load a skill: instructions for a kind of task, written by people who know it. When the task at hand fits a description
below, call this before you begin, and follow what it says. Each skill is loaded once.

Skills:"""


class SkillArguments(msgspec.Struct, frozen=True):
    """What the model says: which skill."""

    name: str


def skill_tool(
    descriptions: Mapping[str, str], budget: int, load: Callable[[str], Awaitable[Reply]]
) -> tuple[Tool[SkillArguments], bool]:
    """The tool for the skills with these descriptions, and whether they had to be shortened to keep within the budget.

    ``load`` gives the instructions of the skill of a name.
    """
    lines, shortened = described(descriptions, budget)

    async def run(arguments: SkillArguments, _context: ToolContext) -> Reply:
        return await load(arguments.name)

    tool = Tool(
        name=NAME,
        description="\n".join((_INTRODUCTION, *lines)),
        parameters=_arguments(descriptions),
        run=run,
        summarise=lambda arguments: arguments.name,
    )
    return tool, shortened


def _arguments(skills: Iterable[str]) -> type[SkillArguments]:
    """The arguments' Struct, with the names there are as the only ones that are valid."""
    name = Annotated[Literal[tuple(skills)], msgspec.Meta(description="The skill to load.")]  # pyright: ignore[reportInvalidTypeForm] - known only now
    return msgspec.defstruct("SkillArguments", [("name", name)], bases=(SkillArguments,), frozen=True)  # pyright: ignore[reportReturnType] - it is a subclass


def described(descriptions: Mapping[str, str], budget: int) -> tuple[list[str], bool]:
    """A line for each skill. If all together are over the budget, the longest are cut to one common length."""
    lengths = sorted(map(len, descriptions.values()))
    longest = _common_length(lengths, budget)
    lines = [
        f"- {' '.join(name.split())}: {cut(' '.join(text.split()), longest)}" for name, text in descriptions.items()
    ]
    return lines, bool(lengths) and lengths[-1] > longest


def _common_length(lengths: list[int], budget: int) -> int:
    """The length that, as the limit for each, brings the sum within the budget; ``lengths`` are sorted."""
    left = budget
    for number, length in enumerate(lengths):
        share = left // (len(lengths) - number)
        if length > share:
            return share
        left -= length
    return lengths[-1] if lengths else 0


def cut(text: str, length: int) -> str:
    """A text of at most this length; an ellipsis stands for what is missing."""
    return text if len(text) <= length else f"{text[: max(0, length - 1)].rstrip()}…"
