"""Terminal output taken apart."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from tests.support.tty.parser import Control, Csi, Escape, Parser, String, Token

CASES: list[tuple[str, list[Token]]] = [
    ("a\x1b[1;31mb", ["a", Csi("", "1;31", "", "m"), "b"]),
    ("\x1b[?2026$p\x1b[?1049h", [Csi("?", "2026", "$", "p"), Csi("?", "1049", "", "h")]),
    (
        "\x1b[>1u\x1b[<u\x1b[=1;2u\x1b[?u",
        [Csi(">", "1", "", "u"), Csi("<", "", "", "u"), Csi("=", "1;2", "", "u"), Csi("?", "", "", "u")],
    ),
    ("\x1b[4:3m\x1b[2 q", [Csi("", "4:3", "", "m"), Csi("", "2", " ", "q")]),
    ("\x1b]0;title\x07x", [String("]", "0;title"), "x"]),
    ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", [String("]", "8;;http://a"), "link", String("]", "8;;")]),
    (
        "\x1bP>|text\x1b\\\x1b_Gi=1;\x1b\\\x1b^a\x1b\\\x1bXb\x1b\\",
        [String("P", ">|text"), String("_", "Gi=1;"), String("^", "a"), String("X", "b")],
    ),
    ("\x1b(B\x1b7\x1b=\x1b#8", [Escape("(", "B"), Escape("", "7"), Escape("", "="), Escape("#", "8")]),
    ("a\r\n\tb\x07", ["a", Control("\r"), Control("\n"), Control("\t"), "b", Control("\x07")]),
    ("\x1b[1\n2H", [Control("\n"), Csi("", "12", "", "H")]),
    ("\x1b[12\x18x", ["x"]),
    ("\x1b[12\x1b[1mx", [Csi("", "1", "", "m"), "x"]),
    ("\x1b[1?2hx", ["x"]),
    ("\x1b]0;broken\x1b[1mx", [Csi("", "1", "", "m"), "x"]),
    ("\x1bP bell \x07 inside\x1b\\x", [String("P", " bell \x07 inside"), "x"]),
    ("\x9b1m\x9d2;t\x9cx\x85", [Csi("", "1", "", "m"), String("]", "2;t"), "x"]),
    ("日本 👩‍🔧 é", ["日本 👩‍🔧 é"]),
    ("del\x7fete", ["del", "ete"]),
]


@pytest.mark.parametrize(("text", "tokens"), CASES, ids=[repr(text) for text, _ in CASES])
def test_takes_output_apart(text: str, tokens: list[Token]) -> None:
    assert Parser().feed(text.encode()) == tokens


def joined(tokens: list[Token]) -> list[Token]:
    """The tokens with text in a row put together: how it is cut up says nothing."""
    out: list[Token] = []
    for token in tokens:
        last = out[-1] if out else None
        if isinstance(token, str) and isinstance(last, str):
            out[-1] = last + token
        else:
            out.append(token)
    return out


pieces = st.sampled_from([text.encode() for text, _ in CASES]) | st.binary(max_size=6)


@given(data=st.lists(pieces, max_size=8).map(b"".join), cuts=st.lists(st.integers(0, 200)))
def test_how_the_bytes_arrive_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    parser = Parser()
    apart = [token for start, end in pairwise(borders) for token in parser.feed(data[start:end])]
    assert joined(apart) == joined(Parser().feed(data))


def test_a_number_that_is_missing_is_nought() -> None:
    assert Csi("", ";5;4:3", "", "m").numbers() == [0, 5, 4]
    assert Csi("", "", "", "H").numbers() == []
