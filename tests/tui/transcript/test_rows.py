"""Rows: what was written is on them, and can be put together again."""

from hypothesis import given, strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from panto.tui.safe_text import safe_text
from panto.tui.transcript.rows import Row, chop, indented, text_of, wrap
from tests.tui.transcript.rendering import DARK, shown

STYLES = [Style(bold=True), Style(italic=True), Style()]
pieces = st.one_of(st.text("ab \n", max_size=12), st.sampled_from(["漢字", "👩‍💻", "word", "  "]))
spans = st.lists(
    st.tuples(pieces, st.sampled_from(STYLES)).map(lambda pair: Segment(safe_text(pair[0]), pair[1])), max_size=12
)


@given(spans, st.integers(2, 20))
def test_wrapped_and_chopped_text_can_be_put_together_again(styled: list[Segment], width: int) -> None:
    text = "".join(span.text for span in styled)
    assert text_of(chop(styled, width)) == text
    lines = [line.rstrip(" ") for line in text_of(wrap(styled, width)).split("\n")]
    assert lines == [line.rstrip(" ") for line in text.split("\n")]


@given(spans, st.integers(2, 20))
def test_every_character_keeps_its_style(styled: list[Segment], width: int) -> None:
    wanted = [(c, span.style) for span in styled for c in span.text if c not in " \n"]
    for rows in (wrap(styled, width), chop(styled, width)):
        found = [(c, span.style) for row in rows for span in row.spans for c in span.text if c != " "]
        assert found == wanted


@given(spans, st.integers(8, 40), st.integers(0, 3))
def test_a_strip_is_as_wide_as_the_screen(styled: list[Segment], width: int, margin: int) -> None:
    edge = [Segment("┃ ", DARK.base)]
    for row in indented(wrap(styled, width - 2 - 2 * margin if width > 12 else 2), edge, edge):
        strip = row.strip(margin, width, DARK)
        assert strip.cell_length == width
        assert cell_len(strip.text) == width


def test_joints_tell_line_ends_from_breaks() -> None:
    rows = wrap([Segment("one two\nthree", Style())], 4)
    assert [(row.joint, row.text) for row in rows] == [("\n", "one"), (" ", "two"), ("\n", "thre"), ("", "e")]


def test_edges_are_no_part_of_the_text() -> None:
    rows = indented(wrap([Segment("one two", Style())], 4), [Segment("• ")], [Segment("  ")])
    assert [shown(row) for row in rows] == ["• one", "  two"]
    assert text_of(rows) == "one two"
    assert [shown(row.behind([Segment("> ")])) for row in rows] == ["> • one", ">   two"]


def test_neighbours_of_one_style_are_drawn_as_one() -> None:
    row = Row([Segment("a", DARK.base), Segment("b", DARK.base)])
    assert [segment.text for segment in row.strip(2, 10, DARK)] == ["  ab      "]


def test_the_cells_behind_a_filled_row_have_its_style_but_not_the_margins() -> None:
    fill = DARK.style("foreground", on="surface")
    strip = Row([Segment("a", fill)], fill=fill).strip(2, 10, DARK)
    assert [(segment.text, segment.style) for segment in strip] == [
        ("  ", DARK.base),
        ("a     ", fill),
        ("  ", DARK.base),
    ]
