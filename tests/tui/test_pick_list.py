"""The list to pick from: what is chosen is in view, and stays chosen while rows come and go."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.pilot import Pilot

from panto.tui.pick_list import PickList, Row, Span

HEIGHT = 6


@dataclass(frozen=True)
class Line:
    """A row; one that begins with # can't be picked."""

    text: str

    @property
    def key(self) -> str:
        return "" if self.text.startswith("#") else self.text

    def spans(self, width: int, chosen: bool) -> Sequence[Span]:
        return [Span(">" if chosen else " ", "accent"), Span(self.text)]


def lines(*texts: str) -> list[Row]:
    return [Line(text) for text in texts]


class Alone(App[None]):
    """The list alone."""

    def compose(self) -> ComposeResult:
        picks = PickList()
        picks.styles.height = HEIGHT
        yield picks


@asynccontextmanager
async def alone() -> AsyncGenerator[tuple[PickList, Pilot[None]]]:
    app = Alone()
    async with app.run_test(size=(20, 10)) as pilot:
        yield app.query_one(PickList), pilot


def seen(picks: PickList) -> list[str]:
    """The rows in view."""
    return [picks.render_line(y).text.strip() for y in range(HEIGHT)]


async def test_what_is_chosen_at_first() -> None:
    async with alone() as (picks, _):
        picks.show(lines("# all", "a", "b"))
        assert seen(picks) == ["# all", ">a", "b", "", "", ""]
        picks.show([])
        assert picks.chosen is None
        picks.move(1)
        picks.show(lines("# nothing"))
        assert picks.chosen is None
        picks.end(True)


async def test_moving() -> None:
    async with alone() as (picks, _):
        picks.show(lines("# one", *(f"a{n}" for n in range(5)), "# two", *(f"b{n}" for n in range(5))))
        picks.move(-1)
        assert seen(picks)[:2] == ["# one", ">a0"]
        picks.move(5)
        assert seen(picks) == ["a1", "a2", "a3", "a4", "# two", ">b0"]
        picks.end(True)
        assert seen(picks)[-1] == ">b4"
        picks.page(-1)
        picks.page(-1)
        assert seen(picks)[:2] == ["# one", ">a0"]


async def test_the_same_stays_chosen_where_it_is_while_rows_come() -> None:
    async with alone() as (picks, _):
        picks.show(lines(*(f"m{n}" for n in range(10))))
        picks.move(7)
        at = seen(picks).index(">m7")
        picks.show(lines(*(f"new{n}" for n in range(20)), *(f"m{n}" for n in range(10))))
        assert seen(picks).index(">m7") == at
        picks.show(lines("x", "y"))
        assert seen(picks)[0] == ">x"
        picks.move(1)
        picks.show(lines("x", "y"), anew=True)
        assert seen(picks)[0] == ">x"


async def test_a_click_chooses_and_another_picks() -> None:
    async with alone() as (picks, pilot):
        picked: list[str] = []
        picks.on_pick = lambda: picked.append(picks.chosen.key if picks.chosen else "")
        picks.show(lines("# all", "a", "b"))
        await pilot.click(PickList, offset=(1, 0))
        await pilot.click(PickList, offset=(1, 5))
        assert (seen(picks)[1], picked) == (">a", [])
        await pilot.click(PickList, offset=(1, 2))
        assert (seen(picks)[2], picked) == (">b", [])
        await pilot.click(PickList, offset=(1, 2))
        assert picked == ["b"]


STEPS = st.one_of(
    st.tuples(st.just("show"), st.lists(st.sampled_from(["#", *"abcdefghij"]), max_size=14)),
    st.tuples(st.just("move"), st.integers(-9, 9)),
)


@pytest.mark.parametrize("height", [1, 3, HEIGHT])
async def test_what_is_chosen_is_always_in_view(height: int) -> None:
    async with alone() as (picks, pilot):
        picks.styles.height = height
        await pilot.pause()
        assert picks.content_size == Size(20, height)

        @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(STEPS, max_size=12))
        def walk(steps: list[tuple[str, list[str] | int]]) -> None:
            picks.show([])
            for _, value in steps:
                if isinstance(value, int):
                    picks.move(value)
                else:
                    picks.show(lines(*dict.fromkeys(value)))
                view = [picks.render_line(y).text.strip() for y in range(height)]
                assert sum(line.startswith(">") for line in view) == (picks.chosen is not None)

        walk()
