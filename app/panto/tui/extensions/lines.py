"""The lines above and below the list: the title, which file is written, and what the keys do."""

from collections.abc import Iterable, Mapping, Sequence

from textual.binding import ActiveBinding
from textual.content import Content

from panto.events import Notification
from panto.loader import Target
from panto.tui.help import key_name
from panto.tui.safe_text import cell_width, safe_line, safe_text

_ARROWS = {"up": "↑", "down": "↓"}
_COLOURS = {"info": "$muted", "warning": "$warning", "error": "$error"}


def title_line(counted: str, width: int) -> Content:
    """What this is, and how many there are."""
    return Content.assemble(("Extensions", "bold"), (f"  {counted}", "$muted")).truncate(width, ellipsis=True)


def target_line(files: Mapping[Target, str], chosen: Target, width: int) -> Content:
    """Which of the config files a switch is written to. Where it is narrow, the other one is only named."""
    line = Content()
    for lead, other_has_file in (("written to  ", True), ("written to  ", False), ("", False)):
        parts = [_target(name, file, name == chosen, other_has_file) for name, file in files.items()]
        line = Content.assemble((lead, "$muted"), Content("   ").join(parts))
        if line.cell_length <= width:
            break
    return line.truncate(width, ellipsis=True)


def _target(name: Target, file: str, chosen: bool, with_file: bool) -> Content:
    if chosen:
        return Content.assemble(("● ", "$accent"), (name, "bold"), f"  {safe_line(file)}")
    return Content.styled(f"○ {name}" + (f"  {safe_line(file)}" if with_file else ""), "$muted")


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
    name = _ARROWS.get(last) or (last if len(last) == 1 else key_name(last))
    return "+".join([*map(key_name, modifiers), name])


def _together(names: Sequence[str]) -> str:
    """Keys that do one thing: ``Ctrl+↑↓`` for two arrows."""
    stem = names[0][:-1]
    if all(name[:-1] == stem and name[-1] in _ARROWS.values() for name in names):
        return stem + "".join(name[-1] for name in names)
    return "/".join(names)
