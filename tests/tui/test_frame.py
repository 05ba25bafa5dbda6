"""Hints in the bottom line of a frame: at the right, as many as there is room for."""

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.frame import with_hints


@pytest.mark.parametrize(
    ("frame", "shown"),
    [
        ("╰─ build ────────────────────────────────────────╯", "╰─ build ───────────── / command   Ctrl+B panel ─╯"),
        ("╰─ build ─────────────────────────────╯", "╰─ build ── / command   Ctrl+B panel ─╯"),
        ("╰─ build ────────────────────────────╯", "╰─ build ──────────────── / command ─╯"),
        ("╰─ build ──────────────╯", "╰─ build ── / command ─╯"),
        ("╰─ build ─────────────╯", "╰─ build ─────────────╯"),
        ("╰─────────────────╯", "╰───── / command ─╯"),
        ("╰──╯", "╰──╯"),
        ("", ""),
    ],
)
def test_as_many_hints_as_there_is_room_for(frame: str, shown: str) -> None:
    line = with_hints(Strip([Segment(frame)]), ("/ command", "Ctrl+B panel"), Style(color="red"))
    assert line.text == shown
    assert line.cell_length == len(frame)
