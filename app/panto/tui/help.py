"""The help page: keys as they are bound now, and the commands there are now."""

from collections.abc import Iterable, Mapping

from textual.binding import ActiveBinding, Binding

from panto.markdown import code_span, plain
from panto.offers import Command, Key

_KEYS = {"escape": "Esc", "enter": "Enter", "pageup": "PageUp", "pagedown": "PageDown", "slash": "/"}
TO_CHAT = "alt+2"
"""The key that leads to what was said."""
_NESTED = ":"
"""What stands in the names of commands of which there may be hundreds: skills, files of prompts."""


def key_name(key: str) -> str:
    """A key as people write it: ``ctrl+o`` is ``Ctrl+O``, and ``g`` is another than ``G``."""
    if len(key) == 1:
        return key
    return "+".join(_KEYS.get(part, part.capitalize()) for part in key.split("+"))


def help_text(
    bindings: Iterable[ActiveBinding],
    commands: Iterable[Command],
    keys: Iterable[Key] = (),
    walking: Iterable[Binding] = (),
) -> str:
    """Keys and commands as Markdown. ``keys`` are those of extensions, ``walking`` those for reading back."""
    names: dict[str, list[str]] = {}
    for active in bindings:
        if active.binding.show and active.binding.description and not active.binding.key.strip().endswith("+"):
            names.setdefault(active.binding.description, []).append(active.binding.key)
    for key in keys:
        names.setdefault(plain(key.description), []).append(key.key)
    lines = ["**Keys**", "", *_key_lines(names)]
    there: dict[str, list[str]] = {}
    for binding in walking:
        there.setdefault(binding.description, []).extend(binding.key.split(","))
    if there:
        lines += ["", f"**Keys in what was said, where {key_name(TO_CHAT)} leads**", "", *_key_lines(there)]
    return "\n".join((*lines, "", "**Commands**", "", *_command_lines(commands)))


def _key_lines(names: Mapping[str, Iterable[str]]) -> list[str]:
    return [f"- {', '.join(f'`{key_name(key)}`' for key in keys)}: {what}" for what, keys in names.items()]


def _command_lines(commands: Iterable[Command]) -> list[str]:
    """One line a command, and one for all the nested ones."""
    lines: list[str] = []
    nested = 0
    for command in commands:
        if _NESTED in command.name:
            nested += 1
        else:
            name = code_span(_line(f"/{command.name} {command.hint}"))
            lines.append(f"- {name}: {plain(command.description)}")
    if nested:
        lines.append(
            f"- and {nested} more with `{_NESTED}` in the name: type `/` to find {'them' if nested > 1 else 'it'}"
        )
    return lines


def _line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())
