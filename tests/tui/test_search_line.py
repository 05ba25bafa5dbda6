"""What is pasted into a line to search by is one line, and nothing that a terminal would obey."""

import pytest
from textual import events
from textual.app import App, ComposeResult

from panto.tui.search_line import SearchLine


class Desk(App[None]):
    """A line alone."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield SearchLine("ab")


@pytest.mark.parametrize(
    ("pasted", "value"),
    [
        ("c d", "abc d"),
        ("\nfirst\nsecond", "abfirst"),
        ("one\r\ntwo", "abone"),
        ("\x1b[31mred\x9b2J\u202e\x07", "ab[31mred2J"),
        ("", "ab"),
    ],
)
async def test_a_paste_is_one_safe_line(pasted: str, value: str) -> None:
    app = Desk()
    async with app.run_test() as pilot:
        line = app.query_one(SearchLine)
        line.action_end()
        line.post_message(events.Paste(pasted))
        await pilot.pause()
        assert line.value == value
