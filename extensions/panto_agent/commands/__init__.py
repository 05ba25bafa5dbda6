"""``agent.commands``: slash commands that are Markdown files.

A file ``commands/review.md`` of a layer is the command ``/review``. Its body is said to the model, with arguments,
the output of commands and the text of files put in where it asks for them. ``/commands`` lists them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panto import Host

__all__ = ["activate"]


async def activate(host: "Host") -> None:
    """Switch the commands on."""
    from panto_agent.commands._extension import activate_commands  # noqa: PLC0415 - read when it is switched on

    await activate_commands(host)
