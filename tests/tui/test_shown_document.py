"""What stands in the prompt is shown safely and sent as it is."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.safe_text import safe_line
from panto.tui.shown_document import ShownDocument, shown_line
from panto.tui.writing.chips import shown_bracket


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain", "plain"),
        ("a\tb", "a\tb"),
        ("\x1b[2J\x07", "␛[2J␇"),
        ("\x9b2J \u202eabc \u200b", "\ufffd2J \ufffdabc \ufffd"),
        ("👩\u200d💻 می\u200cخواهم ⚙\ufe0f", "👩\u200d💻 می\u200cخواهم ⚙\ufe0f"),
        ("a\u200db", "a\ufffdb"),
        ("[/red]", "[/red]"),
    ],
)
def test_one_character_stands_for_each(line: str, shown: str) -> None:
    assert shown_line(line) == shown


@given(st.text(st.characters(exclude_characters="\n\r\t\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=30))
def test_every_character_keeps_its_place_and_none_is_obeyed(line: str) -> None:
    shown = shown_line(line)
    assert len(shown) == len(line)
    assert not any(0x80 <= ord(character) < 0xA0 or ord(character) < 0x20 for character in shown)
    stand_ins = zip(shown, map(shown_bracket, line), strict=True)
    assert all(new in (old, "\ufffd") or new == safe_line(old) for new, old in stand_ins)


def test_the_text_is_kept() -> None:
    document = ShownDocument("a\x1bb\nc\u202ed")
    document.replace_range((0, 1), (0, 1), "\x07")
    assert document.text == "a\x07\x1bb\nc\u202ed"
    assert document.get_text_range((0, 0), (1, 2)) == "a\x07\x1bb\nc\u202e"
    assert document.lines == document[0:2] == ["a␇␛b", "c\ufffdd"]
    assert document.get_line(1) == "c\ufffdd"
