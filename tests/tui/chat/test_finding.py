"""Finding: every match, in its order, and no other; whatever is folded away, and while entries change."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.chat.finding import Count, Finding
from panto.tui.chat.places import Stretch
from panto.tui.palette import built_in_palettes
from panto.tui.transcript import AnswerEntry, Entry, ThinkingEntry, ToolEntry, UserEntry
from panto.tui.transcript.rows import text_of
from panto.tui.transcript.viewport import Viewport

PALETTE = next(iter(built_in_palettes().values()))


def viewport(*entries: Entry, width: int = 60, height: int = 20) -> Viewport:
    """A view onto some entries."""
    view = Viewport(PALETTE)
    view.resize(width, height, PALETTE)
    for entry in entries:
        view.add(entry)
    view.settle()
    return view


def answer(text: str) -> AnswerEntry:
    """A finished answer."""
    entry = AnswerEntry(text)
    entry.finish()
    return entry


def walked(finding: Finding, start: int, by: int) -> Stretch:
    """The match after one walk."""
    for _ in finding.walk(start, by):
        pass
    assert finding.match is not None
    return finding.match


def looked_through(finding: Finding) -> None:
    """All is looked into."""
    for _ in finding.look_through():
        pass


def texts(finding: Finding, view: Viewport) -> list[str]:
    """What all the matches are, in order."""
    found: list[str] = []
    for index, entry in enumerate(view.entries):
        for number, block in enumerate(entry.blocks(view.width)):
            text = text_of(block.rows(view.width, PALETTE))
            found += [text[match.start.offset : match.end.offset] for match in finding.in_block(index, number)]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [("loop", ["loop", "Loop", "loop"]), ("Loop", ["Loop"]), ("the loop", ["the loop"]), ("[", ["["]), ("nowhere", [])],
)
def test_capitals_count_if_there_are_some_and_marks_of_markdown_never(text: str, expected: list[str]) -> None:
    view = viewport(UserEntry("the loop [red]"), answer("A **Loop**: `loop`."))
    assert texts(Finding(text, view), view) == expected


def test_a_match_may_go_over_the_end_of_a_row_and_over_emphasis() -> None:
    view = viewport(answer("word " * 11 + "a *long* text that was wrapped"), width=58)
    finding = Finding("long text that", view)
    assert texts(finding, view) == ["long text that"]


def test_walking_goes_round_in_order_and_back() -> None:
    view = viewport(UserEntry("x one x"), answer("no match"), answer("x\n\nand x"))
    finding = Finding("x", view)
    there = [walked(finding, 0, 1) for _ in range(5)]
    assert there[:4] == sorted(set(there))
    assert there[4] == there[0]
    assert [walked(finding, 0, -1) for _ in range(4)] == [there[3], there[2], there[1], there[0]]
    looked_through(finding)
    assert finding.count() == Count(1, 4, complete=True)


def test_what_is_folded_away_is_counted_and_unfolded_when_one_gets_there() -> None:
    call, thought = ToolEntry("std.shell", "seq"), ThinkingEntry("first\nneedle", done=True)
    call.finish("done", "\n".join(["a"] * 50 + ["needle"] + ["b"] * 50))
    view = viewport(call, thought, UserEntry("needle"))
    finding = Finding("needle", view)
    looked_through(finding)
    assert finding.count().total == 3
    assert finding.count().complete
    assert call.folded
    walked(finding, 0, 1)
    assert not call.folded
    assert thought.folded
    looked_through(finding)
    assert finding.count() == Count(1, 3, complete=True)
    walked(finding, 0, 1)
    assert not thought.folded
    looked_through(finding)
    assert finding.count() == Count(2, 3, complete=True)


def test_an_entry_that_changes_is_looked_into_again() -> None:
    entry = AnswerEntry("here")
    view = viewport(entry)
    finding = Finding("here", view)
    looked_through(finding)
    assert finding.count().total == 1
    entry.append(" and here")
    finding.forget(entry)
    assert not finding.count().complete
    looked_through(finding)
    assert finding.count() == Count(0, 2, complete=True)


def test_nothing_to_find_in_nothing() -> None:
    view = viewport()
    finding = Finding("x", view)
    assert list(finding.walk(0, 1)) == []
    assert str(finding.count()) == "nothing found"


@given(st.lists(st.text("ab \n*`#|-", max_size=80), max_size=5), st.text("ab ", min_size=1, max_size=4).map(str.strip))
def test_every_match_is_found_and_every_walk_visits_each_once(sources: list[str], text: str) -> None:
    if not text:
        return
    view = viewport(*[UserEntry(source) for source in sources if source])
    finding = Finding(text, view)
    shown = [
        "\n".join(text_of(block.rows(view.width, PALETTE)) for block in entry.blocks(view.width))
        for entry in view.entries
    ]
    assert len(texts(finding, view)) == sum(source.count(text) for source in shown)
    total = len(texts(finding, view))
    visited = {walked(finding, 0, 1) for _ in range(total)}
    assert len(visited) == total
