"""Tool calls, from waiting to done."""

import pytest

from panto.tui.transcript import ToolEntry
from panto.tui.transcript.tool_entry import State
from tests.tui.transcript.rendering import DARK, block_rows, entry_texts, widest

DIFF = """--- a/f.py
+++ b/f.py
@@ -39,4 +39,4 @@
 def total(items):
-\tfor item in items[:-1]:
+\tfor item in items:
     total += 1
@@ -100,1 +100,2 @@
 end
+more
\\ No newline at end of file
"""


def finished(state: State = "done", output: str = "", **more: object) -> ToolEntry:
    """A call that is over."""
    entry = ToolEntry("std.shell", "make all", quiet=bool(more.pop("quiet", False)))
    entry.finish(state, output, **more)  # pyright: ignore[reportArgumentType] - handed on
    return entry


@pytest.mark.parametrize(
    ("state", "head", "role"),
    [
        ("waiting", "◌ shell   make all  waiting for approval", "warning"),
        ("running", "◌ shell   make all", "accent"),
        ("done", "● shell   make all", "success"),
        ("failed", "✗ shell   make all", "error"),
        ("stopped", "○ shell   make all  stopped", "muted"),
    ],
)
def test_the_mark_tells_the_state(state: State, head: str, role: str) -> None:
    entry = ToolEntry("std.shell", "make all")
    entry.update(state)
    assert entry_texts(entry) == [head]
    row = block_rows(entry.blocks(60), 60)[0]
    assert row is not None
    assert row.edge[0].style == DARK.style(role)
    assert entry.state == state


def test_results_follow_the_summary_and_durations_stand_at_the_edge() -> None:
    assert entry_texts(finished(result="7 matches", seconds=0.5), 40) == ["● shell   make all  7 matches"]
    assert entry_texts(finished(result="7 matches", seconds=75), 40) == ["● shell   make all  7 matches"]
    assert entry_texts(finished(result="7 matches", seconds=75), 50) == [
        "● shell   make all  7 matches" + " " * 11 + "1 min 15 s"
    ]
    assert entry_texts(finished(seconds=3), 40) == ["● shell   make all" + " " * 19 + "3 s"]


def test_a_running_call_shows_how_long_and_the_end_of_its_output() -> None:
    entry = ToolEntry("std.shell", "make all")
    entry.update("running")
    for number in range(2000):
        entry.progress(f"line {number} of a running command\n")
    entry.elapsed(3.4)
    assert entry_texts(entry, 40) == [
        "◌ shell   make all" + " " * 19 + "3 s",
        *(f"  line {number} of a running command" for number in range(1996, 2000)),
    ]


def test_a_tick_that_changes_nothing_on_the_screen_paints_nothing() -> None:
    told: list[bool] = []
    entry = ToolEntry("std.shell")
    entry.on_change = lambda changed, news: told.append(news)
    entry.elapsed(3.1)
    entry.elapsed(3.2)
    assert told == [False]


def test_long_output_is_folded_to_its_beginning_and_its_end() -> None:
    entry = finished(output="".join(f"line {number}\n" for number in range(10_000)))
    assert entry_texts(entry)[1:] == ["  line 0", "  line 1", "  … 9996 more lines", "  line 9998", "  line 9999"]
    entry.set_folded(False)
    assert entry_texts(entry)[1:] == [f"  line {number}" for number in range(10_000)]


def test_output_of_a_few_lines_is_shown_whole() -> None:
    assert entry_texts(finished(output="a\nb\nc\nd\ne\n"))[1:] == ["  a", "  b", "  c", "  d", "  e"]


def test_one_endless_line_is_folded_too() -> None:
    shown = entry_texts(finished(output="x" * 100_000), 40)
    assert len(shown) == 6
    assert shown[3] == "  …"


def test_output_is_shown_as_it_is_but_for_what_a_terminal_would_obey() -> None:
    assert entry_texts(finished(output="\x1b[31mred\x1b[0m\ta\n  [/red]\r\n"))[1:] == [
        "  ␛[31mred␛[0m    a",
        "    [/red]",
    ]


def test_a_quiet_tool_shows_output_only_unfolded_or_when_it_failed() -> None:
    entry = finished(output="content", quiet=True)
    assert entry_texts(entry) == ["● shell   make all"]
    assert entry.foldable
    entry.set_folded(False)
    assert entry_texts(entry) == ["● shell   make all", "  content"]
    assert entry_texts(finished("failed", "no such file", quiet=True)) == ["✗ shell   make all", "  no such file"]


def test_notes_stand_below_the_tools_own_output() -> None:
    entry = finished(output="out", notes=["+ rules: src/AGENTS.md", "+ rules: \x1b"])
    assert entry_texts(entry)[1:] == ["  out", "  + rules: src/AGENTS.md", "  + rules: ␛"]


def test_a_diff_has_numbers_and_colours() -> None:
    entry = finished(output="edited", diff=DIFF)
    assert entry_texts(entry)[1:] == [
        "   39   def total(items):",
        "   40 -     for item in items[:-1]:",
        "   40 +     for item in items:",
        "   41       total += 1",
        "        ⋯",
        "  100   end",
        "  101 + more",
        "        No newline at end of file",
    ]
    rows = [row for row in block_rows(entry.blocks(60), 60) if row]
    assert rows[2].edge[-1].style == DARK.style("removed", on="removed-ground")
    assert rows[3].edge[-1].style == DARK.style("added", on="added-ground")
    assert rows[1].edge[-1].style == DARK.style("muted")


def test_tabs_in_a_diff_keep_its_columns() -> None:
    diff = "@@ -1,2 +1,2 @@\n \tif x:\n-\t\tvalue\t= 1\n+\t\tvalue\t= 2"
    same, removed, added = entry_texts(finished(diff=diff))[1:]
    assert same.index("if") == removed.index("value") - 4
    assert removed.replace("-", "+").replace("= 1", "= 2") == added


def test_a_long_diff_is_folded() -> None:
    diff = "@@ -1,0 +1,500 @@\n" + "\n".join(f"+line {number}" for number in range(500))
    entry = finished(diff=diff)
    shown = entry_texts(entry)
    assert len(shown) == 14
    assert shown[-1] == "  … 488 more lines"
    entry.set_folded(False)
    assert len(entry_texts(entry)) == 501


def test_a_long_summary_is_cut_and_shown_whole_when_unfolded() -> None:
    entry = ToolEntry("std.shell", "echo " + "word " * 20 + "\nsecond")
    entry.finish("done", "x")
    (head, _) = entry_texts(entry, 40)
    assert head.endswith("…")
    entry.set_folded(False)
    assert entry_texts(entry, 40)[:3] == [
        "● shell   echo word word word word word",
        "          word word word word word word",
        "          word word word word word word",
    ]


def test_beside_a_summary_of_several_rows_how_it_went_stands_on_the_last_or_below() -> None:
    for words, last in ((8, "          word word  exit code 1"), (12, "          exit code 1")):
        entry = ToolEntry("std.shell", " ".join(["word"] * words))
        entry.finish("failed", "", result="exit code 1")
        entry.set_folded(False)
        assert entry_texts(entry, 40)[0] == "✗ shell   " + " ".join(["word"] * 6)
        assert entry_texts(entry, 40)[-1] == last


@pytest.mark.parametrize("width", range(4, 40))
def test_nothing_is_too_wide_at_any_width(width: int) -> None:
    entry = ToolEntry("mcp.github.search_everything", "漢字漢字漢字 " * 9)
    entry.finish("failed", "👩‍💻" * 30, result="7 matches in 3 files", diff="", notes=["+ n"], seconds=99)
    assert widest(block_rows(entry.blocks(width), width)) <= width
    entry.set_folded(False)
    assert widest(block_rows(entry.blocks(width), width)) <= width
    assert widest(block_rows(finished(diff=DIFF).blocks(width), width)) <= width
    assert "search" in "".join(entry_texts(entry, 40))


def test_a_call_can_be_copied() -> None:
    entry = finished(output="out\n")
    assert entry.source == "std.shell make all\nout\n"
