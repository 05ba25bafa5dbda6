"""What a tool is: a name, a description, typed arguments, what it needs, and a coroutine that does it.

Arguments are a `msgspec.Struct`, from which the JSON Schema for the model is made and against which the model's JSON is
checked; or, for tools that come from elsewhere with a schema of their own, a plain JSON object.
"""

import copy
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec

from panto.json_values import JSONObject, array_at, is_array, is_object, object_at, text_at
from panto.messages import Image, ToolCall, ToolSchema

A = TypeVar("A")

_NAMED_CHOICES = 50

Ability: TypeAlias = Literal["fs.read", "fs.write", "command.run", "net.http", "mcp.use", "env.read", "skill.use"]


class ToolError(Exception):
    """A tool could not do what was asked. The message goes to the model, so it says what to do instead."""


class ArgumentsError(ToolError):
    """The model's arguments don't fit the tool."""


@dataclass(frozen=True)
class Need:
    """An ability that a call needs, and what it needs it for: an absolute path, a command line, a host, a name."""

    ability: Ability
    subject: str


@dataclass(frozen=True)
class Reply:
    """What a tool answers. ``text`` is for the model and the screen, the rest for people and extensions.

    ``summary`` says the result in a few words (``7 matches in 3 files``); ``diff`` is a unified diff; ``paths`` are the
    absolute paths of the files or directories the call was about.
    """

    text: str
    summary: str = ""
    diff: str = ""
    images: tuple[Image, ...] = ()
    paths: tuple[Path, ...] = ()
    is_error: bool = False


@dataclass(frozen=True)
class ToolContext:
    """Where a call runs. ``progress`` takes output as it comes; ``notify_change`` is for files that were written."""

    call: ToolCall
    session: str
    project: Path
    progress: Callable[[str], None]
    environment: Callable[[str], Awaitable[Mapping[str, str]]]
    changed: Callable[[Path, Literal["created", "changed", "deleted"]], Awaitable[None]]

    def resolve(self, path: str) -> Path:
        """A path as a model writes it, made absolute (see `resolve_path`)."""
        return resolve_path(path, self.project)


def resolve_path(path: str, project: Path) -> Path:
    """Make a path that a model or a user wrote absolute and free of ``..``, without following links.

    ``~`` is home, a leading ``@`` is dropped, and a relative path is below the project.

    Raises `ToolError` for one that no system can have (empty, with a NUL in it, or not to be encoded) or whose user is
    unknown.
    """
    text = path.strip()
    if text.startswith("@") and not os.path.exists(project / text):  # noqa: PTH110 - of no path does it raise anything
        text = text[1:]
    if not text or "\0" in text:
        raise ToolError(f"{path!r} is no path")
    try:
        expanded = Path(text).expanduser()
        os.fsencode(expanded)
    except RuntimeError as error:
        raise ToolError(f"{path}: {error}") from None
    except UnicodeEncodeError:
        raise ToolError(f"{path!r} is no path") from None
    return Path(_normalised(project / expanded))


def _normalised(path: Path) -> Path:
    parts: list[str] = []
    for part in path.parts[1:]:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return Path(path.anchor, *parts)


def _no_needs(_arguments: object, _context: ToolContext) -> Iterable[Need]:
    return ()


def _no_summary(_arguments: object) -> str:
    return ""


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool as an extension registers it.

    ``name`` is ``suite.tool``. ``run`` gets the checked arguments; it may raise `ToolError`. ``needs`` says which
    abilities a call needs, for the gate. ``summarise`` says a call's arguments in a few words for the screen.
    ``parameters`` is the arguments' Struct, or a JSON Schema (then arguments are a dict).
    """

    name: str
    description: str
    parameters: type[A] | JSONObject
    run: Callable[[A, ToolContext], Awaitable[Reply]]
    needs: Callable[[A, ToolContext], Iterable[Need]] = field(default=_no_needs)
    summarise: Callable[[A], str] = field(default=_no_summary)

    @property
    def schema(self) -> ToolSchema:
        """The tool as the model is told of it."""
        return ToolSchema(self.name, self.description, self._json_schema())

    def arguments(self, raw: JSONObject) -> A:
        """The model's arguments, checked, and the tool's own to change. Raises `ArgumentsError`.

        Numbers and booleans sent as strings are taken. Against a schema of the tool's own nothing is checked here.
        """
        own = copy.deepcopy(raw)
        if isinstance(self.parameters, dict):
            return own  # pyright: ignore[reportReturnType] - A is JSONObject here
        try:
            return msgspec.convert(_without_nulls(own), self.parameters, strict=False)
        except msgspec.ValidationError as error:
            raise ArgumentsError(f"{self.name}: {error}. Expected: {self._expected()}") from None

    def _json_schema(self) -> JSONObject:
        if isinstance(self.parameters, dict):
            return copy.deepcopy(self.parameters)
        (reference,), definitions = msgspec.json.schema_components([self.parameters])
        schema = dict(_inlined(reference, definitions))
        for documentation in ("title", "description"):
            schema.pop(documentation, None)
        return schema

    def _expected(self) -> str:
        schema = self._json_schema()
        required = array_at(schema, "required")
        return ", ".join(
            f"{name}{'' if name in required else ' (optional)'}{_choices(object_at(argument))}"
            for name, argument in object_at(schema, "properties").items()
        )


def _choices(argument: JSONObject) -> str:
    """The values that an argument may have, if they are few enough to be named."""
    values = array_at(argument, "enum")
    if not values:
        return ""
    more = f", and {len(values) - _NAMED_CHOICES} more" if len(values) > _NAMED_CHOICES else ""
    return f" (one of {', '.join(map(str, values[:_NAMED_CHOICES]))}{more})"


def _require_object(tool: Tool[A]) -> None:
    try:
        kind = text_at(tool.schema.parameters, "type")
    except (TypeError, RecursionError) as error:
        raise ValueError(f"{tool.name}: its parameters make no JSON Schema ({error})") from None
    if kind != "object":
        raise ValueError(f"{tool.name}: its parameters must be those of an object")


def _without_nulls(raw: JSONObject) -> JSONObject:
    """Models write null for an argument they leave out."""
    return {name: value for name, value in raw.items() if value is not None}


def _inlined(schema: JSONObject, definitions: Mapping[str, JSONObject]) -> JSONObject:
    """A schema without references: several servers can't follow them."""

    def walk(value: object) -> object:
        if is_object(value):
            reference = text_at(value, "$ref")
            meant = object_at(walk(definitions[reference.rpartition("/")[2]])) if reference else {}
            return {**meant, **{key: walk(item) for key, item in value.items() if key != "$ref"}}
        return [walk(item) for item in value] if is_array(value) else value

    return object_at(walk(schema))


class ToolBox:
    """The tools there are now, by name, sorted, so that requests keep a stable prefix."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool[object]] = {}

    def add(self, tool: Tool[A]) -> Callable[[], None]:
        """Register a tool; what comes back takes it away.

        Raises `ValueError` if the name is taken, or if no model could be told of the arguments.
        """
        if tool.name in self._tools:
            raise ValueError(f"there is a tool {tool.name} already")
        _require_object(tool)
        self._tools[tool.name] = tool  # pyright: ignore[reportArgumentType] - arguments are checked by the tool itself

        def remove() -> None:
            self._tools.pop(tool.name, None)

        return remove

    def get(self, name: str) -> Tool[object] | None:
        """The tool of that name, if there is one."""
        return self._tools.get(name)

    def __iter__(self) -> Iterator[Tool[object]]:
        return iter(sorted(self._tools.values(), key=lambda tool: tool.name))

    def __len__(self) -> int:
        return len(self._tools)
