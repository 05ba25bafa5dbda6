"""Painting: no cell that differs is left out, and few others are painted."""

from hypothesis import given, strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from panto.tui.transcript.painting import changed_columns, changed_regions

STYLES = [Style(bold=True), Style(italic=True)]
rows = st.lists(st.tuples(st.sampled_from("ab "), st.sampled_from(STYLES)), min_size=8, max_size=8)


def strip(cells: list[tuple[str, Style]]) -> Strip:
    """A strip of single cells."""
    return Strip([Segment(text, style) for text, style in cells])


@given(rows, rows)
def test_just_what_lies_between_the_first_and_the_last_difference_is_painted(
    old: list[tuple[str, Style]], new: list[tuple[str, Style]]
) -> None:
    differing = [column for column in range(8) if old[column] != new[column]]
    start, end = changed_columns(strip(old), strip(new))
    if not differing:
        assert start == end
    else:
        assert (start, end) == (differing[0], differing[-1] + 1)


def test_rows_with_wide_characters_are_painted_whole() -> None:
    assert changed_columns(Strip([Segment("漢字ab")]), Strip([Segment("漢字ac")])) == (0, 6)


def test_rows_that_are_the_same_are_not_looked_at() -> None:
    same = Strip([Segment("same")])
    regions = changed_regions([same, Strip([Segment("aaaa")])], [same, Strip([Segment("aaba")])])
    assert [(region.x, region.y, region.width, region.height) for region in regions] == [(2, 1, 1, 1)]
