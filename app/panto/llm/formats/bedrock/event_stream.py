"""The event streams of AWS: binary frames with headers and checksums. botocore takes them apart, and is loaded for it.

What does not begin like a frame, as a body of JSON or a page, is no event, and is left to whoever looks at bodies.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from panto.llm.framing import Framing, FramingError, ServerEvent
from panto.llm.json_text import to_json

if TYPE_CHECKING:
    from botocore.eventstream import EventStreamBuffer, EventStreamMessage

MAX_PAYLOAD = 24 * 1024 * 1024
"""Bytes of one event at most, as AWS has it."""
EXCEPTION = "exception:"
"""What stands before the name of an event that says that the server failed."""
_TEXT = frozenset(b"\t\n\r\f\v") | frozenset(range(0x20, 0x7F))
"""Bytes that a text begins with. A frame that begins so would be longer than any may be."""


class FrameDecoder:
    """Turns chunks of a response into events."""

    def __init__(self) -> None:
        self._buffer: EventStreamBuffer | None = None  # made for the first byte
        self._is_text = False

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that this chunk completes. Raises `FramingError`."""
        if self._buffer is None and chunk:
            from botocore.eventstream import EventStreamBuffer  # noqa: PLC0415 - only who asks AWS pays for it

            self._buffer = EventStreamBuffer()
            self._is_text = chunk[0] in _TEXT
        if self._buffer is None or self._is_text:
            return
        self._buffer.add_data(chunk)
        while (message := _next(self._buffer)) is not None:
            yield _event(message)

    def end(self) -> Iterator[ServerEvent]:
        """Nothing: a frame that was cut off is no event."""
        yield from ()


def _next(buffer: "EventStreamBuffer") -> "EventStreamMessage | None":
    from botocore.eventstream import InvalidHeadersLength, InvalidPayloadLength  # noqa: PLC0415 - as above

    try:
        return next(buffer)
    except StopIteration:
        return None
    except (InvalidPayloadLength, InvalidHeadersLength):
        raise FramingError(f"an event of the answer is longer than {MAX_PAYLOAD} bytes") from None
    except Exception as error:  # noqa: BLE001 - hostile bytes make the parser raise whatever its steps do
        raise FramingError(f"the answer's frames are broken: {error}") from None


def _event(message: "EventStreamMessage") -> ServerEvent:
    headers = cast("dict[str, object]", cast("object", message.headers))  # the stubs err about them
    match headers.get(":message-type"):
        case "exception":
            return ServerEvent(f"{EXCEPTION}{headers.get(':exception-type', '')}", message.payload)
        case "error":
            words = to_json({"message": str(headers.get(":error-message", ""))})
            return ServerEvent(f"{EXCEPTION}{headers.get(':error-code', '')}", words)
        case _:
            return ServerEvent(str(headers.get(":event-type", "")), message.payload)


EVENT_STREAM = Framing("application/vnd.amazon.eventstream", FrameDecoder)
"""AWS's event streams as a framing."""
