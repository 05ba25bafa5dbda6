"""Copying gives what was written: the source of whole entries, the text of parts, and nothing that was drawn."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from panto.tui.chat.copying import copied
from panto.tui.chat.places import Spot, Stretch
from panto.tui.palette import built_in_palettes
from panto.tui.transcript import AnswerEntry, Entry, NoticeEntry, ToolEntry, UserEntry
from panto.tui.transcript.code import code_blocks
from panto.tui.transcript.rows import text_of

PALETTE = next(iter(built_in_palettes().values()))
END = Spot(99, 0, 0)
SENTENCE = "A **bold** word that goes on so far that it has to be wrapped."
MARKDOWN = f"# Head\n\n{SENTENCE}\n\n- one\n- two\n\n```py\nx = 1\n\ny = 2\n```"
TABLE = "| file | calls |\n|---|--:|\n| a.py | 12 |\n| long_name.py | 3 |"


def answer(text: str) -> AnswerEntry:
    """A finished answer."""
    entry = AnswerEntry(text)
    entry.finish()
    return entry


def laid_out(*entries: Entry) -> Sequence[Entry]:
    """Entries as they stand in a transcript: apart."""
    for entry in entries[1:]:
        entry.gap = 1
    return entries


def spot(entries: Sequence[Entry], entry: int, text: str, width: int) -> Spot:
    """Where a text begins in an entry."""
    for number, block in enumerate(entries[entry].blocks(width)):
        at = text_of(block.rows(width, PALETTE)).find(text)
        if at >= 0:
            return Spot(entry, number, at)
    raise AssertionError(f"there is no {text!r}")


@pytest.mark.parametrize("width", [20, 40, 90])
def test_whole_entries_are_copied_as_their_source(width: int) -> None:
    entries = laid_out(UserEntry("look\nat this"), answer(MARKDOWN), NoticeEntry("stopped"))
    text = copied(entries, Stretch(Spot(0, 0, 0), END), width, PALETTE)
    assert text == f"look\nat this\n\n{MARKDOWN}\n\nstopped"


@pytest.mark.parametrize("width", [20, 40, 90])
def test_parts_are_copied_as_plain_text_without_the_breaks_that_the_width_made(width: int) -> None:
    entries = laid_out(UserEntry("look at this"), answer(MARKDOWN))
    start, end = spot(entries, 0, "this", width), spot(entries, 1, "= 2", width)
    text = copied(entries, Stretch(start, end), width, PALETTE)
    assert text == (
        "this\n\nHead\n\nA bold word that goes on so far that it has to be wrapped.\n\none\ntwo\n\nx = 1\n\ny "
    )


def test_a_part_of_a_table_has_neither_borders_nor_padding() -> None:
    entries = laid_out(answer(TABLE))
    start = spot(entries, 0, "a.py", 60)
    text = copied(entries, Stretch(start, END), 60, PALETTE)
    assert text == "a.py\t12\nlong_name.py\t3"


def test_of_a_folded_call_what_is_seen_is_copied() -> None:
    entry = ToolEntry("std.shell", "seq 9")
    entry.finish("done", "\n".join(map(str, range(1, 10))), result="9 lines", seconds=2.0)
    entries = laid_out(entry)
    folded = copied(entries, Stretch(Spot(0, 0, 0), END), 60, PALETTE)
    assert folded.split("\n") == ["seq 9  9 lines  2 s", "1", "2", "…", "8", "9"]
    entry.set_folded(False)
    assert copied(entries, Stretch(Spot(0, 0, 0), END), 60, PALETTE) == entry.source


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200), min_size=1, max_size=4),
    st.integers(8, 80),
    st.data(),
)
def test_two_halves_are_the_whole(texts: list[str], width: int, data: st.DataObject) -> None:
    entries = laid_out(*map(UserEntry, texts))
    index = data.draw(st.integers(0, len(texts) - 1))
    blocks = entries[index].blocks(width)
    text = text_of(blocks[0].rows(width, PALETTE))
    offset = data.draw(st.integers(0, len(text)))
    here = Spot(index, 0, offset)
    first = copied(entries, Stretch(Spot(index, 0, 0), here), width, PALETTE)
    second = copied(entries, Stretch(here, Spot(index, 0, len(text))), width, PALETTE)
    if 0 < offset < len(text):
        assert first + second == text


def test_code_is_found_as_it_was_written() -> None:
    source = "a\n```py\nx = '\x1b[0m'\n\tif x:\n```\n~~~\n```\n~~~\n1. item\n   ```sh\n   ls\n   ```\n```\nopen"
    assert code_blocks(source) == ["x = '\x1b[0m'\n\tif x:", "```", "ls", "open"]
    assert code_blocks("no code") == []
