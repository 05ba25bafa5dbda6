"""What goes to a model and what comes back: the one stream contract, whatever the wire format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from panto.json_values import JSONObject
from panto.messages import Assistant, Image, Message, Thinking, ToolOutput, ToolSchema

if TYPE_CHECKING:
    import httpx  # heavy: only what talks to a server loads it

    from panto.llm.remembered import Memory

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


Refusable: TypeAlias = Image | Thinking | ToolOutput
"""A part of a conversation that a server may not take, and that can be left out without the rest losing its sense."""


@dataclass(frozen=True)
class Refused:
    """What of a request a server does not take: parts of its messages, and tools by their own names."""

    parts: tuple[Refusable, ...] = ()
    tools: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts or self.tools)


@dataclass(frozen=True)
class Failure:
    """Why a request failed, for people and for the decision to retry.

    ``message`` says what happened, in the server's words where it gave some; ``hint`` what to do. ``retry_after`` is in
    seconds. ``item`` is the place in the body that the server objects to (``messages.3``), where it named one, and
    ``refused`` what stood there.
    """

    kind: FailureKind
    message: str
    hint: str = ""
    status: int | None = None
    retry_after: float | None = None
    item: str = ""
    refused: Refused = Refused()


ThinkingLevel: TypeAlias = Literal["off", "low", "medium", "high"]
ThinkingStyle: TypeAlias = Literal[
    "unknown",  # nothing is known: nothing is asked for
    "none",  # the model does not think
    "always",  # it thinks, and nothing about that can be chosen
    "switch",  # on or off
    "effort",  # how hard, in words
    "budget",  # how much, in tokens
    "adaptive",  # as much as it needs, guided by words
]
"""How a model is told to think."""


@dataclass(frozen=True)
class Request:
    """One call of a model, free of any wire format. ``model`` is the provider's own name for it.

    ``thinking`` is how much it should think (None: as it does by itself), ``thinking_style`` how it is told.
    ``sees_images``: whether it can be shown any.
    """

    model: str
    system: tuple[str, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int | None = None
    parameters: JSONObject = field(default_factory=dict[str, object])
    """Further parameters of the API, sent as they are (``temperature``)."""
    thinking: ThinkingLevel | None = None
    thinking_style: ThinkingStyle = "unknown"
    sees_images: bool = True
    session: str = ""
    """An id that stays the same for a conversation: some providers find their cache by it."""
    memory: "Memory | None" = field(default=None, repr=False, compare=False)
    """What is remembered of earlier requests to this model, so that this one is put quickly."""


class Signer(Protocol):
    """Signs requests, for servers that want that in place of a key."""

    @property
    def source(self) -> str:
        """Where its keys come from, for hints."""
        ...

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may hold."""
        ...

    def headers(self, url: str, body: bytes) -> Mapping[str, str]:
        """The headers that sign a post of JSON. They hold good for a few minutes."""
        ...


@dataclass(frozen=True)
class Access:
    """What opens a server's door: the key, and headers whose values may be secret.

    ``base_url`` and ``region`` say where, if that depends on the key; ``signer`` signs, where no key is sent.
    """

    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    base_url: str = ""
    region: str = ""
    signer: Signer | None = field(default=None, repr=False)


class AccessError(Exception):
    """The key, or a secret header, could not be had. ``hint`` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Credentials(Protocol):
    """Where keys come from when getting one takes time (a command, a keyring)."""

    async def get(self) -> Access:
        """The key and headers. Quick from the second time on. Raises `AccessError`."""
        ...

    def forget(self) -> None:
        """The server refused the key: look it up anew next time."""
        ...


class Transport(Protocol):
    """What an answer comes from. Every ``httpx.AsyncBaseTransport`` is one."""

    async def handle_async_request(self, request: "httpx.Request") -> "httpx.Response":
        """Answer one request."""
        ...

    async def aclose(self) -> None:
        """Let go of what is held."""
        ...


@dataclass(frozen=True)
class Quirks:
    """Where servers that speak one format differ. The defaults are what most of them take.

    ``key_header`` takes the key (``authorization`` as a bearer's). ``effort_field`` is where ``openai-chat`` is told
    how hard to think: a name, or a path with a dot; empty if it can't be told. ``thinking_off`` and ``thinking_on`` are
    a path and what stands there, for servers that have a switch. ``cache_key``: the session's id may be sent, for the
    cache to be found by.

    ``max_tokens_field`` names the parameter that bounds an answer. ``stream_options``: usage is asked for with it.
    ``late_system``: system messages may stand among the others. ``merge_users``: two user messages may not follow each
    other. ``assistant_after_tools``: a user message may not follow a tool's result. ``replay_reasoning``: reasoning may
    go back. ``call_id`` is a regular expression for ids of tool calls.
    """

    key_header: str = "authorization"
    effort_field: str = "reasoning_effort"
    thinking_off: tuple[str, str | bool] | None = None
    thinking_on: tuple[str, str | bool] | None = None
    cache_key: bool = False
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream_options: bool = True
    late_system: bool = False
    merge_users: bool = True
    assistant_after_tools: bool = False
    replay_reasoning: bool = True
    call_id: str = r"[a-zA-Z0-9_-]{1,40}"


@dataclass(frozen=True)
class Endpoint:
    """Where requests go: a provider with its address, key and limits (in seconds).

    ``stall_timeout`` bounds each wait for another byte, ``header_timeout`` the one for the first (None: the same).
    ``attempts`` counts the first try as well. ``key_source`` says where the key comes from (``ANTHROPIC_API_KEY``), for
    hints. ``credentials``, if given, are asked before each request, and win over ``api_key``.
    """

    provider: str
    api: str
    base_url: str
    api_key: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    """Parameters for every address (``api-version``)."""
    region: str = ""
    """Where the server stands, for providers that want to be told (``us-east-1``)."""
    num_ctx: int | None = None
    """Tokens of context to ask for, where the server gives as many as it is asked for."""
    connect_timeout: float = 20.0
    stall_timeout: float = 120.0
    max_retry_wait: float = 120.0
    transport: Transport | None = None
    """A transport that lives in this process; None for the network."""
    header_timeout: float | None = None
    attempts: int = 4
    quirks: Quirks = Quirks()
    credentials: Credentials | None = field(default=None, repr=False)
    signer: Signer | None = field(default=None, repr=False)
    key_source: str = ""


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
    """The request failed and will be made again in ``wait`` seconds. Nothing of the answer had come.

    ``attempt`` counts from 1 and is the one that failed, of ``attempts`` at most.
    """

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
