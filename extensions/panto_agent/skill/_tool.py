"""The tool ``agent.skill``: names and descriptions for the model, and a skill's instructions on demand."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from panto import Reply, Tool, ToolContext, ToolError
from panto_agent.skill._catalogue import Found
from panto_agent.skill._reading import read_skill_body
from panto_agent.skill._records import SkillError

NAME = "agent.skill"
MAX_LISTED = 100
"""Files of a skill that are listed; the rest are counted."""
_INTRODUCTION = """\
Load a skill: instructions for a kind of task, written by people who know it. When the task at hand fits a description
below, call this before you begin, and follow what it says. Each skill is loaded once.

Skills:"""


class SkillArguments(msgspec.Struct, frozen=True):
    """What the model says: which skill."""

    name: str


def skill_tool(skills: Mapping[str, Found], budget: int, loaded: set[str]) -> tuple[Tool[SkillArguments], bool]:
    """The tool for these skills, and whether descriptions had to be shortened to keep within the budget.

    ``loaded`` holds the names that the conversation has already; a call for one of them says just that.
    """
    lines, shortened = described({name: found.header.description for name, found in skills.items()}, budget)

    async def run(arguments: SkillArguments, _context: ToolContext) -> Reply:
        found = skills[arguments.name]
        if arguments.name in loaded:
            return Reply(f"The skill {arguments.name} is loaded already; its instructions are above.", "loaded already")
        try:
            text = await asyncio.to_thread(_instructions, found)
        except SkillError as error:
            raise ToolError(str(error)) from error
        loaded.add(arguments.name)
        return Reply(text, f"from {found.root.label}", paths=(found.header.directory,))

    tool = Tool(
        name=NAME,
        description="\n".join((_INTRODUCTION, *lines)),
        parameters=_arguments(skills),
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
        f"- {' '.join(name.split())}: {_cut(' '.join(text.split()), longest)}" for name, text in descriptions.items()
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


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: max(0, length - 1)].rstrip()}…"


def _instructions(found: Found) -> str:
    """A skill's instructions behind a preamble, with the files that come with it. Raises `SkillError`."""
    header = found.header
    body = read_skill_body(header.path)
    listed = list(_bundled(header.directory))
    shown = listed[:MAX_LISTED]
    more = [f"- … and {len(listed) - len(shown)} more"] if len(listed) > len(shown) else []
    files = (
        ["", "Files that come with it (read one when the instructions call for it):", *shown, *more] if listed else []
    )
    return "\n".join(
        (
            f'<skill name="{escape(header.name)}" directory="{escape(str(header.directory))}">',
            f"Relative paths in this skill are relative to {header.directory}.",
            "",
            body.strip(),
            *files,
            "</skill>",
        )
    )


def _bundled(directory: Path) -> Iterator[str]:
    """The files below a skill's directory, by path, with their sizes; links to directories are not followed."""
    for place, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if name not in (".git", "node_modules"))
        for name in sorted(names):
            path = Path(place) / name
            if path != directory / "SKILL.md" and path.is_file():
                yield f"- {path.relative_to(directory)} ({path.stat().st_size} bytes)"
