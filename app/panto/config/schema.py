"""The settings that the program itself has: their names, types, defaults, and what they are for.

The descriptions feed the settings screen and the manual. What an extension can be told is the extension's own: see
`Config.settings_for`.
"""

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

ADDS_UP = {"adds_up": True}
"""Marks an array (as a `Meta`'s `extra`) that no layer can shorten: each layer's elements join the lower layers'."""

Mode = Literal["plan", "ask", "build"]
Api = Literal["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "bedrock"]
Thinking = Literal["off", "low", "medium", "high"]
HowToThink = Literal["unknown", "none", "always", "switch", "effort", "budget", "adaptive"]
Modality = Literal["text", "image"]
Dollars = Annotated[float, Meta(ge=0, le=1_000_000)]
Tokens = Annotated[int, Meta(gt=0)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Wait = Annotated[float, Meta(ge=0, le=86_400)]
Url = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?\Z",
        title="an http:// or https:// address without user name or query",
    ),
]
ApiVersion = Annotated[str, Meta(pattern=r"^[A-Za-z0-9.-]{1,40}\Z", title="a version, as 2024-10-21")]
HeaderName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z", title="the name of an HTTP header")]
Name = Annotated[str, Meta(min_length=1)]

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")  # conventional names only: who knows what else stands behind `env:`
_ENTRY = re.compile(r"[\w.@-]{1,24}")


class Secret:
    """A text of one line that is not for showing, such as a key: only `reveal` gives it away."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text as it stands in the settings: for an api_key its spelling (`env:NAME`), not what that leads to."""
        return self._text

    def __str__(self) -> str:
        """Where the secret comes from, if it is certain that this is no secret itself; else a mask."""
        kind, _, name = self._text.partition(":")
        if (kind == "env" and _VARIABLE.fullmatch(name)) or (kind == "keyring" and _ENTRY.fullmatch(name)):
            return self._text
        return "!********" if self._text.startswith("!") else "********"

    def __repr__(self) -> str:
        return f"Secret({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


class ModelSettings(Struct, frozen=True, kw_only=True):
    """What the catalogue can't know about a model."""

    context_window: Annotated[Tokens | None, Meta(description="Tokens that fit the model's context.")] = None
    max_tokens: Annotated[Tokens | None, Meta(description="Tokens that one answer may have.")] = None
    num_ctx: Annotated[
        Tokens | None, Meta(description="Tokens of context that ollama is to give the model; it takes memory.")
    ] = None
    thinking: Annotated[HowToThink | None, Meta(description="How the model is told how much to think.")] = None
    input: Annotated[tuple[Modality, ...] | None, Meta(description="What the model can be shown.")] = None
    price_input: Annotated[Dollars | None, Meta(description="USD for a million tokens that are sent.")] = None
    price_cached: Annotated[
        Dollars | None, Meta(description="USD for a million tokens that come from the provider's cache.")
    ] = None
    price_output: Annotated[
        Dollars | None, Meta(description="USD for a million tokens of answers; needs price_input beside it.")
    ] = None


class Provider(Struct, frozen=True, kw_only=True):
    """A server that models are asked at."""

    api: Annotated[Api | None, Meta(description="The wire format that the server speaks.")] = None
    base_url: Annotated[
        Url | None, Meta(description="The address that the wire format's own paths are put behind, as https://host/v1.")
    ] = None
    api_version: Annotated[
        ApiVersion | None,
        Meta(description="The version for Azure's older addresses, as 2024-10-21; the /openai/v1 address needs none."),
    ] = None
    api_key: Annotated[
        Secret | None,
        Meta(description='env:NAME, keyring:NAME, "!command" that prints the key, or the key itself.'),
    ] = None
    headers: Annotated[dict[HeaderName, Secret], Meta(description="HTTP headers to send with each request.")] = field(
        default_factory=dict[str, Secret]
    )
    region: Annotated[Name | None, Meta(description="The region of AWS, for bedrock, as us-east-1.")] = None
    profile: Annotated[Name | None, Meta(description="The profile of the AWS configuration, for bedrock.")] = None
    models: Annotated[
        dict[str, ModelSettings], Meta(description="What the catalogue can't know about the server's models, by name.")
    ] = field(default_factory=dict[str, ModelSettings])
    stall_timeout: Annotated[Seconds, Meta(description="Seconds without a byte after which an answer is given up.")] = (
        120.0
    )
    connect_timeout: Annotated[Seconds, Meta(description="Seconds to wait for a connection.")] = 15.0
    max_retry_wait: Annotated[
        Wait, Meta(description="The longest wait, in seconds, before a request is tried again.")
    ] = 60.0


class Extensions(Struct, frozen=True, kw_only=True):
    """Which extensions are loaded. Ids are `suite.name`; in globs, deny wins."""

    allow: Annotated[tuple[str, ...], Meta(description="Globs of the extensions to switch on.")] = ("*",)
    deny: Annotated[tuple[str, ...], Meta(description="Globs of the extensions to switch off.")] = ()
    paths: Annotated[tuple[Name, ...], Meta(description="Files and directories with more extensions.")] = ()
    packages: Annotated[tuple[Name, ...], Meta(description="Installed packages with more extensions.")] = ()


class Permissions(Struct, frozen=True, kw_only=True):
    """Rules as `ability(pattern)`, for what tools may do. No layer can take away the rules of another."""

    allow: Annotated[tuple[Name, ...], Meta(description="What is done without asking.", extra=ADDS_UP)] = ()
    ask: Annotated[tuple[Name, ...], Meta(description="What is always asked for.", extra=ADDS_UP)] = ()
    deny: Annotated[tuple[Name, ...], Meta(description="What is never done.", extra=ADDS_UP)] = ()


class Debug(Struct, frozen=True, kw_only=True):
    """What is written down to find faults by."""

    wire: Annotated[
        bool,
        Meta(description="Write each request to a model and its answer into wire.jsonl beside the log, without keys."),
    ] = False


class Ui(Struct, frozen=True, kw_only=True):
    """How the screen behaves."""

    vi: Annotated[bool, Meta(description="Have the keys of vi in the prompt.")] = False


class Settings(Struct, frozen=True, kw_only=True):
    """All the settings of the program itself."""

    model: Annotated[Name | None, Meta(description="The model to start with, as provider/model.")] = None
    mode: Annotated[Mode, Meta(description="What the agent may do: plan reads only, ask asks, build works.")] = "build"
    thinking: Annotated[
        Thinking | None, Meta(description="How much the model thinks; without it, as it does by itself.")
    ] = None
    theme: Annotated[Name, Meta(description="The colours of the screen, by the theme's name.")] = "panto-dark"
    providers: Annotated[dict[str, Provider], Meta(description="The servers that models are asked at, by name.")] = (
        field(default_factory=dict[str, Provider])
    )
    extensions: Annotated[Extensions, Meta(description="Which extensions are loaded.")] = Extensions()
    permissions: Annotated[Permissions, Meta(description="What tools may do.")] = Permissions()
    ui: Annotated[Ui, Meta(description="How the screen behaves.")] = Ui()
    debug: Annotated[Debug, Meta(description="What is written down to find faults by.")] = Debug()
