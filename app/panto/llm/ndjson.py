"""Newline-delimited JSON, decoded from bytes as they come: each line is an event.

Only a line feed ends a line, and bytes stay bytes until a line is whole, so that half a character at a chunk's end is
no matter. A last line that lacks its end counts too.
"""

from collections.abc import Iterator

from panto.llm.framing import Framing, FramingError, ServerEvent

MAX_LINE = 16 * 1024 * 1024
"""Bytes of one line at most: as for the events of other framings."""


class LineTooLongError(FramingError):
    """A line is longer than `MAX_LINE`."""


class LineDecoder:
    """Turns chunks of a response into events, one for each line that is not blank."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._rest = bytearray()  # an unfinished line

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that this chunk completes. Raises `LineTooLongError`."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._add(end)
            yield from self._take()
        self._add(rest)

    def end(self) -> Iterator[ServerEvent]:
        """The line that lacks its end, if there is one."""
        yield from self._take()

    def _add(self, piece: bytes) -> None:
        if len(self._rest) + len(piece) > self._max_line:
            raise LineTooLongError(f"a line of the answer is longer than {self._max_line} bytes")
        self._rest += piece

    def _take(self) -> Iterator[ServerEvent]:
        line = bytes(self._rest).strip()
        self._rest.clear()
        if line:
            yield ServerEvent("", line)


NDJSON = Framing("application/x-ndjson", LineDecoder, whole_body=False)
"""Lines of JSON as a framing."""
