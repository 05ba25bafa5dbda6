"""The lines below a screen of its own: what came of a key, and what the keys do."""

from collections.abc import Iterable, Sequence

from textual.binding import ActiveBinding, Binding, BindingType
from textual.content import Content

from panto.events import Notification
from panto.tui.help import key_name
from panto.tui.safe_text import cell_width, safe_text

_ARROWS = {"up": "↑", "down": "↓"}
_COLOURS = {"info": "$muted", "warning": "$warning", "error": "$error"}


def told_lines(told: Notification) -> Content:
    """What came of a switch, and what to do about it."""
    lines = Content.styled(safe_text(told.text), _COLOURS[told.severity])
    return lines if not told.hint else Content.assemble(lines, ("\n" + safe_text(told.hint), "$muted"))


def keys_line(bindings: Iterable[ActiveBinding], width: int) -> Content:
    """What the keys do now, as far as there is room."""
    keys: dict[str, list[str]] = {}
    for active in bindings:
        if active.binding.show:
            keys.setdefault(active.binding.description, []).append(_key(active.binding.key))
    hints = [(_together(names), what) for what, names in keys.items()]
    needed = sum(cell_width(f"{pressed} {what}") for pressed, what in hints)
    gap = "   " if needed + 3 * (len(hints) - 1) <= width else "  "
    line = Content()
    for pressed, what in hints:
        more = Content.assemble(gap if line else "", pressed, (f" {what}", "$muted"))
        if line.cell_length + more.cell_length > width:
            break
        line = Content.assemble(line, more)
    return line


def _key(key: str) -> str:
    *modifiers, last = key.split("+")
    letter = last.upper() if modifiers else last
    name = _ARROWS.get(last) or (letter if len(last) == 1 else key_name(last))
    return "+".join([*map(key_name, modifiers), name])


def _together(names: Sequence[str]) -> str:
    """Keys that do one thing: ``Ctrl+↑↓`` for two arrows."""
    stem = names[0][:-1]
    if all(name[:-1] == stem and name[-1] in _ARROWS.values() for name in names):
        return stem + "".join(name[-1] for name in names)
    return "/".join(names)


def keys_of(bindings: Sequence[BindingType]) -> list[str]:
    """The keys of some bindings, in the order in which they are named."""
    return [key for binding in bindings if isinstance(binding, Binding) for key in binding.key.split(",")]
