"""Diffs: read without trust, shown one below another or side by side, in colours, never too wide."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.contrast import READABLE, contrast, rgb_of
from panto.tui.palette import Palette, built_in_palettes
from panto.tui.transcript.diff import SIDE_BY_SIDE, diff_blocks
from panto.tui.transcript.diff_lines import Change, changes
from panto.tui.transcript.rows import Row, text_of
from tests.tui.transcript.rendering import DARK, widest

DIFF = """--- a/src/cart.py
+++ b/src/cart.py
@@ -40,4 +40,5 @@ def total(items):
 def total(items):
-    for item in items[:-1]:
-        pass
+    for item in items:
+        value = item.price  # all
+        total += value
     return total
"""
TWO_FILES = (
    DIFF
    + """--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
--- not a header
-x
"""
)


def rows(diff: str, width: int, palette: Palette = DARK) -> list[Row]:
    """All rows of a diff."""
    return [row for block in diff_blocks(diff) for row in block.rows(width, palette)]


def shown(row: Row) -> str:
    """A row as it is seen, blanks at its end left out."""
    return "".join(span.text for part in (row.edge, row.spans) for span in part).rstrip()


def test_lines_are_numbered_as_in_their_files_and_headers_are_told_from_content() -> None:
    found = list(changes(TWO_FILES))
    assert [change.text for change in found if change.kind == "file"] == ["src/cart.py", "gone.txt"]
    assert found[2] == Change("removed", 41, "    for item in items[:-1]:")
    assert found[4] == Change("added", 41, "    for item in items:")
    assert found[-2:] == [Change("removed", 1, "-- not a header"), Change("removed", 2, "x")]


def test_a_file_is_named_only_among_several() -> None:
    assert "src/cart.py" not in "\n".join(map(shown, rows(DIFF, 80)))
    assert [shown(row).strip() for row in rows(TWO_FILES, 80) if row.is_drawn] == ["src/cart.py", "gone.txt"]


def test_where_there_is_room_the_sides_stand_beside_each_other() -> None:
    beside = [shown(row) for row in rows(DIFF, SIDE_BY_SIDE)]
    assert len(beside) == 5
    left, right = beside[1].split(" │ ")
    assert left.split() == ["41", "-", "for", "item", "in", "items[:-1]:"]
    assert right.split() == ["41", "+", "for", "item", "in", "items:"]
    left, right = beside[3].split(" │ ")
    assert not left.strip()
    assert right.split()[:2] == ["43", "+"]
    assert {row.index("│") for row in beside} == {beside[0].index("│")}
    assert len(rows(DIFF, SIDE_BY_SIDE - 1)) == 7


@pytest.mark.parametrize("width", [60, SIDE_BY_SIDE, 160])
def test_copying_gives_code_without_numbers_and_signs(width: int) -> None:
    text = text_of(rows(DIFF, width))
    assert "    for item in items:\n        value = item.price  # all\n        total += value\n    return total" in text
    assert "│" not in text
    assert "41" not in text


def test_code_has_the_colours_of_its_language_on_tinted_ground() -> None:
    [row] = [row for row in rows(DIFF, 80) if "# all" in row.text]
    roles = {span.text.strip(): span.style for span in row.spans if span.style}
    assert roles["# all"].color == DARK.style("comment").color
    assert {style.bgcolor for style in roles.values()} == {DARK.style("comment", on="added-ground").bgcolor}
    assert any(span.style and span.style.underline for row in rows(DIFF, 80) for span in row.spans)


@pytest.mark.parametrize("palette", built_in_palettes().values(), ids=lambda palette: palette.name)
def test_every_text_can_be_read_on_the_tints(palette: Palette) -> None:
    for ground in palette.grounds.values():
        ratios = [contrast(rgb_of(color), rgb_of(ground)) for role, color in palette.colors.items()
                  if role not in ("background", "surface", "chosen", "border")]  # fmt: skip
        assert min(ratios) >= READABLE


LINES = st.text(st.sampled_from("+-@\\ ab#\t日\u0301\x1b\r\"'/,0123"), max_size=60)


@given(
    st.lists(LINES | st.sampled_from(["@@ -1,3 +1,4 @@", "--- a/x.py", "+++ b/x.py", "@@ -9 +9 @@", ""]), max_size=30)
)
def test_anything_is_a_diff_of_some_kind_and_never_too_wide(lines: list[str]) -> None:
    diff = "\n".join(lines)
    for width in (4, 30, SIDE_BY_SIDE, SIDE_BY_SIDE + 7):
        found = rows(diff, width)
        assert widest(found) <= width
        assert "\x1b" not in "".join(map(shown, found))


def test_a_huge_diff_is_rendered_in_pieces() -> None:
    lines = "\n".join(f"-old {n}\n+new {n}" for n in range(5_000))
    blocks = diff_blocks(f"@@ -1,5000 +1,5000 @@\n{lines}")
    assert len(blocks) == 100
    assert [shown(row).split()[-2:] for row in blocks[-1].rows(60, DARK)][-1] == ["new", "4999"]
