"""Names: who has them, and who gets them back."""

import pytest

from panto.offers import Registry


@pytest.fixture
def words() -> Registry[tuple[str, ...]]:
    """Things that are nothing but their names."""
    return Registry("word ", lambda names: names)


def test_a_thing_is_found_by_each_of_its_names_and_listed_once(words: Registry[tuple[str, ...]]) -> None:
    cry = ("cry", "shout", "c")
    remove = words.add(cry)
    words.add(("ask",))
    assert words.get("c") is words.get("shout") is cry
    assert words.all() == [("ask",), cry]
    remove()
    remove()
    assert words.all() == [("ask",)]
    assert words.get("shout") is None


@pytest.mark.parametrize("second", [("cry",), ("weep", "shout")])
def test_a_name_that_is_taken_is_refused_with_all_that_came_with_it(
    words: Registry[tuple[str, ...]], second: tuple[str, ...]
) -> None:
    words.add(("cry", "shout"))
    with pytest.raises(ValueError, match=rf"^there is a word {second[-1]} already$"):
        words.add(second)
    assert words.get("weep") is None


def test_a_reserved_name_stays_free(words: Registry[tuple[str, ...]]) -> None:
    words.reserve(frozenset({"cry"}))
    with pytest.raises(ValueError, match="there is a word cry already"):
        words.add(("cry",))
    assert words.all() == []


def test_taking_one_back_does_not_take_the_next_of_that_name(words: Registry[tuple[str, ...]]) -> None:
    first, second = ("cry",), ("cry", "c")
    remove = words.add(first)
    remove()
    words.add(second)
    remove()
    assert words.get("cry") is second
