"""The view onto the entries: it stays on the same text, whatever happens around it."""

from hypothesis import given, settings, strategies as st

from panto.tui.transcript import AnswerEntry, Entry, NoticeEntry, ThinkingEntry, ToolEntry, UserEntry
from panto.tui.transcript.viewport import KEPT_ENTRIES, Viewport
from tests.tui.transcript.rendering import DARK, LIGHT, shown

WIDTH, HEIGHT = 40, 10


def viewport(*entries: Entry, width: int = WIDTH, height: int = HEIGHT) -> Viewport:
    """A view onto some entries, laid out."""
    view = Viewport(DARK)
    view.resize(width, height, DARK)
    for entry in entries:
        view.add(entry)
    view.settle()
    return view


def lines(view: Viewport) -> list[str]:
    """The rows in view."""
    return ["" if row.row is None else shown(row.row) for row in view.shown]


def answer(text: str) -> AnswerEntry:
    """A finished answer."""
    entry = AnswerEntry(text)
    entry.finish()
    return entry


def numbered(count: int) -> list[Entry]:
    """Entries of one row each."""
    return [UserEntry(f"entry {number}") for number in range(count)]


def tool(lines_of_output: int) -> ToolEntry:
    """A finished call."""
    entry = ToolEntry("std.shell", "run")
    entry.finish("done", "\n".join(f"out {number}" for number in range(lines_of_output)))
    return entry


def test_an_empty_view_shows_nothing() -> None:
    view = viewport()
    assert (view.shown, view.total, view.top, view.following) == ([], 0, 0, True)
    view.scroll_by(-5)
    view.scroll_to(5)
    assert view.shown == []


def test_few_entries_stand_at_the_top_with_empty_rows_between() -> None:
    view = viewport(*numbered(2))
    assert lines(view) == ["┃ entry 0", "", "┃ entry 1"]
    assert (view.top, view.total) == (0, 3)


def test_entries_of_one_kind_may_join() -> None:
    view = viewport(ToolEntry("a.b", "x"), ToolEntry("a.c", "y"), NoticeEntry("n"), NoticeEntry("m"))
    assert [bool(line) for line in lines(view)] == [True, True, False, True, True]


def test_it_follows_the_end() -> None:
    view = viewport(*numbered(50))
    assert lines(view)[-1] == "┃ entry 49"
    view.add(UserEntry("one more"))
    view.settle()
    assert lines(view)[-1] == "┃ one more"
    assert view.top == view.total - HEIGHT


def test_scrolling_up_leaves_the_end_and_scrolling_down_finds_it() -> None:
    view = viewport(*numbered(50))
    view.scroll_by(-1)
    assert not view.following
    before = lines(view)
    view.add(UserEntry("one more"))
    view.settle()
    assert lines(view) == before
    view.scroll_by(100)
    assert view.following
    assert lines(view)[-1] == "┃ one more"


def test_rows_above_that_were_never_seen_come_one_by_one() -> None:
    entries = [answer("\n".join(f"- {n}.{line}" for line in range(30))) for n in range(20)]
    view = viewport(*entries)
    seen = list(reversed(lines(view)))
    for _ in range(2000):
        before = lines(view)
        view.scroll_by(-1)
        if lines(view) == before:
            break
        assert lines(view)[1:] == before[:-1]
        seen.append(lines(view)[0])
    expected = [line for n in range(20) for line in ([""] if n else []) + [f"• {n}.{row}" for row in range(30)]]
    assert list(reversed(seen)) == expected
    assert view.top == 0
    assert view.total == len(expected)


def test_a_drag_to_anywhere_shows_whole_rows() -> None:
    view = viewport(*[answer("word " * 100) for _ in range(100)])
    for y in (0, 37, 500, 999, 10**6):
        view.scroll_to(y)
        assert len(lines(view)) == HEIGHT


def test_the_text_at_the_top_stays_when_the_width_changes() -> None:
    words = " ".join(f"word{number}" for number in range(2000))
    view = viewport(answer(words), *numbered(30))
    view.scroll_to(60)
    first = lines(view)[0].split()[0]
    for width in (15, 80, 23, 40):
        view.resize(width, HEIGHT, DARK)
        view.settle()
        assert first in lines(view)[0].split()


def test_the_view_at_the_end_stays_there_when_the_size_changes() -> None:
    view = viewport(*[answer("word " * 100) for _ in range(9)], answer("last"))
    for width, height in ((20, 5), (90, 30), (40, 10)):
        view.resize(width, height, DARK)
        view.settle()
        assert view.following
        assert lines(view)[-1] == "last"


def test_the_text_at_the_top_stays_when_entries_above_fold() -> None:
    tools = [tool(50) for _ in range(5)]
    view = viewport(*tools, *numbered(30))
    for entry in tools:
        entry.on_change = lambda changed, news: view.height_changed(changed)
        entry.set_folded(False)
    view.settle()
    view.scroll_by(-30)
    before = lines(view)
    total = view.total
    for entry in tools:
        entry.set_folded(True)
    view.settle()
    assert lines(view) == before
    assert view.total < total


def test_folding_what_is_at_the_top_shows_what_is_left_of_it() -> None:
    entry = tool(100)
    entry.set_folded(False)
    view = viewport(*numbered(5), entry, *numbered(30))
    view.scroll_to(60)
    assert lines(view)[0].startswith("  out")
    entry.set_folded(True)
    view.height_changed(entry)
    view.settle()
    assert "  out 99" in lines(view)[0]


def test_streaming_below_does_not_move_the_view() -> None:
    growing = AnswerEntry("begin\n\n")
    view = viewport(*numbered(30), growing)
    view.scroll_by(-15)
    before = lines(view)
    for number in range(200):
        growing.append(f"line {number}\n\n")
        view.height_changed(growing)
        view.settle()
        assert lines(view) == before
    assert view.is_below(growing)


def test_only_what_is_seen_is_rendered() -> None:
    entries = [answer(f"answer {number}\n\n" * 5) for number in range(1000)]
    view = viewport(*entries)
    rendered = [entry for entry in entries if entry._is_built]  # pyright: ignore[reportPrivateUsage] - what is asked
    assert len(rendered) <= HEIGHT
    view.resize(70, HEIGHT, DARK)
    view.settle()
    assert [entry for entry in entries if entry._is_built] == rendered  # pyright: ignore[reportPrivateUsage]


def test_rows_of_entries_long_out_of_sight_are_let_go() -> None:
    entries = numbered(3 * KEPT_ENTRIES)
    view = viewport(*entries)
    while view.top:
        view.scroll_by(-HEIGHT)
    kept = [e for e in entries if e.blocks(WIDTH)[0]._rows]  # pyright: ignore[reportPrivateUsage] - what is asked
    assert len(kept) <= KEPT_ENTRIES + HEIGHT
    view.scroll_to(view.total)
    assert lines(view)[-1] == f"┃ entry {3 * KEPT_ENTRIES - 1}"


def test_revealing_an_entry_shows_its_first_row() -> None:
    entries = numbered(100)
    view = viewport(*entries)
    view.reveal(entries[10])
    assert lines(view)[:2] == ["", "┃ entry 10"]
    before = lines(view)
    view.reveal(entries[12])
    assert lines(view) == before


def test_another_palette_changes_colours_and_nothing_else() -> None:
    view = viewport(*numbered(30))
    view.scroll_by(-7)
    before = lines(view)
    view.resize(WIDTH, HEIGHT, LIGHT)
    view.settle()
    assert lines(view) == before
    assert {s.style for r in view.shown if r.row for s in r.row.spans} == {LIGHT.style("foreground", bold=True)}


steps = st.one_of(
    st.tuples(st.just("by"), st.integers(-40, 40)),
    st.tuples(st.just("to"), st.integers(0, 400)),
    st.tuples(st.just("width"), st.integers(10, 80)),
    st.tuples(st.just("height"), st.integers(1, 30)),
    st.tuples(st.just("fold"), st.integers(0, 9)),
    st.tuples(st.just("append"), st.integers(1, 300)),
    st.tuples(st.just("add"), st.integers(0, 40)),
    st.tuples(st.just("end"), st.just(0)),
)


@given(st.lists(steps, max_size=25))
@settings(max_examples=150)
def test_the_view_is_always_a_stretch_of_the_whole(taken: list[tuple[str, int]]) -> None:
    growing = AnswerEntry("start ")
    view = viewport(tool(20), ThinkingEntry("thought\n" * 9, done=True), *numbered(3), tool(8), growing)
    for entry in view.entries:
        entry.on_change = lambda changed, news: view.height_changed(changed)
    for step, amount in taken:
        match step:
            case "by":
                view.scroll_by(amount)
            case "to":
                view.scroll_to(amount)
            case "width":
                view.resize(amount, view.height, DARK)
            case "height":
                view.resize(view.width, amount, DARK)
            case "fold":
                folding = view.entries[amount % len(view.entries)]
                folding.set_folded(not folding.folded)
            case "append":
                growing.append("more words " * (amount // 10) + "\n\n" * (amount % 2))
            case "add":
                view.add(UserEntry("text " * amount))
            case _:
                view.following = True
        view.settle()
        stretch = lines(view)
        everything = viewport(*view.entries, width=view.width, height=10_000)
        whole = lines(everything)
        assert len(stretch) == min(view.height, len(whole))
        assert stretch in [whole[start : start + len(stretch)] for start in range(len(whole) - len(stretch) + 1)]
        assert not view.following or not whole or stretch == whole[-len(stretch) :]
