"""What goes to a model and what comes back: the one stream contract, whatever the wire format."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import httpx

from panto.json_values import JSONObject
from panto.messages import Assistant, Message, ToolSchema

FailureKind: TypeAlias = Literal[
    "auth",  # no key, a wrong key, or one that may not do this
    "not_found",  # no such model, or no such address
    "rate_limit",  # too many requests; `retry_after` says how long, if the server did
    "quota",  # nothing left to spend: waiting does not help
    "overloaded",  # the server is busy
    "context_too_long",  # the request does not fit into the model's window
    "bad_request",  # the server does not take the request as it is
    "server",  # a fault on the server's side
    "network",  # no connection, or it broke
    "stalled",  # the connection stands, and nothing comes
    "protocol",  # what came is not what this API says
    "config",  # the request could not even be made
]


@dataclass(frozen=True)
class Failure:
    """Why a request failed, for people and for the decision to retry.

    ``message`` says what happened, in the server's words where it gave some; ``hint`` what to do. ``retry_after`` is in
    seconds. ``item`` names what the server objects to (``messages.3``), where it did.
    """

    kind: FailureKind
    message: str
    hint: str = ""
    status: int | None = None
    retry_after: float | None = None
    item: str = ""


@dataclass(frozen=True)
class Request:
    """One call of a model, free of any wire format. ``model`` is the provider's own name for it."""

    model: str
    system: tuple[str, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int | None = None
    parameters: JSONObject = field(default_factory=dict[str, object])
    """Further parameters of the API, sent as they are (``temperature``)."""


@dataclass(frozen=True)
class Endpoint:
    """Where requests go: a provider with its address, key and limits (in seconds)."""

    provider: str
    api: str
    base_url: str
    api_key: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    connect_timeout: float = 20.0
    stall_timeout: float = 120.0
    max_retry_wait: float = 120.0
    transport: httpx.AsyncBaseTransport | None = None
    """A transport that lives in this process; None for the network."""


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True)
class ThinkingDelta:
    """A piece of the reasoning."""

    text: str


@dataclass(frozen=True)
class CallDelta:
    """A tool call begins (``arguments`` empty), or another piece of its arguments came. ``name`` is the tool's own."""

    index: int
    name: str
    arguments: str = ""


@dataclass(frozen=True)
class Retrying:
    """The request failed and will be made again in ``wait`` seconds. Nothing of the answer had come."""

    failure: Failure
    wait: float
    attempt: int
    attempts: int


@dataclass(frozen=True)
class Done:
    """The end of a stream that went well."""

    message: Assistant


@dataclass(frozen=True)
class Failed:
    """The end of a stream that did not: ``message`` is what came before, maybe empty."""

    message: Assistant
    failure: Failure


StreamEvent: TypeAlias = TextDelta | ThinkingDelta | CallDelta | Retrying | Done | Failed
