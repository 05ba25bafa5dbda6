"""Server-sent events, decoded from bytes as they come, without trust in their size or their ends.

The decoder works on bytes, so that half a character at a chunk's end is no matter, and only what the standard calls a
line end is one. It differs from the standard in one thing: an event that the connection's end cut off from its blank
line still counts, since several servers end that way.
"""

from collections.abc import Iterator

from panto.llm.framing import Framing, FramingError, ServerEvent

MAX_EVENT = 16 * 1024 * 1024
"""Bytes of one event at most: answers may hold pictures."""


class EventTooLongError(FramingError):
    """An event is longer than `MAX_EVENT`."""


class EventDecoder:
    """Turns chunks of a response into events."""

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self._max_event = max_event
        self._rest = bytearray()  # an unfinished line
        self._after_return = False  # the last line ended with a return, so that a line feed may belong to it
        self._at_start = True
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that this chunk completes. Raises `EventTooLongError`."""
        if self._after_return and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_return = False
        if not chunk:
            return
        self._after_return = chunk.endswith(b"\r")
        lines = chunk.splitlines()
        unfinished = b"" if chunk.endswith((b"\r", b"\n")) else lines.pop()
        for line in lines:
            event = self._line(line if not self._rest else self._completed(line))
            if event is not None:
                yield event
        self._rest += unfinished
        self._bound()

    def end(self) -> Iterator[ServerEvent]:
        """The event that the response's end completes, if there is one."""
        for text in (bytes(self._rest), b""):
            event = self._line(text)
            if event is not None:
                yield event
        self._rest.clear()

    def _completed(self, line: bytes) -> bytes:
        whole = bytes(self._rest) + line
        self._rest.clear()
        return whole

    def _line(self, line: bytes) -> ServerEvent | None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._size += len(value)
            self._bound()
            self._data.append(value.removeprefix(b" "))
        elif name == b"event":
            self._name = value.removeprefix(b" ").decode("utf-8", "replace")
        return None

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(self._name, b"\n".join(self._data)) if self._data else None
        self._name = ""
        self._data = []
        self._size = 0
        return event

    def _bound(self) -> None:
        if self._size + len(self._rest) > self._max_event:
            raise EventTooLongError(f"one event is longer than {self._max_event} bytes")


SSE = Framing("text/event-stream", EventDecoder)
"""Server-sent events as a framing."""
