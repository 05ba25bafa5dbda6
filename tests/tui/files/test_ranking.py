"""Which paths fit a word: the likeliest first, and the same however they came in."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.files.ranking import MOST, Ranking, chunk_of, places_in

PATHS = [
    "README.md",
    "src/",
    "src/cart/",
    "src/cart/totals.py",
    "src/cart/total_tax.py",
    "tests/test_totals.py",
    "Tom/x",
]


def ranked(word: str, *groups: list[str]) -> list[str]:
    """What fits, the best first."""
    ranking = Ranking(word)
    ranking.take(chunk_of(paths) for paths in groups)
    return list(ranking.best)


@pytest.mark.parametrize(
    ("word", "best"),
    [
        ("tot", ["src/cart/totals.py", "src/cart/total_tax.py", "tests/test_totals.py"]),
        ("TOTALS.PY", ["src/cart/totals.py", "tests/test_totals.py"]),
        ("sct", ["src/cart/", "src/cart/totals.py", "src/cart/total_tax.py"]),
        ("cart/", ["src/cart/"]),
        ("", ["README.md", "src/"]),
        ("nowhere", []),
    ],
)
def test_the_likeliest_comes_first(word: str, best: list[str]) -> None:
    found = ranked(word, PATHS)
    assert set(found[: len(best)]) == set(best)
    assert found[:1] == best[:1]


@given(st.lists(st.text("ab/.", min_size=1, max_size=6), max_size=40), st.text("ab/.", max_size=3), st.integers(0, 40))
def test_what_is_found_does_not_depend_on_the_pieces_in_which_it_came(paths: list[str], word: str, at: int) -> None:
    assert ranked(word, paths[:at], paths[at:]) == ranked(word, paths)


@given(st.lists(st.text("abc/", min_size=1, max_size=8), max_size=30), st.text("abc", min_size=1, max_size=3))
def test_all_letters_of_the_word_stand_in_what_is_found(paths: list[str], word: str) -> None:
    for path in ranked(word, paths):
        places = places_in(word, path)
        assert "".join(path[place] for place in places) == word
        assert list(places) == sorted(places)


def test_no_more_is_kept_than_a_list_can_show() -> None:
    assert len(ranked("a", [f"a{number}" for number in range(5_000)])) == MOST
