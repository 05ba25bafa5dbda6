"""The Markdown parser: CommonMark, tables and strikethrough. HTML, math and footnotes stay the text they are.

It is imported with the first text that needs it, so that the screen need not wait for it.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

References: TypeAlias = dict[str, object]
"""Link definitions by their label, as the parser wants them."""

_DEEPEST = 60
"""What is nested deeper the parser leaves out: such a text is shown as it is instead."""
_MOST_OPEN = 100
"""Square brackets open at a time; a text with more of them is no Markdown that anybody wrote."""
_SQUARE = re.compile(r"[\[\]]")
_DOLLARS = re.compile(r"\$(?=[^\s$])(?:[^$\\\n`]|\\.){1,500}?(?<=\S)\$(?!\d)")
_BRACKETS = {"$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_LONGEST_MATH = 2_000
_IS_MATH = re.compile(r"[\\^_={}\n]")
"""What tells a formula in square brackets from brackets that are only escaped."""


def parse(source: str, references: References) -> SyntaxTreeNode:
    """The tree of a Markdown text, for which some link definitions hold beside its own."""
    from markdown_it.tree import SyntaxTreeNode

    if _open_brackets(source) > _MOST_OPEN:
        return SyntaxTreeNode(_as_text(source))
    tokens = _parser().parse(f"{source}\n", {"references": dict(references)})
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        tokens = _as_text(source)
    return SyntaxTreeNode(tokens)


def definitions(source: str) -> References:
    """The link definitions in a Markdown text."""
    found: References = {}
    _parser().parse(source, {"references": found})
    return found


def _open_brackets(source: str) -> int:
    """How many square brackets are open at most: each is looked through up to its end, or to that of the text."""
    opened = most = 0
    for bracket in _SQUARE.findall(source):
        opened = opened + 1 if bracket == "[" else max(0, opened - 1)
        most = max(most, opened)
    return most


def _as_text(source: str) -> list[Token]:
    """A paragraph with nothing but text in it."""
    from markdown_it.token import Token

    return [
        Token("paragraph_open", "p", 1, map=[0, source.count("\n") + 1]),
        Token("inline", "", 0, children=[Token("text", "", 0, content=source)], level=1),
        Token("paragraph_close", "p", -1),
    ]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", _math)
    parser.block.ruler.at("reference", _reference)
    return parser


def _math(state: StateInline, silent: bool) -> bool:
    """Math between dollars or backslashed brackets is kept as it was typed."""
    end = _end_of_math(state.src, state.pos)
    if end is None:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = state.src[state.pos : end]
    state.pos = end
    return True


def _end_of_math(text: str, start: int) -> int | None:
    closing = _BRACKETS.get(text[start : start + 2])
    if closing is None:
        match = _DOLLARS.match(text, start) if text[start] == "$" else None
        return match.end() if match else None
    end = text.find(closing, start + 2, start + _LONGEST_MATH)
    if end <= start + 2 or (closing == "\\]" and not _IS_MATH.search(text, start + 2, end)):
        return None
    return end + 2


def _reference(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Link definitions, but no footnotes: those would vanish."""
    from markdown_it.rules_block import reference

    if state.src.startswith("[^", state.bMarks[start_line] + state.tShift[start_line]):
        return False
    return reference(state, start_line, end_line, silent)
