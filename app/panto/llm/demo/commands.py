"""What the demo model understands: a handful of plain requests, each of which is a call of one tool."""

import re
from dataclasses import dataclass

from panto.json_values import JSONObject


@dataclass(frozen=True)
class Command:
    """A kind of request.

    ``form`` shows how to write it, ``does`` what comes of it. ``pattern`` matches what stands behind the word, and its
    groups are the tool's arguments; ``fixed`` are arguments that are always the same. ``doing`` is said before the
    call, ``done`` of its result, and ``next_step`` at the end. ``reads_first``: the file must have been read before.
    """

    word: str
    form: str
    does: str
    tool: str
    pattern: re.Pattern[str]
    doing: str
    done: str
    next_step: str
    fixed: tuple[tuple[str, object], ...] = ()
    reads_first: bool = False


COMMANDS = (
    Command(
        word="read",
        form="read FILE",
        does="reads a file",
        tool="std_read",
        pattern=re.compile(r"(?P<path>.+)"),
        doing="I'll read",
        done="Reading {subject} gave {count}. It begins:",
        next_step="`find TEXT` looks for something in all files, `edit FILE: OLD -> NEW` changes this one.",
    ),
    Command(
        word="list",
        form="list [DIR]",
        does="lists a directory",
        tool="std_list",
        pattern=re.compile(r"(?P<path>.+)?"),
        doing="I'll list",
        done="{subject} holds {count}:",
        next_step="`read FILE` shows one of them.",
    ),
    Command(
        word="find",
        form="find TEXT",
        does="searches all files for a text",
        tool="std_grep",
        pattern=re.compile(r"(?P<pattern>.+)"),
        doing="I'll look for",
        done="The search for {subject} gave {count}:",
        next_step="`read FILE` shows more of a file.",
        fixed=(("literal", True),),
    ),
    Command(
        word="run",
        form="run COMMAND",
        does="runs a command in the shell",
        tool="std_shell",
        pattern=re.compile(r"(?P<command>.+)", re.DOTALL),
        doing="I'll run",
        done="The command answered with {count}:",
        next_step="`run git status` shows what has changed in a repository.",
    ),
    Command(
        word="edit",
        form="edit FILE: OLD -> NEW",
        does="replaces a text in a file",
        tool="std_edit",
        pattern=re.compile(r"(?P<path>\S.*?):\s+(?P<old>.+?) *-> *(?P<new>.*)", re.DOTALL),
        doing="I'll read and change",
        done="{subject} is changed:",
        next_step="`read FILE` shows how it looks now.",
        reads_first=True,
    ),
    Command(
        word="write",
        form="write FILE: TEXT",
        does="writes a file",
        tool="std_write",
        pattern=re.compile(r"(?P<path>\S.*?):\s+(?P<content>.+)", re.DOTALL),
        doing="I'll write",
        done="{subject} is written:",
        next_step="`read FILE` shows how it looks now.",
    ),
)

BY_TOOL = {command.tool: command for command in COMMANDS}
_BY_WORD = {command.word: command for command in COMMANDS}
_QUOTES = ("`", '"', "'")


@dataclass(frozen=True)
class Understood:
    """A request that is clear: the tool to call, and its arguments."""

    command: Command
    arguments: JSONObject


@dataclass(frozen=True)
class Incomplete:
    """A request whose word is known, but not in a form that says enough."""

    command: Command


def understand(text: str) -> Understood | Incomplete | None:
    """What a text asks for; None if it begins with no word that is known."""
    word, rest = (*text.split(maxsplit=1), "", "")[:2]
    command = _BY_WORD.get(word.lower().rstrip(":"))
    if command is None:
        return None
    match = command.pattern.fullmatch(rest.strip())
    if match is None:
        return Incomplete(command)
    arguments: JSONObject = {name: _unquoted(value) for name, value in match.groupdict().items() if value is not None}
    if command.word == "write":
        arguments["content"] = f"{arguments['content']}\n"
    return Understood(command, {**arguments, **dict(command.fixed)})


def _unquoted(text: str) -> str:
    text = text.strip()
    for quote in _QUOTES:
        if len(text) > 1 and text.startswith(quote) and text.endswith(quote):
            return text[1:-1]
    return text
