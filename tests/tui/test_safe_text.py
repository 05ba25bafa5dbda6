"""Outside text onto the screen: nothing a terminal obeys, widths that hold, clusters that stay whole."""

import unicodedata
from itertools import accumulate

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from panto.tui.safe_text import (
    breaks,
    cell_width,
    cluster_start,
    clusters,
    is_even,
    safe_line,
    safe_text,
    truncate,
    wrap_text,
)

FAMILY = "👨‍👩‍👧‍👦"
CODER = "👩🏽‍💻"
FLAG = "🇫🇷"
WALES = "🏴󠁧󠁢󠁷󠁬󠁳󠁿"
WHOLE = [FAMILY, CODER, FLAG, WALES, "⚙️", "1️⃣", "❤️‍🔥", "👋🏽", "é", "g̈", "가", "각", "字", "กำ", "क्षि", "葛󠄀"]
"""What readers see as one character each."""

any_text = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from([*"\x00\x07\x1b\x9b\t\n\r\u200b\u200d\u200c\ufe0f\ufe0e\u202e\u2066\u00ad\u20e3", "\ud800"]),
        st.sampled_from([character for text in WHOLE for character in text]),
    ),
    max_size=60,
)
words = st.lists(st.one_of(st.text("ab,- ", max_size=12), st.sampled_from([*WHOLE, " "])), max_size=30).map("".join)


def is_invisible(character: str) -> bool:
    """Whether a terminal would obey a character, or show nothing of it."""
    return unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in "\u00ad\u200b\u200e\u200f\ufeff"


def boundaries(line: str) -> set[int]:
    """The places at which a line may be cut."""
    return {0, *accumulate(len(cluster) for cluster, _ in clusters(line))}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b2J", "‹U+009B›2J"),
        ("abc\u202edcba", "abc‹U+202E›dcba"),
        ("zero\u200bwidth", "zero‹U+200B›width"),
        ("x\u200dy", "x‹U+200D›y"),
        ("x\ufe0f", "x‹U+FE0F›"),
        ("hid\U000e0041den", "hid‹U+E0041›den"),
        ("\ud83d", "\ufffd"),
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("a\tb", "a   b"),
        ("abcd\tb", "abcd    b"),
        ("字\tb\n\tc", "字  b\n    c"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("🏽", "‹U+1F3FD›"),
        ("[/red] [bold]", "[/red] [bold]"),
    ],
)
def test_what_a_terminal_would_obey_is_seen(text: str, shown: str) -> None:
    assert safe_text(text) == shown


@pytest.mark.parametrize("text", WHOLE)
def test_clusters_stay_as_they_are_and_whole(text: str) -> None:
    assert safe_text(text) == text
    assert [cluster for cluster, _ in clusters(text)] == [text]


def test_a_line_shows_its_line_ends() -> None:
    assert safe_line("a\r\nb\nc") == "a␊b␊c"


@pytest.mark.parametrize("plane", range(17))
def test_every_character_is_seen_or_combines_with_one(plane: int) -> None:
    for code in range(plane << 16, (plane + 1) << 16):
        for shown in safe_text(chr(code)).replace("\n", ""):
            assert not is_invisible(shown), hex(code)
            is_mark = unicodedata.category(shown) in {"Mn", "Me", "Mc", "Cn"} or "\u1161" <= shown <= "\ud7ff"
            assert is_mark or cell_len(shown) > 0, hex(code)


@given(any_text)
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    shown = safe_text(text)
    assert not any(is_invisible(character) for character in shown.replace("\n", ""))
    assert safe_text(shown) == shown


@given(any_text)
def test_line_ends_are_kept(text: str) -> None:
    assert safe_text(text).count("\n") == text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


@given(any_text)
def test_widths_are_those_the_screen_is_laid_out_by(text: str) -> None:
    for line in safe_text(text).split("\n"):
        parts = list(clusters(line))
        assert "".join(cluster for cluster, _ in parts) == line
        assert sum(width for _, width in parts) == cell_len(line) == cell_width(line)
        assert all(width == cell_len(cluster) for cluster, width in parts)
        assert not is_even(line) or len(parts) == len(line) == cell_len(line)


@given(st.one_of(any_text, words), st.integers(2, 30), st.booleans())
def test_rows_fit_and_lose_nothing_but_the_blanks_they_break_at(text: str, width: int, anywhere: bool) -> None:
    for line in safe_text(text).split("\n"):
        places = breaks(line, width, anywhere=anywhere)
        previous = 0
        for start, end in places:
            assert cell_len(line[start:end]) <= width
            assert not line[previous:start].strip(" ")
            assert {start, end} <= boundaries(line)
            assert not anywhere or start == previous
            previous = end
        assert not line[previous:].strip(" ")


def test_rows_break_at_blanks_if_they_can() -> None:
    assert wrap_text("Hello  big world", 11) == ["Hello  big", "world"]
    assert wrap_text("a verylongword here", 8) == ["a", "verylong", "word", "here"]
    assert wrap_text("    indented text", 10) == ["    indent", "ed text"]
    assert wrap_text("one\n\ntwo", 10) == ["one", "", "two"]


def test_rows_break_between_wide_characters_but_not_before_their_punctuation() -> None:
    assert wrap_text("今日は良い天気。", 8) == ["今日は良", "い天気。"]
    assert wrap_text("今日は。良い", 6) == ["今日", "は。良", "い"]
    assert wrap_text("ab 漢字漢字", 7) == ["ab 漢字", "漢字"]


def test_words_without_blanks_are_broken_where_the_row_ends() -> None:
    assert wrap_text("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrap_text(FAMILY * 3, 5) == [FAMILY * 2, FAMILY]


@given(st.one_of(any_text, words), st.integers(0, 20))
def test_truncated_text_fits_and_says_that_it_is_cut(text: str, width: int) -> None:
    line = safe_line(text)
    cut = truncate(line, width)
    assert cell_len(cut) <= width
    assert cut == line or not width or (cut.endswith("…") and line.startswith(cut[:-1]))


@given(words, st.data())
def test_long_text_is_cut_between_clusters(text: str, data: st.DataObject) -> None:
    line = safe_line(text)
    at = data.draw(st.integers(0, len(line)))
    assert cluster_start(line, at) == max(place for place in boundaries(line) if place <= at)
