"""What changed in a line is marked by whole words, at a cost that the lines cannot drive up."""

from hypothesis import given, strategies as st

from panto.tui.safe_text import clusters, safe_line
from panto.tui.transcript.block import Block
from panto.tui.transcript.diff import diff_blocks
from panto.tui.transcript.diff_lines import Change, counterparts
from panto.tui.transcript.rows import Row, text_of
from panto.tui.transcript.word_changes import LONGEST_LINE, word_changes
from tests.tui.transcript.rendering import DARK, widest

LINES = st.text(st.sampled_from("ab_ (=).é日👩\u200d💻\u0301🇫🇷\t"), max_size=40).map(safe_line)
DIFF = "@@ -1,2 +1,2 @@\n def f():\n-\treturn old + 1\n+\treturn new + 1"


def underlined(row: Row) -> str:
    """The marked words of a row."""
    return " ".join(span.text for span in row.spans if span.style is not None and span.style.underline)


def rendered(diff: str, width: int = 60) -> list[Row]:
    """The rows of a diff."""
    blocks: list[Block] = diff_blocks(diff)
    return [row for block in blocks for row in block.rows(width, DARK)]


def test_the_words_that_changed_are_told_from_the_others() -> None:
    assert word_changes("total = old + 1", "total = new + 1") == [("total = ", False), ("old", True), (" + 1", False)]


def test_lines_that_are_hardly_alike_have_no_marks() -> None:
    assert word_changes("import os", "return 1 + 2") == [("import os", False)]


def test_a_line_too_long_to_compare_has_no_marks() -> None:
    line = "a " * LONGEST_LINE
    assert word_changes(line + "b", line + "c") == [(line + "b", False)]


@given(LINES, LINES)
def test_the_parts_are_the_line_and_no_cluster_is_parted(line: str, other: str) -> None:
    parts = word_changes(line, other)
    assert "".join(text for text, _ in parts) == line
    assert [c for text, _ in parts for c in clusters(text)] == list(clusters(line))


def test_removed_and_added_lines_belong_together_in_their_order() -> None:
    kinds = ("removed", "removed", "added", "same", "added")
    lines = [Change(kind, 1, f"line {number}") for number, kind in enumerate(kinds)]
    assert counterparts(lines) == ["line 2", "", "line 0", "", ""]


def test_changed_words_are_underlined_and_the_text_is_what_was_written() -> None:
    rows = rendered(DIFF)
    assert [underlined(row) for row in rows] == ["", "old", "new"]
    assert text_of(rows) == "def f():\n    return old + 1\n    return new + 1"


def test_lines_in_different_blocks_belong_together_all_the_same() -> None:
    diff = "\n".join(
        ["@@ -1,80 +1,80 @@", *(f"-row {n} is old" for n in range(80)), *(f"+row {n} is new" for n in range(80))]
    )
    assert [underlined(row) for row in rendered(diff)] == ["old"] * 80 + ["new"] * 80


@given(LINES, LINES, st.integers(12, 90))
def test_no_row_is_too_wide(old: str, new: str, width: int) -> None:
    assert widest(rendered(f"@@ -1 +1 @@\n-{old}\n+{new}", width)) <= width
