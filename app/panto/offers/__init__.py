"""What extensions offer to the user: slash commands, keys, sections of the side panel, subcommands of the program."""

from dataclasses import dataclass, field

from panto.offers.commands import Attached, Command, CommandOutcome, CommandResult, Prompt, Step, command_registry
from panto.offers.keys import Key, key_registry
from panto.offers.panels import Panel, Panels
from panto.offers.registry import Registry
from panto.offers.subcommands import Say, Subcommand, SubcommandError, subcommand_registry

__all__ = [
    "Attached",
    "Command",
    "CommandOutcome",
    "CommandResult",
    "Key",
    "Offers",
    "Panel",
    "Panels",
    "Prompt",
    "Registry",
    "Say",
    "Step",
    "Subcommand",
    "SubcommandError",
]


@dataclass(frozen=True)
class Offers:
    """All that is offered now."""

    commands: Registry[Command] = field(default_factory=command_registry)
    keys: Registry[Key] = field(default_factory=key_registry)
    panels: Panels = field(default_factory=Panels)
    subcommands: Registry[Subcommand] = field(default_factory=subcommand_registry)
