"""Which keys an extension may bind: none that types something."""

import pytest

from panto.offers import Key


async def nothing() -> None:
    """A key that does nothing."""


@pytest.mark.parametrize("key", ["ctrl+y", "alt+x", "ctrl+alt+shift+left", "ctrl+shift+f5", "f6", "shift+f24", "alt+1"])
def test_chords_and_function_keys_are_keys(key: str) -> None:
    assert Key(key, "", nothing).key == key


@pytest.mark.parametrize(
    "key", ["y", "Y", "shift+y", "enter", "f25", "ctrl", "ctrl+", "shift+ctrl+y", "ctrl+Y", "", "é"]
)
def test_what_types_something_or_is_none_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="is no key to bind"):
        Key(key, "", nothing)
