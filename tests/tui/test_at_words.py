"""``@path`` in a text: found where it stands, and written so that it is found again."""

import pytest
from hypothesis import given, strategies as st

from panto.tui.at_words import at_word_at, at_words, written_at


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see @a.py and @b/c", ["a.py", "b/c"]),
        ("mail me@host.org", []),
        ('(@x) "@y', ["x)", "y"]),
        ('@"my notes/plan a.md" too', ["my notes/plan a.md"]),
        ('@"a \\"b\\" c"', ['a "b" c']),
        ("@", [""]),
        ("@@a", ["@a"]),
    ],
)
def test_paths_are_found_and_addresses_are_none(text: str, paths: list[str]) -> None:
    assert [word.path for word in at_words(text)] == paths


@given(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
def test_what_is_written_is_found_again(path: str) -> None:
    (word,) = [word for word in at_words(f"see {written_at(path)} now") if word.start == 4]
    assert word.path == path or path.startswith("@")


def test_the_caret_is_in_a_word_until_its_second_quote() -> None:
    assert at_word_at("a @src b", 5) is not None
    assert at_word_at("a @src b", 2) is None
    assert at_word_at("a @src b", 7) is None
    assert at_word_at('@"a b"', 6) is None
    assert at_word_at('@"a b"', 5) is not None
