"""Slash commands: what the program itself offers, and how one is told from a text that begins with a slash."""

import re
from typing import TYPE_CHECKING, get_args

from textual.binding import Binding

from panto.config.schema import Thinking
from panto.events import Mode
from panto.models import DEMO
from panto.offers import Command, CommandResult, Offers, Registry
from panto.tui.help import help_text
from panto.tui.usage import usage_table

if TYPE_CHECKING:
    from panto.tui.app import PantoApp

NAME = r"[A-Za-z][\w:.-]*"
"""What a command's name looks like; there is one more, ``?``."""
_COMMAND = re.compile(rf"/(?P<name>\?|{NAME})(?:\s+(?P<arguments>.*))?", re.DOTALL)


def parse_command(text: str, commands: Registry[Command]) -> tuple[Command, str] | str | None:
    """The command that a text calls, with its arguments; the name alone if there is no such command.

    None if the text is none at all: a path such as ``/etc/hosts`` is something to say to the model.
    """
    match = _COMMAND.fullmatch(text.strip())
    if match is None:
        return None
    command = commands.get(match["name"])
    return match["name"] if command is None else (command, match["arguments"] or "")


def core_commands(app: "PantoApp") -> list[Command]:
    """The commands that the program itself has."""
    modes, levels = get_args(Mode), get_args(Thinking)

    async def show_help(_arguments: str) -> str:
        offers = app.program.offers if app.program else Offers()
        bindings = [active for active in app.active_bindings.values() if active.node is not app.transcript]
        walking = [binding for binding in app.transcript.BINDINGS if isinstance(binding, Binding)]
        return help_text(bindings, offers.commands.all(), offers.keys.all(), walking)

    async def set_model(name: str) -> str | None:
        from panto.tui.model_picker import choose_model  # noqa: PLC0415 - only who opens the screen pays for it

        return None if app.program is None else await choose_model(app, app.program, name)

    async def set_thinking(level: str) -> str | None:
        wanted = next((known for known in levels if known == level), None)
        if app.program is None or wanted is None:
            now = app.program.models.thinking if app.program else None
            return f"The model thinks {f'at the level {now}' if now else 'as it does by itself'}; {', '.join(levels)}."
        app.program.models.choose_thinking(wanted)
        app.header.thinking = wanted
        return app.program.models.thinking_notice() or None

    async def cost(_arguments: str) -> str:
        session = app.program.session if app.program else None
        return usage_table(session.conversation.messages if session else [])

    async def set_mode(name: str) -> str | None:
        mode = next((mode for mode in modes if mode == name), None)
        if app.program is None or mode is None:
            return f"Modes: {', '.join(modes)}. Shift+Tab takes the next."
        await app.program.set_mode(mode)
        return None

    async def demo(_arguments: str) -> str | None:
        return await set_model(DEMO)

    async def new(_arguments: str) -> CommandResult:
        return CommandResult(step="new_session")

    async def reload(_arguments: str) -> CommandResult:
        return CommandResult(step="reload")

    async def extensions(_arguments: str) -> None:
        from panto.tui.extensions import manage_extensions  # noqa: PLC0415 - only who opens the screen pays for it

        if app.program is not None:
            await manage_extensions(app, app.program)

    async def settings(words: str) -> CommandResult | None:
        from panto.tui.settings import change_settings  # noqa: PLC0415 - only who changes some pays for it

        return None if app.program is None else await change_settings(app, app.program, words)

    async def theme(name: str) -> None:
        from panto.tui.theme_picker import choose_theme  # noqa: PLC0415 - only who picks one pays for it

        if app.program is not None:
            await choose_theme(app, app.program, name)

    async def leave(_arguments: str) -> CommandResult:
        return CommandResult(step="quit")

    return [
        Command("help", "keys and commands", show_help, aliases=("keys", "?")),
        Command("model", "pick the model that answers, or name it", set_model, hint="[name]", aliases=("models",)),
        Command("mode", "change what may happen without asking", set_mode, hint="plan | ask | build"),
        Command("theme", "pick the colours of the screen", theme, hint="[name]", aliases=("themes",)),
        Command("thinking", "say or change how much the model thinks", set_thinking, hint="off | low | medium | high"),
        Command("cost", "what this session has used, by model", cost, aliases=("usage",)),
        Command("demo", "talk to the built-in demo model", demo),
        Command("new", "begin a new session; this one can be resumed", new, aliases=("clear",)),
        Command("reload", "read config, extensions, rules and skills again", reload),
        Command("extensions", "see what each extension does and costs; switch it on or off", extensions),
        Command("config", "change settings, and see what each is for", settings, hint="[name]", aliases=("settings",)),
        Command("quit", "leave", leave, aliases=("exit", "q")),
    ]
