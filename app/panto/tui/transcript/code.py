"""Code with the colours of its language. Pygments is imported with the first block that needs it."""

from rich.segment import Segment
from rich.style import Style

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_text

MAX_CHARACTERS = 200_000
"""Longer code is shown plain: colours are not worth the wait."""

_ROLES = (
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Name.Function", "function"),
    ("Name.Class", "type"),
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
)


def highlighted(code: str, language: str, palette: Palette) -> list[Segment]:
    """Code as styled text; plain where the language is unknown or the code too long."""
    plain = palette.style("foreground")
    if not language or len(code) > MAX_CHARACTERS:
        return [Segment(safe_text(code), plain)]
    from pygments.lexers import (  # noqa: PLC0415 - slow to import, and often not needed
        get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType] - its options are untyped
    )
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        tokens = [(str(kind), text) for kind, text in lexer.get_tokens(code)]
    except ClassNotFound:
        return [Segment(safe_text(code), plain)]
    except Exception:  # noqa: BLE001 - a lexer may fail on any text; the text is still worth showing
        return [Segment(safe_text(code), plain)]
    return [Segment(safe_text(text), _style(kind, palette, plain)) for kind, text in tokens]


def _style(kind: str, palette: Palette, plain: Style) -> Style:
    name = kind.removeprefix("Token.")
    role = next((role for prefix, role in _ROLES if name.startswith(prefix)), None)
    return plain if role is None else palette.style(role)
