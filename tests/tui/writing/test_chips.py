"""Chips: what is pasted is sent to the character, whatever it is."""

from hypothesis import given, strategies as st

from panto.messages import Image
from panto.tui.writing.chips import CLOSE, Chips, is_editable, is_large
from panto.tui.writing.written import Written

LONG = "\n".join(f"line {number}" for number in range(213))


def shown(text: str) -> str:
    """The editor's text with brackets for what the screen shows as such."""
    return "".join("[" if ord(c) >= 0x100000 and c != CLOSE else "]" if c == CLOSE else c for c in text)


def test_a_large_text_is_one_word_that_stands_for_all_of_it() -> None:
    chips = Chips()
    here = f"read {chips.taken_in(LONG)} now"
    assert shown(here) == "read [paste 1: 213 lines] now"
    assert chips.written(here) == Written(f"read {LONG} now", ((5, 5 + len(LONG)),))
    assert chips.said(here) == (f"read {LONG} now", ())
    assert shown(chips.taken_in("x" * 1001)) == "[paste 2: 1001 characters]"


def test_what_was_typed_is_told_from_what_was_pasted() -> None:
    chips = Chips()
    paste = chips.paste(f"!rm -rf @secret {LONG}")
    assert chips.typed(f"{paste} and @mine") == "\ufffc and @mine"
    assert chips.typed("!ls") is None


def test_a_small_text_is_itself() -> None:
    assert Chips().taken_in("a\nb\n") == "a\nb\n"


def test_what_the_editor_would_not_keep_is_kept_in_a_chip_which_is_not_opened() -> None:
    chips = Chips()
    for odd in ("a\x0cb", "a\u2028b", "a\x85b", f"\U00100000paste 1: 1 lines{CLOSE}"):
        here = chips.taken_in(odd)
        assert here != odd
        assert chips.written(here).text == odd
        assert not chips.at(here)[0][2].can_open


def test_a_picture_is_named_where_it_stood() -> None:
    chips = Chips()
    image = Image("image/png", b"x" * 1_200_000)
    here = f"see {chips.image('/tmp/shot.png', 'shot.png', image)}."
    assert chips.said(here) == ("see [image 1: shot.png 1.2 MB].", (image,))
    assert chips.written(here) == Written("see /tmp/shot.png.")


def test_what_an_editor_left_of_the_text_is_found_again() -> None:
    chips = Chips()
    picture = chips.image("/tmp/a.png", "a.png", Image("image/png", b"x"))
    paste = chips.paste(LONG)
    here = f"one {paste} two {picture}"
    whole = chips.written(here).text
    assert chips.found_again(here, whole.replace("two", "three")) == f"one {paste} three {picture}"
    changed = chips.found_again(here, whole.replace("line 3\n", "line three\n"))
    assert "line three\n" in changed
    assert changed.endswith(picture)


texts = st.text(max_size=40) | st.sampled_from((LONG, "\U00100001x", CLOSE, "\r\x0b\u2029", "a\x1bb"))


@given(st.lists(texts, max_size=6))
def test_whatever_is_taken_in_comes_out_again(pieces: list[str]) -> None:
    chips = Chips()
    here = "".join(map(chips.taken_in, pieces))
    written = chips.written(here)
    assert written.text == chips.said(here)[0] == "".join(pieces)
    again = Chips()
    folded = again.folded(written)
    assert again.written(folded).text == written.text
    assert all(is_editable(part) for part in _between(again, folded))


def _between(chips: Chips, text: str) -> list[str]:
    ends = [0, *(end for _, end, _ in chips.at(text))]
    starts = [*(start for start, _, _ in chips.at(text)), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_is_written_goes_to_a_line_and_comes_back(before: str, paste: str) -> None:
    written = Written(before) + Written(paste, ((0, len(paste)),) if paste else ())
    line = written.to_json()
    assert b"\n" not in line
    assert Written.from_json(line) == written


def test_a_line_that_holds_something_else_is_no_text() -> None:
    for line in (b"", b"[]", b'{"text": 1}', b"{", b"[" * 100_000, b"\xff"):
        assert Written.from_json(line) is None
    odd = b'{"text": "abc", "pastes": [[2, 9], [1, 0], "x", [0, 1, 2], [0, 2], [1, 3]]}'
    assert Written.from_json(odd) == Written("abc", ((0, 2),))


def test_large_begins_at_eleven_lines() -> None:
    assert not is_large("x\n" * 9 + "x")
    assert is_large("x\n" * 10 + "x")
