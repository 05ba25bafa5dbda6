"""A skill's instructions as the model gets them, and how they are found again in a history."""

import os
import re
from collections.abc import Iterable, Iterator
from html import escape, unescape
from pathlib import Path

from panto import Assistant, Message, ToolMessage, User
from panto_agent.skill._bundle import bundled
from panto_agent.skill._catalogue import Found
from panto_agent.skill._reading import read_skill_body
from panto_agent.skill._records import shown

NAME = "agent.skill"
LOADED_ALREADY = "loaded already"
"""What the screen shows in place of a skill that was loaded before."""
_OPENING = re.compile(r'<skill name="([^"]*)"')


def instructions(found: Found) -> str:
    """A skill's instructions behind a preamble, with the files that come with it. Raises `SkillError`."""
    header = found.header
    body = read_skill_body(header.path)
    listed = bundled(header.directory)
    files = ["", "Files that come with it (read one when the instructions call for it):", *listed] if listed else []
    directory = path_text(header.directory)
    return "\n".join(
        (
            f'<skill name="{escape(header.name)}" directory="{escape(directory)}">',
            f"Relative paths in this skill are relative to {directory}.",
            "",
            body.strip(),
            *files,
            "</skill>",
        )
    )


def already(name: str) -> str:
    """What is said instead of instructions that the conversation holds."""
    return f"The skill {shown(name, 80)} is loaded already; its instructions are above."


def path_text(path: Path) -> str:
    """A path as text, on one line: what is no text in it, or no part of a line, is written as escapes."""
    return shown(os.fspath(path), longest=4096)


def skills_in(history: Iterable[Message]) -> Iterator[str]:
    """The names of the skills whose instructions a history holds, loaded by the model or by hand."""
    called: dict[str, str] = {}
    for message in history:
        if isinstance(message, Assistant):
            called.update({call.id: str(call.arguments.get("name")) for call in message.calls if call.name == NAME})
        elif isinstance(message, ToolMessage):
            yield from (
                called[output.call_id]
                for output in message.parts
                if output.call_id in called and not output.is_error and output.summary != LOADED_ALREADY
            )
        elif isinstance(message, User):
            yield from skill_in(message)


def skill_in(message: User) -> Iterator[str]:
    """The name of the skill whose instructions a message of the user's begins with, if it does."""
    opening = _OPENING.match(message.text)
    if opening is not None:
        yield unescape(opening[1])
