"""The rows of the list: a mark, the id, the layer and the state of each extension."""

from collections.abc import Sequence

from textual.content import Content

from panto.loader import Facts, State
from panto.tui.safe_text import cell_width, safe_line, truncate

MARKS: dict[State, tuple[str, str]] = {
    "on": ("●", "$success"),
    "broken": ("✗", "$error"),
    "untrusted": ("◌", "$warning"),
    "denied": ("○", "$muted"),
    "off": ("○", "$muted"),
}
"""How each state is marked, and its colour."""

_LAYER = len("built-in")
_STATE = len("untrusted")
_MARK = len("▌● ")
_GAP = 2
_LONGEST_ID = 32


def list_width(found: Sequence[Facts]) -> int:
    """How many columns the rows take where there is room."""
    longest = max((cell_width(safe_line(one.id)) for one in found), default=0)
    return _MARK + min(longest, _LONGEST_ID) + _GAP + _LAYER + _GAP + _STATE


def row(found: Facts, width: int, chosen: bool) -> Content:
    """One extension on one row of exactly that width. Where it is narrow the layer goes first."""
    mark, colour = MARKS[found.state]
    room = width - _MARK - _GAP - _STATE
    layer = room - _GAP - _LAYER >= _LAYER
    id_width = max(1, room - _GAP - _LAYER if layer else room)
    id_colour = "" if found.state == "on" else colour
    state = "" if found.state == "on" else found.state
    return Content.assemble(
        ("▌" if chosen else " ", "$accent"),
        (f"{mark} ", colour),
        (_padded(found.id, id_width), " ".join(part for part in (id_colour, "bold" if chosen else "") if part)),
        (f"{' ' * _GAP}{found.layer:<{_LAYER}}" if layer else "", "$muted"),
        (f"{' ' * _GAP}{state:<{_STATE}}", colour),
    )


def counts(found: Sequence[Facts]) -> str:
    """How many there are of each state: ``9 on, 1 broken``."""
    numbers = {state: sum(one.state == state for one in found) for state in MARKS}
    return ", ".join(f"{number} {state}" for state, number in numbers.items() if number)


def _padded(text: str, width: int) -> str:
    shown = truncate(safe_line(text), width)
    return shown + " " * (width - cell_width(shown))
