"""Arguments put into a command line, so that each is a word and nothing else to the shell, whatever it holds.

Where a placeholder stands between quotes, these are closed before it and opened again behind it. Where it can't be told
how the shell would read what is put in, nothing is.
"""

import re
import shlex
from collections.abc import Iterable
from enum import Enum

from panto_agent.commands._arguments import Arguments
from panto_agent.commands._template import Argument, Part


class UnquotableError(Exception):
    """An argument stands where it can't be quoted. The message says where that is, and what to do."""


class _State(Enum):
    """What the shell is in the middle of. The value is the quote that ends it."""

    PLAIN = ""
    SINGLE = "'"
    DOUBLE = '"'
    LOST = "?"  # something in which quotes mean something else


_MARKS = {
    # In order: an escaped character; another kind of quote, arithmetic, a here-document, a comment; a quote.
    _State.PLAIN: re.compile(
        r"\\.|(?P<lost>\$'|\(\(|\$\[|(?<!<)<<(?!<)|(?<![^\s;&|()])#)|(?P<quote>\$?\"|')", re.DOTALL
    ),
    _State.SINGLE: re.compile(r"(?P<lost>(?!))|(?P<quote>')"),
    # An escaped character; a variable, or a plain command; what may hold quotes of its own; the end.
    _State.DOUBLE: re.compile(
        r"\\.|\$\{\w+\}|\$\((?![^)]*\bcase\b)[^()'\"\\#]*\)|(?P<lost>\$[({\[])|(?P<quote>\")", re.DOTALL
    ),
}


def shell_line(parts: Iterable[Part], arguments: Arguments) -> str:
    """The command line. Raises `UnquotableError`."""
    line: list[str] = []
    state = _State.PLAIN
    before = ""
    for part in parts:
        if isinstance(part, Argument):
            text = _quoted(state, part, arguments, before)
        else:
            text, state = part, _state_behind(part, state)
        line.append(text)
        before = text[-1:] or before
    return "".join(line)


def _state_behind(text: str, state: _State) -> _State:
    at = 0
    while state is not _State.LOST:
        found = _MARKS[state].search(text, at)
        if found is None:
            break
        at = found.end()
        if found["lost"] is not None:
            state = _State.LOST
        elif found["quote"] is not None:
            state = _State(found["quote"][-1]) if state is _State.PLAIN else _State.PLAIN
    return state


def _quoted(state: _State, argument: Argument, arguments: Arguments, before: str) -> str:
    if state is _State.LOST or before == "$":
        raise UnquotableError(
            "an argument stands in or behind something in which it can't be quoted safely, such as $(...) between"
            " quotes, arithmetic, a here-document or a comment; let it stand before that"
        )
    if state is not _State.PLAIN:
        text = arguments.text_of(argument)
        return f"{state.value}{shlex.quote(text)}{state.value}" if text else ""
    words = arguments.of(argument)
    if not words and before.strip():
        return "''"  # the two sides of nothing must not meet
    return " ".join(map(shlex.quote, words))
