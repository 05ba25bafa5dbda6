"""A layer of settings as it was written: its text, its values, and where each of them stood."""

import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Literal, TypeAlias

from panto.config.diagnostics import Diagnostic, short_path, visible
from panto.config.lines import KeyPath, TooDeepError, index_lines

OriginLayer = Literal["default", "base", "user", "project", "command line"]
TomlScalar: TypeAlias = str | int | float | bool | datetime | date | time
TomlValue: TypeAlias = "TomlScalar | list[TomlValue] | dict[str, TomlValue]"

MAX_BYTES = 1 << 18

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where a layer's values come from, with the line of each. The defaults and the command line have no file."""

    layer: OriginLayer
    file: Path | None = None
    lines: Mapping[KeyPath, int] = field(default_factory=dict[KeyPath, int], repr=False)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one value comes from: `path` is its key path in that source."""

    source: Source
    path: KeyPath = ()

    @property
    def layer(self) -> OriginLayer:
        return self.source.layer

    @property
    def file(self) -> Path | None:
        return self.source.file

    @property
    def line(self) -> int | None:
        """The line from 1; None if the value stands in no file."""
        return self.source.lines.get(self.path)

    def __str__(self) -> str:
        """As in ``user: ~/.config/panto/config.toml:3``, or ``default``. Safe to print."""
        if self.file is None:
            return self.layer
        line = "" if self.line is None else f":{self.line}"
        return f"{self.layer}: {short_path(self.file)}{line}"


DEFAULTS = Source("default")


@dataclass(frozen=True, slots=True, repr=False)  # no repr: it would show keys
class Node:
    """A value with its origin. Tables and arrays hold nodes in turn.

    ``adds_up`` marks an array that later layers can only add to.
    """

    value: "TomlScalar | dict[str, Node] | list[Node]"
    origin: Origin
    adds_up: bool = False


def read_layer(layer: OriginLayer, file: Path) -> Node | Diagnostic | None:
    """A layer's settings; None if there is no such file; or what keeps all of it from being read."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return _unusable(file, "not a regular file")
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return _dangling(file)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        return _unusable(file, f"cannot be read: {getattr(error, 'strerror', None) or error}")
    return parse_layer(layer, file, content)


def parse_layer(layer: OriginLayer, file: Path, content: bytes) -> Node | Diagnostic:
    """The settings that a file's bytes hold, or why all of them are unusable."""
    if len(content) > MAX_BYTES:
        return _unusable(file, f"larger than {MAX_BYTES} bytes")
    try:
        text = decode(content)
    except UnicodeDecodeError as error:
        line_start = content.rfind(b"\n", 0, error.start) + 1
        line = content.count(b"\n", 0, error.start) + 1
        return _unusable(file, "not UTF-8", line, error.start - line_start + 1)
    try:
        lines = index_lines(text)
    except TooDeepError as error:
        return _unusable(file, str(error), error.line)
    try:
        data: dict[str, TomlValue] = tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError is one; a number with too many digits raises a plain one
        return _invalid(file, text, visible(str(error)))
    return annotate(data, Source(layer, file, lines))


def decode(content: bytes) -> str:
    """A settings file's text, without the mark that some editors put first. Raises `UnicodeDecodeError`."""
    return content.decode("utf-8-sig")


def annotate(data: Mapping[str, TomlValue], source: Source) -> Node:
    """A table as nodes that know where they come from."""
    return _annotated(dict(data), Origin(source))


def _annotated(value: TomlValue, origin: Origin) -> Node:
    path, source = origin.path, origin.source
    if isinstance(value, dict):
        return Node({key: _annotated(item, Origin(source, (*path, key))) for key, item in value.items()}, origin)
    if isinstance(value, list):
        return Node([_annotated(item, Origin(source, (*path, at))) for at, item in enumerate(value)], origin)
    return Node(value, origin)


def _dangling(file: Path) -> Diagnostic | None:
    """An absent file is fine; a link that leads nowhere was meant to be read."""
    try:
        is_link = file.is_symlink()
    except (OSError, ValueError):
        return None
    return _unusable(file, "a link that leads nowhere") if is_link else None


def _invalid(file: Path, text: str, message: str) -> Diagnostic:
    position = _POSITION.search(message)
    if position is None:
        return _unusable(file, f"not TOML: {message}")
    if position[1]:
        line, column = int(position[1]), int(position[2])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return _unusable(file, f"not TOML: {message[: position.start()]}", line, column)


def _unusable(file: Path, message: str, line: int | None = None, column: int | None = None) -> Diagnostic:
    return Diagnostic("error", f"{message}; the whole file is ignored", file=file, line=line, column=column)
