"""The one vocabulary of a conversation: messages, made of parts.

The same structs are used in memory, on disk, on the bus and in tests. They are frozen: a message that was said stays
as it was said, and whoever wants another makes another. Data that only one provider understands (thinking signatures,
encrypted reasoning) rides along in ``opaque`` and goes back unchanged, and only to the model that made it, which
`Assistant.model` names.
"""

import secrets
import time
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec

from panto.json_values import JSONObject

StopReason: TypeAlias = Literal["end", "tool_calls", "length", "refused", "cancelled", "error", "unknown"]
"""Why a model stopped: it had finished, wants tools run, met a length limit, was kept from answering, the user
stopped it, the request failed midway, or for a reason that the server gave and nobody here knows."""

STOP_REASONS: frozenset[str] = frozenset(get_args(StopReason))


def new_id() -> str:
    """A new id for a session or an entry: 20 hexadecimal digits that sort by the time they were made."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(4)}"


class Part(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="part"):
    """What a message is made of."""


class Text(Part, frozen=True, tag="text"):
    """Plain text, or an answer's Markdown."""

    text: str


class Thinking(Part, frozen=True, tag="thinking"):
    """A model's reasoning: the text it showed (maybe none), and what must go back with it unchanged."""

    text: str = ""
    opaque: JSONObject = {}


class Image(Part, frozen=True, tag="image"):
    """A picture, as its file's bytes. ``media_type`` as in HTTP, such as ``image/png``."""

    media_type: str
    data: bytes


class ToolCall(Part, frozen=True, tag="tool_call"):
    """A model's wish to have a tool run.

    ``name`` is the tool's own (``std.read``), never the name on the wire. ``problem`` says why the call must not be
    run, if so (its arguments were cut off, or are no JSON object); ``arguments`` is then empty and ``raw`` has the text
    that came, for people to read.
    """

    id: str
    name: str
    arguments: JSONObject = {}
    opaque: JSONObject = {}
    problem: str = ""
    raw: str = ""


class ToolOutput(Part, frozen=True, tag="tool_output"):
    """What came of a tool call.

    ``text`` and ``images`` are what the model sees. The rest is for people: ``shown`` is the tool's own output when
    extensions added to ``text`` (None: the same), ``notes`` are the lines below it, ``summary`` says the result in a
    few words, ``diff`` is a unified diff of what changed, ``seconds`` is how long it took.
    """

    call_id: str
    name: str
    text: str = ""
    images: tuple[Image, ...] = ()
    is_error: bool = False
    stopped: bool = False
    shown: str | None = None
    notes: tuple[str, ...] = ()
    summary: str = ""
    diff: str = ""
    seconds: float = 0.0


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens as the provider counted them. None: the provider did not say, which is not zero.

    ``input`` counts all that was sent, ``cached`` the part of it that came from the provider's cache, and
    ``cache_written`` the part that was put there; ``reasoning`` is the part of ``output`` spent on thinking. ``cost``
    is in US dollars, by the prices of its day.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_written: int | None = None
    reasoning: int | None = None
    cost: float | None = None


class BaseMessage(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="role"):
    """What a conversation is made of."""


class System(BaseMessage, frozen=True, tag="system"):
    """Instructions that are part of the history, such as rules that came late."""

    text: str


class User(BaseMessage, frozen=True, tag="user"):
    """What the user said, or a notice in the user's stead.

    ``shown`` is what people see of it when a command made the text (None: the text itself), ``notes`` are the lines
    below it, on what goes along.
    """

    parts: tuple[Text | Image, ...]
    shown: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message's text, without its images."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def as_typed(self) -> str:
        """What the user typed, as far as it is known."""
        return self.text if self.shown is None else self.shown


class Assistant(BaseMessage, frozen=True, tag="assistant"):
    """What a model answered, whole or as far as it came. ``model`` is ``provider/model``."""

    parts: tuple[Text | Thinking | ToolCall, ...] = ()
    model: str = ""
    stop: StopReason = "end"
    usage: Usage = Usage()
    error: str = ""

    @property
    def text(self) -> str:
        """The answer's text, without thinking and calls."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in the order the model made them."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Tool(BaseMessage, frozen=True, tag="tool"):
    """Results of tool calls. One message may hold several, and several messages may answer one `Assistant`."""

    parts: tuple[ToolOutput, ...]


Message: TypeAlias = Annotated[System | User | Assistant | Tool, "any message"]


def images_of(message: Message) -> tuple[Image, ...]:
    """The images of a message: the user's, or those of results."""
    match message:
        case User(parts):
            return tuple(part for part in parts if isinstance(part, Image))
        case Tool(outputs):
            return tuple(image for output in outputs for image in output.images)
        case _:
            return ()


class ToolSchema(msgspec.Struct, frozen=True):
    """A tool as a model is told of it. ``parameters`` is the JSON Schema of an object."""

    name: str
    description: str
    parameters: JSONObject
