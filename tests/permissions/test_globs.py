"""Globs, against the regular expressions that they stand for, and with patterns made to take for ever."""

import re

import pytest
from hypothesis import given, strategies as st

from panto.permissions.globs import parse_glob

PIECES = st.lists(st.sampled_from(["*", "**", "**/", "?", "a", "b", "/", "ab", "."]), max_size=7).map("".join)
TEXTS = st.text("ab/.\n", max_size=12)


def as_expression(pattern: str, star: str) -> re.Pattern[str]:
    """What a glob stands for."""
    tokens = {"**/": "(?:.*/)?", "**": ".*", "*": star, "?": "."}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(tokens.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)


@given(PIECES, TEXTS, st.booleans())
def test_a_glob_matches_what_its_expression_does(pattern: str, text: str, of_path: bool) -> None:
    expression = as_expression(pattern, "[^/]*" if of_path else ".*")
    assert parse_glob(pattern, of_path=of_path).matches(text) == (expression.fullmatch(text) is not None)


@pytest.mark.parametrize("of_path", [True, False])
def test_many_wildcards_and_a_long_text_take_no_long_time(of_path: bool) -> None:
    """The expression would try more ways than there is time for."""
    glob = parse_glob("*a" * 60 + "b", of_path=of_path)
    assert not glob.matches("a" * 20_000)
    assert glob.matches("a" * 20_000 + "b")
