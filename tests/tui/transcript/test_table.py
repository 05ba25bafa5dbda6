"""Tables: aligned by cells, never wider than the screen."""

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from panto.tui.transcript.table import fitted
from tests.tui.transcript.rendering import markdown_rows, markdown_texts, shown, widest

cells = st.one_of(
    st.text("ab `*\\", max_size=12), st.sampled_from(["漢字", "👩‍💻", "🇫🇷 flag", "a<br>b", "⚙️", "é", "word " * 9])
)
tables = st.integers(1, 6).flatmap(
    lambda columns: st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=1, max_size=6)
)


def source_of(rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join((lines[0], "|" + "---|" * len(rows[0]), *lines[1:]))


def bars(line: str) -> list[int]:
    """The columns of the screen in which bars stand."""
    return [cell_len(line[:place]) for place, character in enumerate(line) if character in "│┼"]


def test_columns_are_aligned() -> None:
    assert markdown_texts("| l | c | r |\n|:--|:-:|--:|\n| left | mid | 1 |\n| x | y | 1000 |") == [
        "l    │  c  │    r",
        "─────┼─────┼─────",
        "left │ mid │    1",
        "x    │  y  │ 1000",
    ]


def test_wide_characters_take_their_columns() -> None:
    assert markdown_texts("| 名前 | x |\n|---|---|\n| 👩‍💻🇫🇷 | a |\n| abc | b |") == [
        "名前 │ x",
        "─────┼──",
        "👩‍💻🇫🇷 │ a",
        "abc  │ b",
    ]


def test_cells_wrap_where_the_screen_is_narrow() -> None:
    assert markdown_texts("| n | what |\n|---|---|\n| 1 | one two three |", 14) == [
        "n │ what",
        "──┼───────────",
        "1 │ one two",
        "  │ three",
    ]


def test_breaks_escapes_and_markup_in_cells() -> None:
    assert markdown_texts("| a | b |\n|---|---|\n| x<br>y | `c\\|d` |\n| **e** | [/red] |\n| only |") == [
        "a    │ b",
        "─────┼───────",
        "x    │ c|d",
        "y    │",
        "e    │ [/red]",
        "only │",
    ]


def test_without_room_for_columns_cells_stand_one_below_another() -> None:
    assert markdown_texts("|a|b|`c`|d|\n|-|-|-|-|\n|one|two|three|four|\n|x|", 9) == [
        "• a: one",
        "  b: two",
        "  c:",
        "  three",
        "  d: four",
        "• a: x",
        "  b:",
        "  c:",
        "  d:",
    ]


@given(tables, st.integers(10, 70))
def test_no_table_is_too_wide_and_its_bars_stand_in_line(rows: list[list[str]], width: int) -> None:
    drawn = [row for row in markdown_rows(source_of(rows), width) if row is not None]
    assert widest(drawn) <= width
    places = [bars(shown(row)) for row in drawn]
    if any("┼" in shown(row) for row in drawn):
        full = max(places, key=len)
        assert all(place == full[: len(place)] for place in places)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8), st.integers(1, 100))
def test_columns_fit_and_narrow_ones_keep_their_width(wanted: list[int], room: int) -> None:
    widths = fitted(wanted, room)
    if widths is None:
        assert sum(min(max(1, want), 3) for want in wanted) + 3 * (len(wanted) - 1) > room
        return
    assert sum(widths) + 3 * (len(widths) - 1) <= room
    assert all(1 <= width <= max(1, want) for width, want in zip(widths, wanted, strict=True))
    cut = [width for width, want in zip(widths, wanted, strict=True) if width < want]
    kept = [width for width, want in zip(widths, wanted, strict=True) if width == want]
    assert not cut or not kept or max(kept) <= max(cut) + 1


@pytest.mark.parametrize("width", [10, 20, 60])
def test_a_table_in_a_list_or_a_quote_fits_too(width: int) -> None:
    table = "| name | value |\n{0}|---|---|\n{0}| " + "x" * 30 + " | y |"
    assert widest(markdown_rows("- " + table.format("  "), width)) <= width
    assert widest(markdown_rows("> " + table.format("> "), width)) <= width
