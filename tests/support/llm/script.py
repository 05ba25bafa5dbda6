"""What a scripted server is told to answer: plain data, the same for every wire format."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tests.support.llm.gate import Gate
from tests.support.llm.request import Request


@dataclass(frozen=True)
class Pause:
    """A silence in the stream, in seconds: for tests about slowness itself, never to wait for something."""

    seconds: float


Piece: TypeAlias = str | Gate | Pause
Text: TypeAlias = str | Sequence[Piece]
"""A plain string is cut into words, one event each; a sequence is sent piece by piece as it is."""

Stop: TypeAlias = Literal["content", "whole"] | int
"""Where a stream is broken off: before its ending, after all of it, or after that many bytes of the body."""

FailureKind: TypeAlias = Literal[
    "rate_limit", "overloaded", "quota", "context", "auth", "permission", "not_found", "bad_request", "server"
]


@dataclass(frozen=True)
class Call:
    """A tool call. Arguments given as text go out as they are, so that they may be broken or cut off."""

    name: str
    arguments: Mapping[str, object] | Text = field(default_factory=dict[str, object])
    id: str | None = None


@dataclass(frozen=True)
class Usage:
    """Token counts of one answer. `input` counts all input, cached and newly cached tokens included."""

    input: int
    output: int
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Framing:
    """How the bytes of a stream are cut into HTTP chunks; by default each event is one.

    `split`: a chunk every n bytes, or at these offsets of the body. `together`: as few chunks as the gates allow.
    `ping_every`: a sign of life (a ping event or a comment) after every n events. `crlf`: lines end in CR LF.
    """

    split: int | Sequence[int] | None = None
    together: bool = False
    ping_every: int = 0
    crlf: bool = False


@dataclass(frozen=True)
class Reply:
    """A model's answer.

    `stop`: None is "tools" if there are calls, else "end". "end", "tools", "length" and "refusal" become the provider's
    own words; any other word is sent as it is. `thinking_shown`: False leaves a signature and no text, as some models
    do. `redacted`: encrypted thinking. Both for the wire formats that know it.
    """

    text: Text = ""
    thinking: Text = ""
    tool_calls: Sequence[Call] = ()
    stop: str | None = None
    usage: Usage | None = None
    thinking_shown: bool = True
    redacted: str = ""
    framing: Framing = field(default_factory=Framing)


@dataclass(frozen=True)
class Raw:
    """These bytes as the body of the response: one chunk, or one for each item."""

    body: bytes | Sequence[bytes | Gate | Pause]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Events:
    """A stream of hand-made events: a dict as JSON in the wire format's framing, a str as the data itself."""

    events: Sequence[Mapping[str, object] | str | Gate | Pause]
    framing: Framing = field(default_factory=Framing)


@dataclass(frozen=True)
class Status:
    """A status code, with this body, or without one an error as the provider shapes it."""

    status: int
    body: str | bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Failure:
    """A class of error, sent with each provider's own status and body. `retry_after`: seconds, as a header."""

    kind: FailureKind
    message: str | None = None
    retry_after: float | None = None


@dataclass(frozen=True)
class StreamError:
    """An answer that turns into an error event in mid-stream."""

    kind: FailureKind = "overloaded"
    after: Reply | str = ""
    message: str | None = None


@dataclass(frozen=True)
class Cut:
    """An answer that breaks off. reset: connection reset; close: closed in the middle of the body; finish: a body that
    ends as HTTP wants it, but too early."""

    after: Reply | str = ""
    how: Literal["reset", "close", "finish"] = "reset"
    at: Stop = "content"


@dataclass(frozen=True)
class Hold:
    """An answer that falls silent with the socket open, until the client goes or the test calls `release`."""

    after: Reply | str = ""
    at: Stop = "content"
    gate: Gate = field(default_factory=Gate)

    def release(self) -> None:
        """Send the rest."""
        self.gate.open()

    def wait_reached(self, timeout: float = 30.0) -> None:
        """Block until all before the silence is sent. Seconds; raises `TimeoutError`."""
        self.gate.wait_reached(timeout)


@dataclass(frozen=True)
class Delay:
    """Nothing, not even a status line, for some seconds or until a gate opens; then the step."""

    until: float | Gate
    then: "Step | str"


Step: TypeAlias = Reply | Raw | Events | Status | Failure | StreamError | Cut | Hold | Delay
Turn: TypeAlias = Step | str | Callable[[Request], Step | str]
"""One request's answer: a step, a plain text, or a function that makes one of them from the request."""


def pieces(text: Text) -> list[Piece]:
    """The pieces a text goes out in; words keep the space before them, so that they join to the very same text."""
    return list(re.findall(r"\s*\S+|\s+", text)) if isinstance(text, str) else list(text)


def joined(text: Text) -> str:
    """The text without its gates and pauses."""
    return text if isinstance(text, str) else "".join(piece for piece in text if isinstance(piece, str))


def as_reply(after: Reply | str) -> Reply:
    """A plain text as a reply."""
    return Reply(after) if isinstance(after, str) else after
