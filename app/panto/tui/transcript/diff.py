"""Unified diffs: the changed lines with their numbers. Headers of files and hunks are left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_text
from panto.tui.transcript.block import Block, estimated_rows
from panto.tui.transcript.rows import Row, chop, indented

ChangeKind: TypeAlias = Literal["added", "removed", "same", "skipped", "remark"]
LINES_IN_BLOCK = 100
_ENOUGH = 20
"""With fewer columns beside them, the numbers are left out."""
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_SIGNS: dict[str, ChangeKind] = {"+": "added", "-": "removed", " ": "same"}
_ROLES: dict[ChangeKind, str] = {"added": "added", "removed": "removed"}
_SIGN_OF: dict[ChangeKind, str] = {"added": "+", "removed": "-"}


@dataclass(frozen=True)
class Change:
    """A line of a diff: what happened to it, its number in the file (0: none), and its text.

    ``skipped`` stands for the lines between two hunks, ``remark`` for what the diff says about itself.
    """

    kind: ChangeKind
    number: int
    text: str


def changes(diff: str) -> Iterator[Change]:
    """The lines of a unified diff. A removed line has its old number, every other one its new number."""
    old = new = 0
    in_hunk = False
    for line in diff.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            if in_hunk:
                yield Change("skipped", 0, "⋯")
            old, new, in_hunk = int(hunk[1]), int(hunk[2]), True
        elif line.startswith("\\"):
            yield Change("remark", 0, line[1:].strip())
        elif in_hunk and line[:1] in _SIGNS:
            kind = _SIGNS[line[0]]
            yield Change(kind, old if kind == "removed" else new, line[1:].removesuffix("\r"))
            old += kind != "added"
            new += kind != "removed"


class DiffBlock(Block):
    """Some lines of a diff, with numbers that take ``digits`` columns."""

    def __init__(self, lines: Sequence[Change], digits: int) -> None:
        super().__init__()
        self._lines = lines
        self._digits = digits

    def render(self, width: int, palette: Palette) -> list[Row]:
        """Number, sign and text of each line; what does not fit goes on below the text."""
        return [row for line in self._lines for row in self._line(line, width, palette)]

    def estimate(self, width: int) -> int:
        """By the number of characters."""
        return sum(estimated_rows(line.text, width) for line in self._lines)

    def _line(self, line: Change, width: int, palette: Palette) -> list[Row]:
        style = palette.style(_ROLES.get(line.kind, "muted"))
        head = f"{_SIGN_OF.get(line.kind, ' ')} "
        if width >= self._digits + _ENOUGH:
            head = f"  {line.number or '':>{self._digits}} {head}"
        first = Segment(head, style)
        rest = Segment(" " * len(head), style)
        return indented(chop([Segment(safe_text(line.text), style)], width - len(head)), [first], [rest])


def diff_blocks(diff: str) -> list[Block]:
    """A diff as blocks."""
    lines = list(changes(diff))
    digits = len(str(max((line.number for line in lines), default=0)))
    return [DiffBlock(lines[start : start + LINES_IN_BLOCK], digits) for start in range(0, len(lines), LINES_IN_BLOCK)]
