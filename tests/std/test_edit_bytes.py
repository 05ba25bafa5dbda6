"""Replacing text in bytes: what is outside of the place stays, whatever the bytes are."""

import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings, strategies as st

from panto import ToolError
from panto_std._edit import edit
from panto_std._encoding import encoding_of_bytes
from panto_std._fold import fold_lines
from panto_std._locate import locate


def joined(lines: list[tuple[str, str]]) -> str:
    return "".join(body + end for body, end in lines)


def encoded(text: str, codec: str) -> bytes:
    return text.encode(codec, "ignore")


def with_noise(text: str, noise: bytes) -> bytes:
    return text.encode() + noise + text.encode()


BODIES = st.text(st.sampled_from("ab \t\u00a0é€“-–\u3000Ａ\x00\r\ud7ff😀"), max_size=6)
LINES = st.lists(st.tuples(BODIES, st.sampled_from(["\n", "\r\n", "\r", ""])), max_size=8).map(joined)
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
FILES = st.one_of(
    st.binary(max_size=60),
    st.builds(encoded, LINES, CODECS),
    st.builds(with_noise, LINES, st.binary(max_size=4)),
)


def replaced(data: bytes, old: str, new: str, *, every: bool = False) -> bytes:
    return edit(data, old, new, every=every, shown="f").data


def refusal(data: bytes, old: str, new: str) -> str:
    with pytest.raises(ToolError) as caught:
        edit(data, old, new, every=False, shown="f")
    return str(caught.value)


@given(FILES)
@settings(max_examples=400)
def test_every_file_is_text_there_and_back(data: bytes) -> None:
    encoding = encoding_of_bytes(data)
    assert encoding.mark + encoding.encode(encoding.decode(data)) == data


@given(FILES, st.data(), st.text(max_size=8))
@settings(max_examples=600)
def test_bytes_outside_of_an_exact_place_stay(data: bytes, draw: st.DataObject, new: str) -> None:
    encoding = encoding_of_bytes(data)
    text = encoding.decode(data)
    assume(text)
    start = draw.draw(st.integers(0, len(text) - 1))
    end = draw.draw(st.integers(start + 1, len(text)))
    old = text[start:end]
    try:
        result = replaced(data, old, new)
    except ToolError:
        return
    before = encoding.mark + encoding.encode(text[:start])
    after = encoding.encode(text[end:])
    assert result.startswith(before)
    assert result.endswith(after)
    middle = result[len(before) : len(result) - len(after)]
    expected = encoding.encode(new)
    assert middle in (expected, encoding.encode(re.sub("(?<!\r)\n", "\r\n", new)))


PERTURBATIONS: dict[str, Callable[[str], str]] = {
    "line ends": lambda text: text.replace("\r\n", "\n"),
    "blanks at line ends": lambda text: re.sub(r"[ \t]+(?=\r?\n)", "", text),
    "spaces": lambda text: re.sub("[\u00a0\u3000]", " ", text),
    "quotes": lambda text: text.replace("“", '"'),
    "dashes": lambda text: text.replace("–", "-"),
    "widths": lambda text: text.replace("Ａ", "A"),
    "accents": lambda text: unicodedata.normalize("NFD", text),
}


@given(LINES, st.data(), st.sets(st.sampled_from(sorted(PERTURBATIONS))), st.text(max_size=8))
@settings(max_examples=600)
def test_what_looks_the_same_is_found_and_only_that_is_replaced(
    text: str, draw: st.DataObject, perturbations: set[str], new: str
) -> None:
    lines = text.split("\n")
    first = draw.draw(st.integers(0, len(lines) - 1))
    last = draw.draw(st.integers(first, len(lines) - 1))
    old = "\n".join(lines[first : last + 1])
    for name in sorted(perturbations):
        old = PERTURBATIONS[name](old)
    found = locate(text, old)
    if not any(fold_lines(old)):
        assert found.how == "exactly"
        return
    assert found.places
    for place in found.places:
        span = text[place.start : place.end]
        assert span == old if found.how == "exactly" else fold_lines(span) == fold_lines(old)
    if found.count == 1 and old != new:
        place = found.places[0]
        data = text.encode()
        try:
            result = replaced(data, old, new)
        except ToolError as error:
            assert "nothing would change" in str(error)
            return
        assert result.startswith(text[: place.start].encode())
        assert result.endswith(text[place.end :].encode())


def test_an_exact_place_wins_over_others_that_look_the_same() -> None:
    data = 'x = "a"\nx = “a”\n'.encode()
    assert replaced(data, 'x = "a"', "y") == "y\nx = “a”\n".encode()


def test_mixed_line_ends_stay_and_new_lines_take_those_of_their_place() -> None:
    data = b"a\r\nb\nc\r\nd\n"
    assert replaced(data, "c", "C\nCC") == b"a\r\nb\nC\r\nCC\r\nd\n"
    assert replaced(data, "b\nc", "B\nx\nC") == b"a\r\nB\nx\nC\r\nd\n"
    assert replaced(data, "a\nb\n", "A\nb\n") == b"A\r\nb\nc\r\nd\n"


def test_a_file_with_crlf_stays_one() -> None:
    data = b"one\r\ntwo\r\nthree\r\n"
    assert replaced(data, "one\ntwo\n", "one\n1.5\ntwo\n2.5\n") == b"one\r\n1.5\r\ntwo\r\n2.5\r\nthree\r\n"
    assert replaced(data, "one\ntwo", "one") == b"one\r\nthree\r\n"
    assert replaced(data, "two\n", "") == b"one\r\nthree\r\n"
    assert replaced(data, "three", "three\nfour") == data + b"four\r\n"


def test_line_ends_that_the_model_means_are_written() -> None:
    assert replaced(b"a\nb\n", "a\n", "a\r\n") == b"a\r\nb\n"
    assert replaced(b"a\r\nb\r\n", "a\r\n", "x\r\ny\r\n") == b"x\r\ny\r\nb\r\n"


def test_a_missing_last_line_end_stays_missing() -> None:
    assert replaced(b"a\nb", "b\n", "c\n") == b"a\nc"
    assert replaced(b"a\r\nb", "a\nb\n", "a\nc\nd\n") == b"a\r\nc\r\nd"
    assert "old is not in f" in refusal(b"b a\nc", "b\n", "c\n")


def test_a_byte_order_mark_stays_and_does_not_hide_the_first_line() -> None:
    assert replaced(b"\xef\xbb\xbfcaf\xc3\xa9\n", "café\n", "tea\n") == b"\xef\xbb\xbftea\n"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_edited_in_place(codec: str) -> None:
    data = "\ufeffgrün\r\n😀 b\r\n".encode(codec)
    assert replaced(data, "b", "€\nx") == "\ufeffgrün\r\n😀 €\r\nx\r\n".encode(codec)


def test_legacy_bytes_stay_and_new_text_is_in_the_same_encoding() -> None:
    data = "# Grüße\nx = 1\n".encode("cp1252")
    assert replaced(data, "x = 1", "x = 2") == "# Grüße\nx = 2\n".encode("cp1252")
    assert replaced(data, "# Grüße", "# Gruß") == "# Gruß\nx = 1\n".encode("cp1252")
    assert "Windows-1252, which has no '\\u2192' (U+2192)" in refusal(data, "x = 1", "→")


def test_stray_bytes_stay() -> None:
    data = "grün blau\n".encode() + b"\xff\xfe\nx\n" + "€\n".encode() * 2
    assert replaced(data, "x\n", "é\n") == data.replace(b"x\n", "é\n".encode())


def test_tabs_written_as_spaces_become_tabs_again() -> None:
    data = b"func f() {\n\tif a {\n\t\tb()\n\t}\n}\n"
    old = "    if a {\n        b()\n    }\n"
    new = "    if a {\n        b()\n        if c {\n            d()\n        }\n    }\n    e()\n"
    assert replaced(data, old, new) == (b"func f() {\n\tif a {\n\t\tb()\n\t\tif c {\n\t\t\td()\n\t\t}\n\t}\n\te()\n}\n")


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        # spaces in the file, tabs from the model
        ("if a:\n    b()\n", "if a:\n\tb()\n", "if a:\n\tb()\n\tc()\n", "if a:\n    b()\n    c()\n"),
        ("  if a:\n    b()\n", "\tif a:\n\t\tb()", "\tif x:\n\t\tb()\n\t\t\tc()", "  if x:\n    b()\n      c()\n"),
        # the model left out the outer indentation
        ("        a\n            b\n", "a\n    b", "a\n    c\nd", "        a\n            c\n        d\n"),
        # and only that of the first line
        ("\t\ta\n\t\t\tb\n", "a \n            b", "a\n            c", "\t\ta\n\t\t\tc\n"),
        # other widths
        ("  a\n    b\n", "    a\n        b\n", "    a\n        b\n            c\n", "  a\n    b\n      c\n"),
        # less than anything the model showed
        ("\t\ta\n", "        a\n", "        a\n    b\nc\n", "\t\ta\n\tb\nc\n"),
        # blank lines have no indentation to compare
        ("\ta\n\n\tb\n", "    a\n    \n    b\n", "    a\n\n    c\n", "\ta\n\n\tc\n"),
    ],
)
def test_new_lines_are_indented_as_the_file_is(data: str, old: str, new: str, expected: str) -> None:
    assert replaced(data.encode(), old, new).decode() == expected


def test_irregular_indentation_is_no_match() -> None:
    said = refusal(b"  a\n      b\n   c\n", "x\n\ta\n\tb\n\tc\n", "z")
    assert "old is not in f" in said
    said = refusal(b"\ta\n\t\tb\n", "    a\n    b\n", "z")
    assert "line 1, you:     a" in said


def test_lines_that_old_and_new_share_stay_as_the_file_has_them() -> None:
    data = "a\u00a0b  \n“c”\t\nd\n".encode()
    assert replaced(data, 'a b\n"c"\nd', 'a b\n"x"\nd') == 'a\u00a0b  \n"x"\nd\n'.encode()


def test_part_of_a_line_that_looks_the_same() -> None:
    assert replaced("x = a\u00a0+ b – c\n".encode(), "a + b -", "y") == b"x = y c\n"


def test_every_place_or_none() -> None:
    data = b"a\nb\na\n"
    assert replaced(data, "a", "c", every=True) == b"c\nb\nc\n"
    said = refusal(data, "a", "c")
    assert "old is in 2 places of f (lines 1, 3)" in said
    assert "all to true" in said
    assert "in 2 places" in refusal(b"aaa", "aa", "b")
    assert replaced(b"aaa", "aa", "b", every=True) == b"ba"
    assert "(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, …)" in refusal(
        b"a\n" * 99, "a", "b"
    )


def test_what_can_not_be_done_is_said() -> None:
    assert "std.write" in refusal(b"", "", "x")
    assert "old is empty" in refusal(b"abc", "", "x")
    assert "the same" in refusal(b"abc", "b", "b")
    assert "nothing would change" in refusal(b"a\r\n", "a\r\n", "a\n")
    assert refusal(b"", "x", "y") == "old is not in f."


def test_the_nearest_place_is_shown_with_what_differs() -> None:
    data = b"def f():\n    for item in items[:-1]:\n        total += item\n    return total\n"
    said = refusal(data, "    for item in items:\n        total += item\n", "x")
    assert said == (
        "old is not in f.\n"
        "The nearest place is line 2-3:\n"
        "  line 2, you:     for item in items:\n"
        "  line 2, file:     for item in items[:-1]:"
    )
    said = refusal(data, "    return totals\n", "x")
    assert (
        "line 4, file:     return total  (column 17: you U+0073 LATIN SMALL LETTER S, the file the line's end)" in said
    )


def test_differences_that_can_not_be_seen_are_named() -> None:
    said = refusal("a  =\u00a01\nb\n".encode(), "a = 1\nb", "x")
    assert "(column 3: you U+003D EQUALS SIGN, the file U+0020 SPACE)" in said
    said = refusal("naïve\u0445\nb\n".encode(), "naïvex\nb", "x")
    assert "you U+0078 LATIN SMALL LETTER X, the file U+0445 CYRILLIC SMALL LETTER HA" in said
    said = refusal(b"b\nlast", "b\nlast line\nmore", "x")
    assert "line 3, file: (the file has ended)" in said


@pytest.mark.parametrize("lines", [40_000])
def test_large_files_are_no_trouble(lines: int) -> None:
    data = b"".join(b"\tline %d \xe2\x80\x93 x\r\n" % number for number in range(lines))
    result = replaced(data, "    line 39000 - x\n    line 39001 - x", "    one\n    two")
    assert result == data.replace(b"\tline 39000 \xe2\x80\x93 x\r\n\tline 39001 \xe2\x80\x93 x", b"\tone\r\n\ttwo")
    assert "nearest" in refusal(data, "line 5 – y\nline 6 – x\nline 7 – z", "q")
