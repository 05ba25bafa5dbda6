"""Slash commands, and what comes of one: a text for the screen, a prompt for the model, or a step of the program's."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from panto.offers.registry import Registry

Step: TypeAlias = Literal["new_session", "reload", "quit"]


@dataclass(frozen=True)
class Prompt:
    """What is said to the model in the user's place.

    ``shown`` is what the screen keeps of it; None stands for all of it. ``model`` (as ``provider/model``) answers this
    one prompt; None is the model that is chosen. ``own_turn``: it does not steer a turn that is running but waits for
    one of its own, as it does with a model of its own. ``tag`` comes back in the `TurnStart` of that turn.
    """

    text: str
    shown: str | None = None
    model: str | None = None
    own_turn: bool = False
    tag: str = ""


@dataclass(frozen=True)
class CommandResult:
    """What is to happen after a command: Markdown is shown, a prompt begins a turn, and the program takes a step.

    Only commands can ask for such a step: handlers of events can't.
    """

    text: str = ""
    prompt: Prompt | None = None
    step: Step | None = None


CommandOutcome: TypeAlias = str | CommandResult | None
"""A text alone is one to show."""


@dataclass(frozen=True)
class Command:
    """A slash command. ``run`` gets the text behind its name; ``hint`` says what may stand there."""

    name: str
    description: str
    run: Callable[[str], Awaitable[CommandOutcome]]
    hint: str = ""
    aliases: tuple[str, ...] = ()


def command_registry() -> Registry[Command]:
    """A place for slash commands."""
    return Registry("command /", lambda command: (command.name, *command.aliases))
