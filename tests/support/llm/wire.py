"""What each wire format gives the server, and how events become the chunks of a body."""

import json
import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from tests.support.llm.checks import JSONObject
from tests.support.llm.gate import Gate
from tests.support.llm.request import Reading, Request
from tests.support.llm.script import FailureKind, Framing, Pause, Reply

Item: TypeAlias = bytes | Gate | Pause
"""Bytes to send, or a halt."""


@dataclass(frozen=True)
class Stream:
    """An answer's events: the content, and what comes after the last of it (stop reason, usage, end mark)."""

    content: list[Item]
    ending: list[bytes]


class ErrorAnswer(NamedTuple):
    """An error as a provider sends it."""

    status: int
    body: JSONObject
    headers: dict[str, str]


class WireFormat(Protocol):
    """One provider API: which path it is asked at, what it takes, and how it answers."""

    @property
    def name(self) -> str:
        """Its name in the program's config."""
        ...

    @property
    def base(self) -> str:
        """What of the path belongs to the server's address, as config has it (``/v1``)."""
        ...

    @property
    def media_type(self) -> str:
        """What a stream says it is."""
        ...

    def calls(self, path: str) -> bool:
        """Whether a POST to this path is a model call."""
        ...

    def streams(self, request: Request) -> bool:
        """Whether the answer is to be a stream."""
        ...

    def authorise(self, request: Request, api_key: str | None) -> None:
        """Check the key; without one to check against, only what the API wants of any. Raises `RefusedError`."""
        ...

    def check(self, request: Request) -> None:
        """Check headers and body as the API does. Raises `RefusedError`."""
        ...

    def read(self, request: Request) -> Reading:
        """What the request says. Must bear any body."""
        ...

    def stream(self, reply: Reply, request: Request) -> Stream:
        """The reply as the events of a stream."""
        ...

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """The reply as one JSON body."""
        ...

    def event(self, payload: Mapping[str, object] | str) -> bytes:
        """One event: a payload as JSON, or a text as the data itself."""
        ...

    def failure_event(self, kind: FailureKind, message: str | None = None) -> bytes:
        """A class of error in the midst of a stream."""
        ...

    def ping(self) -> bytes:
        """A sign of life that means nothing."""
        ...

    def headers(self) -> dict[str, str]:
        """The headers this provider puts on each response."""
        ...

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """A class of error in this provider's words."""
        ...

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """An error with this status; `kind`, `param` and `code` where the provider has room for them."""
        ...

    def models(self, names: Sequence[str]) -> JSONObject:
        """The answer to a question for the list of models."""
        ...


def sse(data: str, event: str | None = None) -> bytes:
    """One server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {data}\n\n".encode()


def compact(payload: Mapping[str, object]) -> str:
    """JSON as the providers write it: no spaces, text as it is."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def fresh_id(prefix: str, length: int = 24) -> str:
    """An id never used before, by this server or another: a session may outlive the server it began with."""
    return prefix + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(length))


def framed(items: Sequence[Item], framing: Framing, ping: bytes) -> list[Item]:
    """The items cut into chunks as the framing says. Halts stay where they are in the stream of bytes."""
    chunks: list[Item] = []
    run: list[bytes] = []
    position = 0
    for item in [*_with_pings(items, framing.ping_every, ping), None]:
        if isinstance(item, bytes):
            run.append(item.replace(b"\n", b"\r\n") if framing.crlf else item)
            continue
        chunks += _chunks(run, framing, position)
        position += sum(map(len, run))
        run = []
        if item is not None:
            chunks.append(item)
    return chunks


def divided(items: Sequence[Item], size: int) -> tuple[list[Item], list[Item]]:
    """The items that make the first `size` bytes, and the others; an item across the border is cut in two."""
    head: list[Item] = []
    left = size
    for position, item in enumerate(items):
        if left <= 0:
            return head, list(items[position:])
        if isinstance(item, bytes) and len(item) > left:
            return [*head, item[:left]], [item[left:], *items[position + 1 :]]
        head.append(item)
        left -= len(item) if isinstance(item, bytes) else 0
    return head, []


def _with_pings(items: Sequence[Item], every: int, ping: bytes) -> list[Item]:
    if not every:
        return list(items)
    out: list[Item] = []
    events = 0
    for item in items:
        out.append(item)
        if isinstance(item, bytes):
            events += 1
            if events % every == 0:
                out.append(ping)
    return out


def _chunks(run: list[bytes], framing: Framing, position: int) -> list[bytes]:
    """One unbroken run of events as chunks; `position` is where the run begins in the body."""
    if framing.split is None:
        return [b"".join(run)] if framing.together and run else run
    data = b"".join(run)
    if isinstance(framing.split, int):
        borders = list(range(framing.split, len(data), framing.split))
    else:
        borders = sorted(offset - position for offset in set(framing.split) if 0 < offset - position < len(data))
    return [data[start:end] for start, end in zip([0, *borders], [*borders, len(data)], strict=True) if start < end]
