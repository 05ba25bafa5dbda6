"""The caret steps over whole characters."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.caret import after, before

FAMILY, FLAG, ACCENT = "👩\u200d💻", "🇫🇷", "e\u0301"


@pytest.mark.parametrize("cluster", ["a", "漢", FAMILY, FLAG, ACCENT, "⚙\ufe0f", "👍🏽"])
def test_a_step_is_a_whole_character(cluster: str) -> None:
    line = f"a{cluster}b"
    assert after(line, 1) == 1 + len(cluster)
    assert before(line, 1 + len(cluster)) == 1


def test_the_ends_of_a_line_are_the_last_steps() -> None:
    assert (before("ab", 0), after("ab", 2), before("", 0), after("", 0)) == (0, 2, 0, 0)


@given(st.lists(st.sampled_from(["a", " ", "漢", FAMILY, FLAG, ACCENT, "\x1b", "\u202e", "\t", "\u200d"])).map("".join))
def test_steps_lead_through_the_line_and_back(line: str) -> None:
    column, edges = 0, [0]
    while column < len(line):
        column = after(line, column)
        edges.append(column)
    assert edges == sorted(set(edges))
    assert edges[-1] == len(line)
    while column:
        assert before(line, column) < column
        column = before(line, column)


def test_a_line_of_any_length_takes_steps_of_one_character() -> None:
    line = "word " * 50_000
    assert (before(line, 125_000), after(line, 125_000)) == (124_999, 125_001)
