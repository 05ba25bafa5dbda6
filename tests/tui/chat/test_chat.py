"""What one can do with the transcript: select with the mouse, walk with keys, fold, copy, find."""

import pytest
from textual.pilot import Pilot

from panto.tui.chat import Chat
from panto.tui.transcript import AnswerEntry, ToolEntry, TurnEndEntry, UserEntry
from tests.tui.chat.stage import Stage, settled, stage

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


def answer(text: str) -> AnswerEntry:
    """A finished answer."""
    entry = AnswerEntry(text)
    entry.finish()
    return entry


def call(output: str, name: str = "std.shell") -> ToolEntry:
    """A call that is over."""
    entry = ToolEntry(name, "seq 99")
    entry.finish("done", output)
    return entry


def many(count: int) -> list[UserEntry]:
    """Entries that are told from each other."""
    return [UserEntry(f"entry {number}") for number in range(count)]


async def drag(pilot: Pilot[None], start: tuple[int, int], *ways: tuple[int, int]) -> None:
    """Press, go some way, let go."""
    await pilot.mouse_down(Chat, offset=start)
    for way in ways:
        await pilot.hover(Chat, offset=way)
    await pilot.mouse_up(Chat, offset=ways[-1])
    await settled(pilot)


def copied(app: Stage) -> list[str]:
    """What was copied."""
    return [message.text for message in app.said if isinstance(message, Chat.Copied)]


async def test_a_drag_selects_from_cell_to_cell_across_entries_in_either_direction() -> None:
    async with stage(UserEntry("hello there"), answer("and **good** bye")) as (app, pilot):
        start, (x, y) = app.at("there"), app.at("good")
        for one, other in ((start, (x + 3, y)), ((x + 3, y), start)):
            await drag(pilot, one, other)
            assert app.chat.selected_text == "there\n\nand good"
            assert app.marked() == ["there", "and good"]


async def test_the_selection_stays_on_its_text_when_the_width_changes_and_text_streams_in() -> None:
    entry = AnswerEntry(f"{LONG}\n\n")
    async with stage(entry, width=80) as (app, pilot):
        (x, y), (right, below) = app.at("three"), app.at("seven")
        await drag(pilot, (x, y), (right + 4, below))
        assert app.chat.selected_text == "three four five six seven"
        await pilot.resize_terminal(30, 20)
        entry.append("more and more")
        await settled(pilot)
        assert app.chat.selected_text == "three four five six seven"
        assert "".join(app.marked()).replace(" ", "") == "threefourfivesixseven"


async def test_a_drag_beyond_the_edge_scrolls() -> None:
    async with stage(*many(60), height=10) as (app, pilot):
        await pilot.mouse_down(Chat, offset=app.at("entry 59"))
        await pilot.hover(Chat, offset=(3, 0))
        app.chat._mouse._place = (3, -2)  # pyright: ignore[reportPrivateUsage] - a pilot has no mouse off the screen
        app.chat._mouse._scroll()  # pyright: ignore[reportPrivateUsage] - as above
        assert not app.chat.following
        await pilot.mouse_up(Chat, offset=(3, 0))
        lines = app.chat.selected_text.split("\n\n")
        assert lines[0].startswith("entry 5")
        assert lines[-2:] == ["entry 58", "e"]


async def test_two_clicks_take_a_word_and_three_a_line_that_was_wrapped() -> None:
    async with stage(UserEntry(f"{LONG}\nsrc/a-b.py: done"), width=40) as (app, pilot):
        await pilot.click(Chat, offset=app.at("b.py"), times=2)
        assert app.chat.selected_text == "src/a-b.py"
        await pilot.click(Chat, offset=app.at("four"), times=3)
        assert app.chat.selected_text == LONG
        await pilot.click(Chat, offset=app.at("four"))
        assert app.chat.selection is None


async def test_wide_characters_are_selected_whole() -> None:
    async with stage(UserEntry("a日本語b 👩‍💻 c")) as (app, pilot):
        x, y = app.at("a日")
        await drag(pilot, (x + 2, y), (x + 3, y))
        assert app.chat.selected_text == "日本"
        column = x + 9
        await drag(pilot, (column, y), (column + 1, y))
        assert app.chat.selected_text == "👩‍💻"


async def test_a_click_on_the_mark_or_on_the_line_of_what_is_left_out_unfolds() -> None:
    async with stage(call("\n".join(map(str, range(30)))), height=40) as (app, pilot):
        await pilot.click(Chat, offset=app.at("more lines"))
        await settled(pilot)
        assert any(row.endswith(" 15") for row in app.rows())
        await pilot.click(Chat, offset=app.at("●"))
        await settled(pilot)
        assert not any(row.endswith(" 15") for row in app.rows())


async def test_clicks_leave_the_focus_where_it_is() -> None:
    async with stage(UserEntry("hello")) as (app, pilot):
        app.chat.blur()
        await pilot.click(Chat, offset=app.at("hello"))
        assert app.focused is None


async def test_the_cursor_goes_from_entry_to_entry_with_as_much_of_it_in_view_as_has_room() -> None:
    entries = [*many(10), TurnEndEntry("3 s"), answer("\n\n".join(f"line {n}" for n in range(30))), *many(10)]
    async with stage(*entries, height=10) as (app, pilot):
        app.chat.focus()
        await settled(pilot)
        await pilot.press("g", "j", "j")
        assert app.chat.current is entries[2]
        assert app.rows()[0].strip() == "┃ entry 0"
        await pilot.press("G")
        assert app.chat.current is entries[-1]
        assert app.chat.following
        await pilot.press(*"k" * 10)
        assert app.chat.current is entries[11]
        assert app.rows()[1].startswith("▌ line 0") or app.rows()[0].startswith("▌ line 0")
        await pilot.press("k")
        assert app.chat.current is entries[9], "where a turn ends is no stop"


async def test_the_cursor_is_seen_as_soon_as_the_keys_go_there() -> None:
    async with stage(*many(5)) as (app, pilot):
        assert not any(row.startswith("▌") for row in app.rows())
        app.chat.focus()
        await settled(pilot)
        assert [row for row in app.rows() if row.startswith("▌")] == ["▌ ┃ entry 4"]
        app.screen.set_focus(None)
        await settled(pilot)
        assert not any(row.startswith("▌") for row in app.rows())


async def test_after_scrolling_the_cursor_goes_on_from_what_is_seen() -> None:
    async with stage(*many(60), height=10) as (app, pilot):
        app.chat.focus()
        await pilot.press("ctrl+u", "ctrl+u", "ctrl+u", "j")
        assert app.chat.current in app.chat.entries[40:56]
        assert any(row.startswith("▌") for row in app.rows())


async def test_keys_fold_copy_and_edit_what_the_cursor_is_on() -> None:
    code = "Two:\n\n```py\none = 1\n```\n\n```sh\ntwo\n```"
    entries = [UserEntry("say it **again**"), answer(code), call("a\nb\nc\nd\ne\nf\ng\nh")]
    async with stage(*entries, height=40) as (app, pilot):
        app.chat.focus()
        await pilot.press("G", "enter")
        assert not entries[2].folded
        await pilot.press("y", "Y", "k", "y", "Y", "Y", "Y", "k", "y", "e")
        await settled(pilot)
        output = "a\nb\nc\nd\ne\nf\ng\nh"
        assert copied(app) == [
            f"std.shell seq 99\n{output}", output, code, "one = 1", "two", "one = 1", "say it **again**",
        ]  # fmt: skip
        assert [message.text for message in app.said if isinstance(message, Chat.Edited)] == ["say it **again**"]


async def test_leaving_takes_the_marks_away_first() -> None:
    async with stage(UserEntry("hello")) as (app, pilot):
        app.chat.focus()
        app.chat.look_for("hell")
        await settled(pilot)
        assert app.marked() == ["hell"]
        await pilot.press("escape")
        assert app.marked() == []
        assert not [message for message in app.said if isinstance(message, Chat.Left)]
        await pilot.press("escape")
        await settled(pilot)
        assert [message for message in app.said if isinstance(message, Chat.Left)]


async def test_the_line_to_find_goes_to_the_nearest_match_above_and_on_from_there() -> None:
    async with stage(*many(100), height=12) as (app, pilot):
        app.chat.focus()
        await pilot.press("slash", *"entry 4")
        await settled(pilot)
        assert app.marked()[0].startswith("entry 4")
        assert any("entry 49" in row for row in app.rows())
        assert str(app.chat.searching.count) == "11 of 11"
        await pilot.press("up", "enter")
        await settled(pilot)
        assert str(app.chat.searching.count) == "10 of 11"
        assert app.focused is app.chat
        await pilot.press("N")
        assert any("entry 47" in row for row in app.rows())
        await pilot.press("n", "n", "n")
        await settled(pilot)
        assert str(app.chat.searching.count) == "1 of 11", "it goes round"
        assert any(row.strip("┃▌ ") == "entry 4" for row in app.rows())


async def test_finding_nothing_says_so() -> None:
    async with stage(*many(5)) as (app, pilot):
        app.chat.focus()
        await pilot.press("slash", *"nowhere")
        await settled(pilot)
        assert str(app.chat.searching.count) == "nothing found"
        await pilot.press("escape")
        await settled(pilot)
        assert app.chat.searching.finding is None
        assert not app.query("#find")


async def test_what_streams_in_is_found_too() -> None:
    entry = AnswerEntry("needle")
    async with stage(entry) as (app, pilot):
        app.chat.look_for("needle")
        await settled(pilot)
        entry.append(" and another needle")
        await settled(pilot)
        assert str(app.chat.searching.count) == "1 of 2"
        assert "".join(app.marked()) == "needleneedle"


async def test_times_are_shown_at_the_right_where_there_is_room() -> None:
    first, second = UserEntry("short"), UserEntry("x" * 52)
    first.came = second.came = 1_700_000_000.0
    async with stage(first, second, UserEntry("of an unknown time")) as (app, pilot):
        app.chat.focus()
        await pilot.press("t")
        rows = app.rows()
        assert rows[0].count(":") == 2
        assert not any(row.count(":") for row in rows[1:])
        await pilot.press("t")
        assert not any(row.count(":") for row in app.rows())


@pytest.mark.parametrize("width", [12, 24, 60])
async def test_marks_never_change_what_stands_where(width: int) -> None:
    table = answer(f"| a | b |\n|---|---|\n| {LONG} | 日本 |")
    async with stage(UserEntry("日本 and more text"), table, width=width, height=60) as (app, pilot):
        before = app.rows()
        app.chat.look_for("a")
        await drag(pilot, (2, 0), (width - 3, 6))
        assert [row.replace("▌", " ") for row in app.rows()] == before
