"""AWS's frames are taken apart however they are cut, and broken ones are told from other bodies."""

import pytest
from hypothesis import given, strategies as st

from panto.llm.formats.bedrock.event_stream import EXCEPTION, MAX_PAYLOAD, FrameDecoder
from panto.llm.framing import FramingError, ServerEvent
from tests.support.llm.bedrock.frames import event, exception, frame, prelude


def events(*chunks: bytes) -> list[ServerEvent]:
    decoder = FrameDecoder()
    found = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*found, *decoder.end()]


@given(st.lists(st.binary(max_size=40), max_size=4), st.integers(1, 30))
def test_how_the_bytes_are_cut_does_not_matter(payloads: list[bytes], size: int) -> None:
    data = b"".join(event("contentBlockDelta", payload) for payload in payloads)
    found = events(*(data[at : at + size] for at in range(0, len(data), size)))
    assert found == [ServerEvent("contentBlockDelta", payload) for payload in payloads]


def test_what_says_that_the_server_failed() -> None:
    error = frame({":message-type": "error", ":error-code": "InternalError", ":error-message": "oops"}, b"")
    assert events(exception("throttlingException", b"{}"), error) == [
        ServerEvent(f"{EXCEPTION}throttlingException", b"{}"),
        ServerEvent(f"{EXCEPTION}InternalError", b'{"message":"oops"}'),
    ]


def test_a_frame_that_was_cut_off_is_no_event() -> None:
    data = event("messageStop", b"{}")
    for size in range(len(data)):
        assert events(data[:size]) == []


@pytest.mark.parametrize("place", range(len(event("messageStop", b'{"stopReason": "end_turn"}'))))
def test_a_frame_with_a_wrong_byte_is_broken(place: int) -> None:
    """Whichever byte it is. Only a first byte that makes the body a text leaves it to others."""
    data = bytearray(event("messageStop", b'{"stopReason": "end_turn"}'))
    data[place] ^= 0x80
    with pytest.raises(FramingError):
        events(bytes(data))


def test_hostile_frames_are_broken_in_words() -> None:
    strange = [
        prelude(MAX_PAYLOAD + 17),
        prelude(1 << 20, 1 << 18),
        prelude(3),
        frame({":message-type": "event"}, b"").replace(b"\x07", b"\x63"),
    ]
    for data in strange:
        with pytest.raises(FramingError):
            events(data + b"\0" * 64)
    with pytest.raises(FramingError, match=f"longer than {MAX_PAYLOAD} bytes"):
        events(prelude(MAX_PAYLOAD + 17))


@pytest.mark.parametrize("text", [b'{"message": "no"}', b"<html>", b"\n \n", b"data: x\n\n"])
def test_a_text_has_no_events(text: bytes) -> None:
    assert events(text[:1], text[1:]) == []
