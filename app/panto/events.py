"""Every event there is on the bus: when it comes, what it carries, and what a handler may change.

A field declared `Writable` may be set, or changed in place, by handlers that take part (`Host.on`), to a value of its
type. Everything else is read-only: setting it raises `EventFieldError`, which names event and field. After the last
handler an event is sealed, and watchers (`Host.watch`) see its final form. An event that is `watch_only` goes to
watchers alone.
"""

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self, TypeAlias, TypeVar, get_type_hints

import msgspec

from panto.json_values import JSONObject, is_object
from panto.messages import Assistant, Message, ToolCall, ToolOutput, ToolSchema, User
from panto.tools import Need

T = TypeVar("T")
_WRITABLE = object()
Writable: TypeAlias = Annotated[T, _WRITABLE]

Severity: TypeAlias = Literal["info", "warning", "error"]
Verdict: TypeAlias = Literal["allow", "ask", "deny"]
Mode: TypeAlias = Literal["plan", "ask", "build"]

_VERDICTS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


class EventFieldError(TypeError):
    """A handler set a field that it may not set, or to a value of the wrong type."""


@cache
def writable_fields(event: type["Event"]) -> Mapping[str, object]:
    """The writable fields of an event class, by name, with their types."""
    hints = get_type_hints(event, include_extras=True)
    return {name: hint.__origin__ for name, hint in hints.items() if _WRITABLE in getattr(hint, "__metadata__", ())}


@dataclass(eq=False)
class Event:
    """What travels on the bus. A subclass's name in snake case is its name there, unless it says otherwise."""

    name: ClassVar[str] = "event"
    watch_only: ClassVar[bool] = False
    """Whether no handler takes part in it: it tells of what is done, often, or at a time when nothing can wait."""
    _open: ClassVar[bool] = False
    _sealed: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __post_init__(self) -> None:
        object.__setattr__(self, "_open", True)

    def __setattr__(self, field_name: str, value: object) -> None:
        object.__setattr__(self, field_name, self._typed(field_name, value) if self._open else value)

    def _typed(self, field_name: str, value: object) -> object:
        """A value for a field, as the field's type wants it: a list for a tuple, a struct for its JSON."""
        self._refuse_if_sealed(field_name)
        where = f"{self.name}.{field_name}"
        types = writable_fields(type(self))
        if field_name not in types:
            raise EventFieldError(f"{where} is read-only; writable here: {', '.join(types) or 'nothing'}")
        try:
            typed = msgspec.convert(value, types[field_name])
            return msgspec.to_builtins(typed, str_keys=True) if is_object(typed) else typed
        except (msgspec.ValidationError, TypeError, RecursionError) as error:
            raise EventFieldError(f"{where}: {error}") from None

    def _refuse_if_sealed(self, what: str) -> None:
        if self._sealed:
            raise EventFieldError(f"{self.name}.{what}: the event is over; it can be read, no longer changed")

    def snapshot(self) -> dict[str, object]:
        """The writable fields' values, copied one level deep (dicts whole), to put back with `restore`."""
        state = {name: _copied(getattr(self, name)) for name in writable_fields(type(self))}
        return {**state, **self._private()}

    def restore(self, state: Mapping[str, object]) -> None:
        """Put back what `snapshot` took."""
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def draft(self) -> Self:
        """The event for one handler, with writable values of its own: until `restore`, this one stays as it is."""
        draft = copy.copy(self)
        draft.restore(self.snapshot())
        return draft

    def validate(self) -> None:
        """Check the writable fields' types, after changes in place. Raises `EventFieldError`."""
        for name in writable_fields(type(self)):
            object.__setattr__(self, name, self._typed(name, getattr(self, name)))

    def seal(self) -> None:
        """From here on the event can only be read."""
        object.__setattr__(self, "_sealed", True)

    def _private(self) -> dict[str, object]:
        """What handlers change through methods. It stands in no constructor."""
        return {field.name: getattr(self, field.name) for field in fields(self) if not field.init}


def _copied(value: object) -> object:
    return copy.deepcopy(value) if is_object(value) else copy.copy(value)


@dataclass(eq=False)
class AppStart(Event):
    """The program is up: extensions are loaded, the session is not yet open."""

    project: Path


@dataclass(eq=False)
class AppStop(Event):
    """The program is about to end."""


SessionReason: TypeAlias = Literal["new", "resume", "fork", "clear", "compact"]


@dataclass(eq=False)
class SessionStart(Event):
    """A session begins or goes on. Handlers append to ``system``, each item one message of the system prompt.

    ``history`` is what the session already holds (empty for a new one), so that a handler can take up where it was.
    """

    session: str
    reason: SessionReason
    history: tuple[Message, ...] = ()
    system: Writable[list[str]] = field(default_factory=list[str])


@dataclass(eq=False)
class SessionEnd(Event):
    """A session is closed."""

    session: str


@dataclass(eq=False)
class Input(Event):
    """The user pressed enter. Handlers may change ``text``, set ``handled`` (no turn follows), or `block` it."""

    text: Writable[str]
    handled: Writable[bool] = False
    _blocked: str | None = field(default=None, init=False, repr=False)

    def block(self, reason: str) -> None:
        """Keep the text from the model, and tell the user why."""
        self._refuse_if_sealed("block")
        object.__setattr__(self, "_blocked", reason)

    @property
    def blocked(self) -> str | None:
        """Why the input is blocked; None if it is not."""
        return self._blocked


@dataclass(eq=False)
class TurnStart(Event):
    """One user request begins. Handlers may append to ``messages`` what the model must know besides.

    ``tag`` is that of the prompt, if a command made it.
    """

    session: str
    user: User
    tag: str = ""
    messages: Writable[list[User]] = field(default_factory=list[User])


@dataclass(eq=False)
class UserSaid(Event):
    """A message of the user's has entered the conversation: a turn's first, or one that steers it."""

    watch_only: ClassVar[bool] = True
    session: str
    user: User


@dataclass(eq=False)
class TurnEnd(Event):
    """One user request is over: ``reason`` says how, ``error`` and ``hint`` what went wrong and what to do.

    ``unsent`` is the request's text if it never entered the conversation, so that it can be given back to the user.
    """

    watch_only: ClassVar[bool] = True
    session: str
    reason: Literal["done", "stopped", "failed", "max_steps"]
    error: str = ""
    hint: str = ""
    unsent: str = ""
    seconds: float = 0.0


@dataclass(eq=False)
class ModelRequest(Event):
    """Before each call of the model. What handlers change is a projection: it is sent, never stored."""

    session: str
    model: str
    system: tuple[str, ...]
    messages: Writable[list[Message]]
    tools: Writable[list[ToolSchema]]
    parameters: Writable[JSONObject]


@dataclass(eq=False)
class ModelDelta(Event):
    """A piece of the answer as it streams: nobody stands between the stream and the screen.

    ``kind`` ``tool_call`` announces a call whose arguments are still coming; ``text`` is then the tool's name.
    """

    watch_only: ClassVar[bool] = True
    session: str
    kind: Literal["text", "thinking", "tool_call"]
    text: str
    index: int = 0


@dataclass(eq=False)
class ModelRetry(Event):
    """A call of the model failed before anything of its answer came, and is made again in ``wait`` seconds.

    ``why`` says what happened, for people. ``attempt`` counts from 1 and is the one that comes; there are ``attempts``.
    """

    watch_only: ClassVar[bool] = True
    session: str
    why: str
    wait: float
    attempt: int
    attempts: int


@dataclass(eq=False)
class ModelResponse(Event):
    """After each call of the model, also one that failed or was stopped: ``message`` holds what came."""

    watch_only: ClassVar[bool] = True
    session: str
    message: Assistant


@dataclass(eq=False)
class ToolCallEvent(Event):
    """The arguments are valid and nothing has run yet. Here a call can be changed, asked about, allowed or denied.

    ``needs`` is what the call needs, as its arguments came. A handler that raises or overruns its time *denies*: the
    gate fails closed. Changed arguments are checked again.
    """

    name: ClassVar[str] = "tool_call"
    session: str
    call: ToolCall
    needs: tuple[Need, ...]
    arguments: Writable[JSONObject]
    _verdict: tuple[Verdict, str] = field(default=("allow", ""), init=False, repr=False)
    _granted: bool = field(default=False, init=False, repr=False)

    def allow(self) -> None:
        """Run it without asking, where only the mode would ask.

        It lifts neither a rule of the user's nor another handler's objection, and it does not reach out of the project.
        """
        self._refuse_if_sealed("allow")
        object.__setattr__(self, "_granted", True)

    def ask(self, why: str) -> None:
        """Let the user decide, and show them why."""
        self._object("ask", why)

    def deny(self, why: str) -> None:
        """Don't run it; the model is told why."""
        self._object("deny", why)

    @property
    def verdict(self) -> tuple[Verdict, str]:
        """The strictest verdict so far (deny over ask over allow), with its reason."""
        return self._verdict

    @property
    def granted(self) -> bool:
        """Whether a handler allowed it, and it is as it was then: changed arguments are another call."""
        return self._granted and self.arguments == self.call.arguments

    def _object(self, verdict: Verdict, why: str) -> None:
        self._refuse_if_sealed(verdict)
        if _VERDICTS[verdict] > _VERDICTS[self._verdict[0]]:
            object.__setattr__(self, "_verdict", (verdict, why))


@dataclass(eq=False)
class ToolStart(Event):
    """A call enters the gate, or, with ``state`` ``running``, has passed it."""

    watch_only: ClassVar[bool] = True
    session: str
    call: ToolCall
    summary: str
    state: Literal["waiting", "running"]


@dataclass(eq=False)
class ToolProgress(Event):
    """Output of a tool that still runs, as it comes."""

    watch_only: ClassVar[bool] = True
    session: str
    call: ToolCall
    text: str


@dataclass(eq=False)
class ToolResult(Event):
    """A tool's result, before it enters the history; failed calls and refused ones too.

    ``output`` is what the model will see; ``shown`` is the tool's own output, which the screen keeps. ``paths`` are the
    files or directories that the call was about, absolute, as far as the tool knows them.
    """

    session: str
    call: ToolCall
    paths: tuple[Path, ...]
    shown: str
    output: Writable[str]
    notes: Writable[list[str]]
    is_error: Writable[bool]


@dataclass(eq=False)
class ToolEnd(Event):
    """A result has entered the history."""

    watch_only: ClassVar[bool] = True
    session: str
    call: ToolCall
    output: ToolOutput


@dataclass(eq=False)
class FileChanged(Event):
    """A tool wrote, moved or deleted a file."""

    path: Path
    change: Literal["created", "changed", "deleted"]


@dataclass(eq=False)
class ShellEnv(Event):
    """Before a command starts. ``env`` is the environment it will get."""

    command: str
    env: Writable[dict[str, str]]


@dataclass(eq=False)
class CompactBefore(Event):
    """The history is about to be summarised. Handlers may say how, or set ``cancel``.

    ``keep`` is how many of the latest messages stay word for word; ``instructions`` is what the summary must mind.
    """

    session: str
    keep: Writable[int]
    instructions: Writable[str] = ""
    cancel: Writable[bool] = False


@dataclass(eq=False)
class CompactAfter(Event):
    """The history has been summarised. Handlers append to ``system``, each item one message of the system prompt."""

    session: str
    summary: str
    system: Writable[list[str]] = field(default_factory=list[str])


@dataclass(eq=False)
class AgentSpawn(Event):
    """A subagent is about to begin. Handlers may change what it is asked and the names of the tools it gets."""

    session: str
    agent: str
    prompt: Writable[str]
    tools: Writable[list[str]]


@dataclass(eq=False)
class AgentDone(Event):
    """A subagent has ended: ``reason`` says how, ``answer`` is what it said, whole or as far as it came."""

    watch_only: ClassVar[bool] = True
    session: str
    agent: str
    reason: Literal["done", "stopped", "failed", "max_steps"]
    answer: str


@dataclass(eq=False)
class ModeChange(Event):
    """The user chose another mode."""

    mode: Mode


@dataclass(eq=False)
class ModelChange(Event):
    """The user chose another model, as ``provider/model``."""

    model: str


@dataclass(eq=False)
class Notification(Event):
    """Something that the user should read: ``text`` says what, ``hint`` what to do."""

    watch_only: ClassVar[bool] = True
    text: str
    severity: Severity = "info"
    hint: str = ""


@dataclass(eq=False)
class ExtensionError(Event):
    """An extension failed at something; the program went on without it."""

    watch_only: ClassVar[bool] = True
    extension: str
    doing: str
    message: str
