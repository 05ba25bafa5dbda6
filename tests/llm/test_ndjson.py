"""Lines of JSON are found in bytes, however those are cut."""

import pytest
from hypothesis import given, strategies as st

from panto.llm.ndjson import LineDecoder, LineTooLongError


def lines(*chunks: bytes) -> list[bytes]:
    """The data of the events in these chunks, and in what the end completes."""
    decoder = LineDecoder()
    found = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [event.data for event in (*found, *decoder.end())]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a":1}\n{"b":2}\n', [b'{"a":1}', b'{"b":2}']),
        (b'{"a":1}\r\n\r\n{"b":2}', [b'{"a":1}', b'{"b":2}']),
        (b"\n \n\t\n", []),
        (b"", []),
        ('"a\u2028b\u0085c"\n'.encode(), ['"a\u2028b\u0085c"'.encode()]),
        (b'"a\rb"\n', [b'"a\rb"']),
    ],
)
def test_each_line_that_is_not_blank_is_an_event(data: bytes, found: list[bytes]) -> None:
    assert lines(data) == found


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1), max_size=5), st.integers(1, 9))
def test_how_the_bytes_are_cut_does_not_matter(texts: list[str], size: int) -> None:
    data = "\n".join(texts).encode()
    assert lines(*(data[at : at + size] for at in range(0, len(data), size))) == lines(data)


def test_a_line_has_a_bound_wherever_it_is_cut() -> None:
    assert [event.data for event in LineDecoder(4).feed(b"1234\n1234\n")] == [b"1234", b"1234"]
    for chunks in ([b"12345"], [b"123", b"45"], [b"12345\n"], [b"1234\n", b"12345"]):
        decoder = LineDecoder(4)
        with pytest.raises(LineTooLongError, match="longer than 4 bytes"):
            for chunk in chunks:
                list(decoder.feed(chunk))


def test_the_end_completes_a_line_once() -> None:
    decoder = LineDecoder()
    assert list(decoder.feed(b'{"done"')) == []
    assert list(decoder.feed(b":true}")) == []
    assert [event.data for event in decoder.end()] == [b'{"done":true}']
    assert list(decoder.end()) == []
