"""Slash commands, and what comes of one: a text for the screen, a prompt for the model, or a step of the program's."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from panto.messages import Image
from panto.offers.registry import Registry

Step: TypeAlias = Literal["new_session", "reload", "quit"]


@dataclass(frozen=True)
class Attached:
    """What goes along with a prompt: a text for the model (maybe none), and a line that tells the user of it."""

    text: str
    note: str


@dataclass(frozen=True)
class Prompt:
    """What is said to the model in the user's place. ``images`` are shown to it with the text.

    ``attached`` comes behind the text, of which the user sees only the notes. ``typed`` is the text without what was
    pasted into it unread, which calls no command and names no file; None stands for all of it.

    ``shown`` is what the screen keeps of it; None stands for all of it. ``model`` (as ``provider/model``) answers this
    one prompt; None is the model that is chosen. ``own_turn``: it does not steer a turn that is running but waits for
    one of its own, as it does with a model of its own. ``tag`` comes back in the `TurnStart` of that turn.
    """

    text: str
    shown: str | None = None
    model: str | None = None
    own_turn: bool = False
    tag: str = ""
    images: tuple[Image, ...] = ()
    attached: tuple[Attached, ...] = ()
    typed: str | None = None

    @property
    def own_words(self) -> str:
        """What of the text may ask for something."""
        return self.text if self.typed is None else self.typed


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
    """A slash command. ``run`` gets the text behind its name; ``hint`` says what may stand there.

    ``mentionable``: ``@name`` within a text calls it too, with the whole text.
    """

    name: str
    description: str
    run: Callable[[str], Awaitable[CommandOutcome]]
    hint: str = ""
    aliases: tuple[str, ...] = ()
    mentionable: bool = False


def command_registry() -> Registry[Command]:
    """A place for slash commands."""
    return Registry("command /", lambda command: (command.name, *command.aliases))
