"""What a wire format is: how a request is put, and how the answer's events are read."""

from collections.abc import Callable, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from panto.json_values import JSONObject
from panto.llm.framing import Framing, ServerEvent
from panto.llm.names import ToolNames
from panto.llm.sse import SSE
from panto.llm.types import Endpoint, Failure, Request, StreamEvent
from panto.messages import Assistant

USAGE_WAIT = 5.0
"""Seconds to wait, after a whole answer, for the count of its tokens."""
END_WAIT = 0.2
"""Seconds to wait, after all that is needed, for the response's proper end: then the connection can be used again."""


class RequestError(Exception):
    """A request can't be put in this format: what is wrong with it."""


class ServerError(Exception):
    """The server says in its answer that it failed. ``error`` is the object in which it does."""

    def __init__(self, error: JSONObject) -> None:
        super().__init__("the server reports an error")
        self.error = error


class Decoder(Protocol):
    """Reads one answer."""

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        ...

    def feed(self, event: ServerEvent) -> Sequence[StreamEvent]:
        """Take an event; what comes back are deltas.

        Raises `ServerError` if the event says that the server failed, and `ValueError` if it is not of this API.
        """
        ...

    def message(self, broken: str = "") -> Assistant:
        """The answer so far. ``broken`` says why no more will come, if it is not whole."""
        ...


@dataclass(frozen=True)
class Post:
    """A call as bytes, with its whole address."""

    url: str
    body: bytes
    headers: dict[str, str] = field(repr=False)


@dataclass(frozen=True)
class Call:
    """A request as it goes over the wire, and what will read its answer. ``path`` goes behind the server's address.

    ``framing`` is how the answer's events are laid out. ``sign`` makes the last change before the request is sent, for
    APIs that want all of it signed; it may raise `RequestError`. ``hint`` says what to do about a failure where this
    API knows better than the usual hint; empty if it does not.
    """

    path: str
    body: JSONObject
    decoder: Decoder
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    framing: Framing = SSE
    sign: Callable[[Post], Post] | None = None
    hint: Callable[[Failure], str] | None = None


WireFormat: TypeAlias = Callable[[Request, Endpoint, ToolNames], Call]
"""One API: how a request is put. Raises `RequestError`."""


def key_headers(endpoint: Endpoint) -> dict[str, str]:
    """The header that carries the key, if there is one: in ``authorization`` as a bearer's, elsewhere as it is."""
    if not endpoint.api_key:
        return {}
    name = endpoint.quirks.key_header
    return {name: f"Bearer {endpoint.api_key}" if name == "authorization" else endpoint.api_key}


def with_parameters(body: JSONObject, parameters: JSONObject, ours: AbstractSet[str]) -> JSONObject:
    """The body with further parameters. Raises `RequestError` for those that are not the caller's to set."""
    taken = sorted(ours & parameters.keys())
    if taken:
        raise RequestError(f"the request's parameters may not set {', '.join(taken)}")
    return {**body, **parameters}
