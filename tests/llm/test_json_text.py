"""JSON goes out as valid UTF-8 whatever its strings hold, and comes in forgiving what servers get wrong."""

import json
import math

import pytest
from hypothesis import given, strategies as st

from panto.llm.json_text import from_json, to_json, valid_text

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_anything_becomes_valid_utf_8(value: object) -> None:
    json.loads(to_json(value).decode("utf-8"))


@given(any_text)
def test_valid_text_is_left_alone(text: str) -> None:
    assert valid_text(valid_text(text)) == valid_text(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        assert valid_text(text) != text
    else:
        assert valid_text(text) == text


def test_halves_that_belong_together_are_joined() -> None:
    assert valid_text("a\ud83d\ude00b\ud83d") == "a😀b\ufffd"


def test_what_no_json_can_hold_is_told() -> None:
    with pytest.raises(TypeError):
        to_json({"a": object()})
    assert to_json(math.nan) == b"null"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'{"a": "line\nfeed"}', {"a": "line\nfeed"}),
        (b'"\\ud83d"', "\ud83d"),
        (b'"\xff"', "\ufffd"),
    ],
)
def test_what_servers_get_wrong_is_forgiven(data: bytes, value: object) -> None:
    assert from_json(data) == value


@pytest.mark.parametrize("data", [b"", b"{", b"nope", b"[" * 100_000, b'{"a": 1} x'])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        from_json(data)
