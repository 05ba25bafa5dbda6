"""The kinds of entries that hold text."""

import pytest

from panto.tui.transcript import (
    AnswerEntry,
    Entry,
    ErrorEntry,
    NoticeEntry,
    TextEntry,
    ThinkingEntry,
    TurnEndEntry,
    UserEntry,
)
from panto.tui.transcript.block import PIECE_CHARACTERS
from panto.tui.transcript.duration import duration
from panto.tui.transcript.rows import text_of
from tests.tui.transcript.rendering import DARK, block_rows, entry_texts, widest

LONG = " ".join(f"word{number}" for number in range(5_000))


def test_what_the_user_said_is_shown_as_typed() -> None:
    entry = UserEntry("fix **this** [/red]\n\n\tthanks\x1b[0m")
    assert entry_texts(entry) == ["┃ fix **this** [/red]", "┃", "┃     thanks␛[0m"]
    assert entry.source == "fix **this** [/red]\n\n\tthanks\x1b[0m"
    assert not entry.foldable


@pytest.mark.parametrize("entry", [UserEntry(LONG), ThinkingEntry(LONG), NoticeEntry(LONG), ErrorEntry("x", LONG)])
def test_long_texts_come_in_pieces_without_losing_a_word(entry: Entry) -> None:
    blocks = entry.blocks(60)
    assert len(blocks) > len(LONG) // PIECE_CHARACTERS
    assert widest(block_rows(blocks, 60)) <= 60
    rows = [row for row in block_rows(blocks, 60) if row]
    assert text_of(rows).endswith(LONG)


def test_an_answer_is_markdown_and_grows() -> None:
    entry = AnswerEntry()
    assert entry_texts(entry) == []
    entry.append("Some **te")
    assert entry_texts(entry) == ["Some te"]
    entry.append("xt**.\n\n- a")
    entry.finish()
    assert entry_texts(entry) == ["Some text.", "", "• a"]
    assert entry.source == "Some **text**.\n\n- a"


def test_a_command_speaks_markdown() -> None:
    assert entry_texts(TextEntry("**Keys**\n\n- `Esc`: stop")) == ["Keys", "", "• Esc: stop"]


def test_thinking_is_shown_while_it_comes_and_folds_when_it_is_done() -> None:
    entry = ThinkingEntry()
    entry.append("\nLet me see.\n")
    assert entry_texts(entry) == ["▾ thinking", "  Let me see.", ""]
    entry.append("I ")
    entry.append("know [/x]")
    assert entry_texts(entry) == ["▾ thinking", "  Let me see.", "  I know [/x]"]
    entry.finish(seconds=4.2)
    assert entry_texts(entry) == ["▸ thought for 4 s, 2 lines"]
    entry.set_folded(False)
    assert entry_texts(entry) == ["▾ thought for 4 s, 2 lines", "  Let me see.", "  I know [/x]"]


def test_growing_thinking_is_what_it_would_be_at_once() -> None:
    entry, at_once = ThinkingEntry(), ThinkingEntry(LONG)
    for start in range(0, len(LONG), 700):
        entry.append(LONG[start : start + 700])
        entry.blocks(60)
    assert entry_texts(entry) == entry_texts(at_once)


def test_thinking_of_the_past_is_folded_and_may_be_empty() -> None:
    assert entry_texts(ThinkingEntry("One thing.", done=True)) == ["▸ thought, 1 line"]
    hidden = ThinkingEntry("", done=True, seconds=61)
    assert entry_texts(hidden) == ["▸ thought for 1 min 1 s"]
    assert not hidden.foldable


def test_thinking_knows_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([100.0, 112.0])
    monkeypatch.setattr("panto.tui.transcript.entries.time.monotonic", lambda: next(now))
    entry = ThinkingEntry()
    entry.append("a")
    entry.append("b")
    entry.finish()
    assert entry_texts(entry) == ["▸ thought for 12 s, 1 line"]


@pytest.mark.parametrize(
    ("entry", "shown", "role"),
    [
        (NoticeEntry("stopped"), ["· stopped"], "note"),
        (NoticeEntry("odd\nkey", "warning", "mend it"), ["! odd", "  key", "  mend it"], "warning"),
        (NoticeEntry("broken", "error"), ["✗ broken"], "error"),
        (ErrorEntry("broken", "ask again"), ["✗ broken", "  ask again"], "error"),
        (NoticeEntry("[/red]\x1b"), ["· [/red]␛"], "note"),
    ],
)
def test_notices_say_what_is_and_what_to_do(entry: NoticeEntry, shown: list[str], role: str) -> None:
    assert entry_texts(entry) == shown
    first = block_rows(entry.blocks(60), 60)[0]
    assert first is not None
    assert first.edge[0].style == DARK.style(role)


def test_a_turn_ends_with_what_it_took_and_a_line() -> None:
    entry = TurnEndEntry("12 s  1.1k tokens")
    assert entry_texts(entry, 30) == ["12 s  1.1k tokens " + "─" * 12]
    assert entry_texts(entry, 10) == ["12 s  1.1k", "tokens"]


def test_an_entry_tells_that_it_changed_and_whether_there_is_news() -> None:
    told: list[bool] = []
    entry = ThinkingEntry()
    entry.on_change = lambda changed, news: told.append(news)
    entry.append("a")
    entry.finish()
    entry.set_folded(False)
    entry.set_folded(False)
    assert told == [True, True, False]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.04, "0.0 s"), (0.4, "0.4 s"), (0.96, "1 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"), (8040, "2 h 14 min")],
)
def test_durations_are_for_people(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown
