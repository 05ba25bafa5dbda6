"""Server-sent events come out the same however their bytes are cut, and only real line ends end lines."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from panto.llm.sse import EventDecoder, EventTooLongError, ServerEvent

STREAM = (
    '\ufeffevent: message_start\ndata: {"a": 1}\n\n: a comment\n\ndata: one\ndata:two\r\n\r\n'
    "data: \u2028 and \u0085 and \v are no line ends\r\rid: 7\nretry: 9\nnonsense\nevent: naïve\ndata: żółw 🐢\n\n"
).encode()
EVENTS = [
    ServerEvent("message_start", b'{"a": 1}'),
    ServerEvent("", b"one\ntwo"),
    ServerEvent("", "\u2028 and \u0085 and \v are no line ends".encode()),
    ServerEvent("naïve", "żółw 🐢".encode()),
]


def decoded(chunks: list[bytes]) -> list[ServerEvent]:
    decoder = EventDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)]


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_the_cuts_between_chunks_do_not_matter(cuts: list[int]) -> None:
    borders = [0, *sorted(cuts), len(STREAM)]
    assert decoded([STREAM[start:end] for start, end in pairwise(borders)]) == EVENTS


def test_every_byte_may_be_a_chunk_of_its_own() -> None:
    assert decoded([STREAM[place : place + 1] for place in range(len(STREAM))]) == EVENTS


def test_an_event_comes_as_soon_as_its_blank_line_is_there() -> None:
    decoder = EventDecoder()
    assert list(decoder.feed(b"data: x\r\n\r")) == [ServerEvent("", b"x")]
    assert list(decoder.feed(b"\ndata: y\n\n")) == [ServerEvent("", b"y")]


@pytest.mark.parametrize("tail", [b"data: last", b"data: last\n", b"data: last\r"])
def test_the_end_completes_an_event(tail: bytes) -> None:
    decoder = EventDecoder()
    assert list(decoder.feed(b"data: first\n\n" + tail)) == [ServerEvent("", b"first")]
    assert list(decoder.end()) == [ServerEvent("", b"last")]
    assert list(decoder.end()) == []


@pytest.mark.parametrize("chunks", [[b"data: " + b"x" * 101], [b"data: xxxxx\n"] * 21, [b"x" * 60, b"x" * 60]])
def test_an_event_has_its_bounds(chunks: list[bytes]) -> None:
    decoder = EventDecoder(max_event=100)
    with pytest.raises(EventTooLongError, match="100 bytes"):
        for chunk in chunks:
            list(decoder.feed(chunk))


def test_the_bounds_are_those_of_one_event() -> None:
    decoder = EventDecoder(max_event=100)
    events = [event for _ in range(50) for event in decoder.feed(b"data: " + b"x" * 50 + b"\n\n")]
    assert len(events) == 50
