"""What is wrong in a settings file: where, what, what is allowed, and what was probably meant."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning"]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault in the settings, which did not stop the start.

    An ``error`` means that a whole layer is ignored, a ``warning`` that one key is: what a lower layer says, or the
    default, holds instead. ``key`` is spelled as in TOML, with positions in brackets (``permissions.deny[2]``), and
    empty if the fault is the file's. ``line`` and ``column`` count from 1. ``file`` is None for the command line.
    """

    severity: Severity
    message: str
    key: str = ""
    file: Path | None = None
    line: int | None = None
    column: int | None = None
    allowed: str = ""
    suggestion: str | None = None

    @property
    def where(self) -> str:
        """The place as ``file:line:column``, as far as it is known, safe to print."""
        place = short_path(self.file) if self.file else "command line"
        return ":".join([place, *(str(number) for number in (self.line, self.column) if number is not None)])

    @property
    def advice(self) -> str:
        """What is wrong, what is allowed, and what was probably meant; without the place."""
        text = self.message
        if self.allowed:
            text += f"; allowed: {self.allowed}"
        if self.suggestion:
            text += f"; did you mean {self.suggestion}?"
        return text

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.key, self.advice) if part)


def key_text(path: Iterable[str | int]) -> str:
    """A key path as TOML spells it, positions in brackets: ``providers."my one".models``, ``permissions.deny[2]``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{one_key(step)}" if text else one_key(step)
    return text


def one_key(name: str) -> str:
    """A single key as TOML spells it: quoted if it must be."""
    return name if _BARE_KEY.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """A TOML string in double quotes on one line, with all that does not print escaped."""
    return '"' + visible(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def visible(text: str) -> str:
    """The text with what does not print (control, bidi, line breaks) written as escapes that TOML knows too."""
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def short_path(path: Path) -> str:
    """A path for people: with ``~`` for the home directory, and safe to print."""
    try:
        return visible(str(Path("~") / path.relative_to(Path.home())))
    except (ValueError, RuntimeError):  # not below home; or there is no home
        return visible(str(path))


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of some names that a misspelled name was probably meant to be."""
    from difflib import get_close_matches  # noqa: PLC0415  only for those who mistype

    close = get_close_matches(name[:80], list(names), n=1, cutoff=0.6)
    return close[0] if close else None
