"""Code in the colours of its language. Pygments is imported with the first block that needs it."""

import logging
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

Piece: TypeAlias = tuple[str, str]
"""A palette's role, and a text without line ends."""

MAX_CHARACTERS = 40_000
"""Lines behind this place in a block are shown plain: colours are not worth the wait."""

log = logging.getLogger(__name__)

_LANGUAGE = re.compile(r"[\w+#.-]+")
_ROLES = (
    ("Comment.Preproc", "keyword"),
    ("Comment", "comment"),
    ("Keyword.Type", "type"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Name.Function", "function"),
    ("Name.Class", "type"),
    ("Name.Exception", "type"),
    ("Name.Builtin", "type"),
    ("Name.Decorator", "function"),
    ("Name.Tag", "keyword"),
    ("Name.Attribute", "function"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Literal", "string"),
    ("Generic.Inserted", "added"),
    ("Generic.Deleted", "removed"),
    ("Generic.Heading", "heading"),
    ("Generic.Subheading", "heading"),
    ("Generic.Prompt", "muted"),
    ("Generic.Output", "muted"),
)


class Highlighter:
    """The lines of some code with the roles of their parts, worked out as far as they are asked for."""

    def __init__(self, code: str, language: str) -> None:
        whole = code if len(code) <= MAX_CHARACTERS else code[: code.rfind("\n", 0, MAX_CHARACTERS) + 1]
        self._count = whole.count("\n") + (len(whole) == len(code))
        self._lines: list[list[Piece]] = []
        self._more = _coloured_lines(whole, language)

    def line(self, number: int) -> list[Piece] | None:
        """A line's parts; None if it has no colours."""
        while len(self._lines) <= number < self._count:
            line = next(self._more, None)
            if line is None:
                return None
            self._lines.append(line)
        return self._lines[number] if number < self._count else None


def language_of(info: str) -> str:
    """The language in a fence's info string, such as ``python`` in ``python title="a.py"``."""
    match = _LANGUAGE.match(info.strip().lstrip("{."))
    return match[0].lower() if match else ""


def _coloured_lines(code: str, language: str) -> Iterator[list[Piece]]:
    """All whole lines, as far as a lexer gets."""
    line: list[Piece] = []
    seen = 0
    for role, text in _coloured(code, language):
        seen += len(text)
        first, *others = text.split("\n")
        line.append((role, first))
        for other in others:
            yield line
            line = [(role, other)]
    if seen == len(code):
        yield line


def _coloured(code: str, language: str) -> Iterator[Piece]:
    from pygments.lexers import (  # noqa: PLC0415 - slow to import, and often not needed
        get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType] - its options are untyped
    )
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        for kind, text in lexer.get_tokens(code):
            yield _role(kind), text
    except ClassNotFound:
        return
    except Exception:  # a lexer may fail on any text; the text is still worth showing
        log.debug("the lexer for %s failed", language, exc_info=True)


@lru_cache(512)
def _role(kind: object) -> str:
    name = str(kind).removeprefix("Token.")
    return next((role for prefix, role in _ROLES if name.startswith(prefix)), "foreground")
