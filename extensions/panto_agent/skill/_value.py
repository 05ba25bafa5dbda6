"""One value: what kind of node it is, what it says, and which lines it takes."""

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

from panto_agent.skill._block import block_header, read_block
from panto_agent.skill._flow import Flow, scan_flow
from panto_agent.skill._lines import BLANKS, is_empty
from panto_agent.skill._quoted import scan_quoted
from panto_agent.skill._records import FrontMatterError, shown_key

_CLEAN_TAIL = re.compile(r"[ \t]*(?:\Z|[ \t]#)")


class ValueKind(Enum):
    """What a value is, by how it starts."""

    NOTHING = auto()  # nothing on its line but perhaps a comment: a nested block, or null
    PLAIN = auto()
    QUOTED = auto()
    FLOW = auto()
    BLOCK = auto()


class Value(NamedTuple):
    """A value as its first line opens it.

    ``text`` is the decoded text of a quoted or a block scalar (None for a quoted one with an unknown escape), and what
    stands on the first line otherwise. ``rows`` are the lines it takes, its first included; a plain scalar and nothing
    take just that one, and their reader looks further. ``tail`` is what follows a closing quote or bracket on its line.
    ``sound`` is False for a block scalar that YAML sees an error in.
    """

    kind: ValueKind
    text: str | None
    rows: int = 1
    tail: str = ""
    flow: Flow | None = None
    sound: bool = True

    @property
    def is_text(self) -> bool:
        """Whether this is one quoted or block scalar, decoded, and nothing else."""
        return self.kind in (ValueKind.QUOTED, ValueKind.BLOCK) and self.text is not None and self.ends_clean

    @property
    def ends_clean(self) -> bool:
        """Whether at most a comment follows the closing quote or bracket."""
        return _CLEAN_TAIL.match(self.tail) is not None


def open_value(lines: Sequence[str], base: int, key: str, line: int) -> Value:
    """Look at the value that starts in the first of the lines, within those lines.

    ``base`` is the indentation of what holds it; ``key`` and ``line`` (of the first of the lines) name it in an error.

    Raises FrontMatterError when it opens a quote or a bracket that is never closed.
    """
    text = lines[0].strip(BLANKS)
    if not text or text[0] == "#":
        return Value(ValueKind.NOTHING, None)
    first = text[0]
    if first in "\"'":
        return _quoted_value(lines, first, key, line)
    if first in "[{":
        return _flow_value(lines, text, key, line)
    if first in "|>":
        header = block_header(text)
        if header is not None:
            block = read_block(header, lines[1:], base)
            return Value(ValueKind.BLOCK, block.text, 1 + block.rows, sound=block.sound)
    return Value(ValueKind.PLAIN, text)


def content_row(lines: Sequence[str]) -> int | None:
    """The first of the lines that carries something."""
    return next((row for row, line in enumerate(lines) if not is_empty(line)), None)


def _quoted_value(lines: Sequence[str], quote: str, key: str, line: int) -> Value:
    quoted = scan_quoted(lines, 0, lines[0].index(quote))
    if quoted is None:
        raise FrontMatterError(f"{shown_key(key)} opens a quote ({quote}) that is never closed", line)
    tail = lines[quoted.row][quoted.column :]
    return Value(ValueKind.QUOTED, quoted.text, quoted.row + 1, tail)


def _flow_value(lines: Sequence[str], text: str, key: str, line: int) -> Value:
    flow = scan_flow(lines, 0, lines[0].index(text[0]))
    if not flow.closed:
        raise FrontMatterError(f"{shown_key(key)} opens a bracket ({text[0]}) that is never closed", line)
    return Value(ValueKind.FLOW, text, flow.row + 1, lines[flow.row][flow.column :], flow)
