"""The help page: keys as they are bound now, and the commands there are now."""

from collections.abc import Iterable

from textual.binding import ActiveBinding

from panto.offers import Command

_KEYS = {"escape": "Esc", "enter": "Enter", "pageup": "PageUp", "pagedown": "PageDown"}


def key_name(key: str) -> str:
    """A key as people write it: ``ctrl+o`` is ``Ctrl+O``."""
    return "+".join(_KEYS.get(part, part.capitalize()) for part in key.split("+"))


def help_text(bindings: Iterable[ActiveBinding], commands: Iterable[Command]) -> str:
    """Keys and commands as Markdown."""
    keys: dict[str, list[str]] = {}
    for active in bindings:
        if active.binding.show and active.binding.description and not active.binding.key.strip().endswith("+"):
            keys.setdefault(active.binding.description, []).append(f"`{key_name(active.binding.key)}`")
    key_lines = [f"- {', '.join(names)}: {what}" for what, names in keys.items()]
    command_lines = [
        f"- `/{command.name}{' ' + command.hint if command.hint else ''}`: {command.description}"
        for command in commands
    ]
    return "\n".join(("**Keys**", "", *key_lines, "", "**Commands**", "", *command_lines))
