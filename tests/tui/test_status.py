"""The line at the bottom: figures from the provider's counts, unknown ones as a question mark."""

from dataclasses import replace

import pytest
from textual.app import App, ComposeResult

from panto.messages import Usage
from panto.tui.status import StatusLine
from panto.tui.usage import Totals, short_count


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [(None, "?"), (0, "0"), (999, "999"), (1_000, "1.0k"), (12_449, "12.4k"), (999_949, "999.9k"), (1_300_000, "1.3M")],
)
def test_counts_are_short(tokens: int | None, shown: str) -> None:
    assert short_count(tokens) == shown


def test_totals_add_up_and_the_window_is_the_last_answers() -> None:
    totals = Totals().plus(Usage(input=100, output=10, cached=50)).plus(Usage(input=200, output=20))
    assert totals == Totals(sent=300, cached=50, received=30, in_window=220, answers=2, unpriced=2)


def test_an_answer_without_counts_changes_nothing_and_is_not_zero() -> None:
    assert Totals().plus(Usage()) == Totals(answers=1, unpriced=1)
    known = Totals().plus(Usage(input=5, output=1, cost=0.5))
    assert known.plus(Usage()) == replace(known, answers=2, unpriced=1)


class _Bar(App[None]):
    def compose(self) -> ComposeResult:
        yield StatusLine()


async def _shown(width: int, totals: Totals, window: int | None = None, queued: int = 0) -> str:
    app = _Bar()
    async with app.run_test(size=(width, 3)):
        bar = app.query_one(StatusLine)
        bar.totals, bar.window, bar.queued = totals, window, queued
        return bar.render().plain


async def test_all_parts_are_shown_where_there_is_room() -> None:
    totals = Totals(sent=12_400, cached=9_800, received=1_100, in_window=62_000)
    assert await _shown(100, totals, 200_000, queued=1) == (
        "1 queued   context ▰▰▰▱▱▱▱▱▱▱ 31%   12.4k in   1.1k out   79% cached"
    )


async def test_parts_are_dropped_from_the_right() -> None:
    totals = Totals(sent=12_400, cached=9_800, received=1_100, in_window=62_000)
    assert await _shown(40, totals, 200_000) == "context ▰▰▰▱▱▱▱▱▱▱ 31%   12.4k in"
    assert await _shown(5, totals, 200_000) == ""


async def test_an_unknown_window_is_a_question_mark() -> None:
    assert await _shown(60, Totals(sent=10, received=1, in_window=11)) == "context ▱▱▱▱▱▱▱▱▱▱ ?   10 in   1 out"
