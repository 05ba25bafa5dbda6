"""How events are laid out in the bytes of a response: each way is a reader, and the media type that announces it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class ServerEvent(NamedTuple):
    """One event: its name, if it has one, and its data as it came."""

    name: str
    data: bytes


class FramingError(Exception):
    """The bytes are not laid out as they should be, or an event is too long."""


class EventReader(Protocol):
    """Turns chunks of one response into events."""

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that this chunk completes. Raises `FramingError`."""
        ...

    def end(self) -> Iterator[ServerEvent]:
        """The event that the response's end completes, if there is one."""
        ...


@dataclass(frozen=True)
class Framing:
    """A layout. ``media_type`` is what is asked for and what the response is expected to say it is.

    ``whole_body``: a body that is one JSON value, and nothing else, is taken for an event as soon as it is whole.
    False where the reader itself knows such a body.
    """

    media_type: str
    reader: Callable[[], EventReader]
    whole_body: bool = True
