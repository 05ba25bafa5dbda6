"""Unified diffs, read line by line: what happened to each line, in which file, and what replaced it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

ChangeKind: TypeAlias = Literal["added", "removed", "same", "skipped", "remark", "file"]
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_SIGNS: dict[str, ChangeKind] = {"+": "added", "-": "removed", " ": "same"}
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class Change:
    """A line of a diff: what happened to it, its number in the file (0: none), and its text.

    ``skipped`` stands for the lines between two hunks, ``remark`` for what the diff says about itself, and ``file`` for
    the beginning of a file, whose name is the text.
    """

    kind: ChangeKind
    number: int
    text: str


def changes(diff: str) -> Iterator[Change]:
    """The lines of a unified diff. A removed line has its old number, every other one its new number."""
    old = new = 0
    old_left = new_left = 0
    in_file = False
    before = ""
    for line in diff.removesuffix("\n").split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            if in_file:
                yield Change("skipped", 0, "⋯")
            old, new, in_file = int(hunk[1]), int(hunk[3]), True
            old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
        elif line.startswith("\\"):
            yield Change("remark", 0, line[1:].strip())
        elif (old_left or new_left) and (line[:1] in _SIGNS or not line):
            kind = _SIGNS.get(line[:1], "same")
            yield Change(kind, old if kind == "removed" else new, line[1:].removesuffix("\r"))
            old, old_left = (old + 1, max(0, old_left - 1)) if kind != "added" else (old, old_left)
            new, new_left = (new + 1, max(0, new_left - 1)) if kind != "removed" else (new, new_left)
        elif line.startswith("--- "):
            before, in_file = _name(line), False
            old_left = new_left = 0
        elif line.startswith("+++ "):
            after = _name(line)
            yield Change("file", 0, before if after == _NOWHERE else after)


def counterparts(lines: Sequence[Change]) -> list[str]:
    """For each line the text that replaced it or that it replaced; empty if there is none.

    Of lines that were removed and those added right behind them, the first belong together, the second, and so on.
    """
    found = [""] * len(lines)
    start = 0
    while start < len(lines):
        middle = run_end(lines, start, "removed")
        end = run_end(lines, middle, "added")
        for at in range(min(middle - start, end - middle)):
            found[start + at], found[middle + at] = lines[middle + at].text, lines[start + at].text
        start = max(end, start + 1)
    return found


def run_end(lines: Sequence[Change], start: int, kind: ChangeKind) -> int:
    """Where lines of a kind, from a place on, end."""
    end = start
    while end < len(lines) and lines[end].kind == kind:
        end += 1
    return end


def _name(line: str) -> str:
    """The file in a ``---`` or ``+++`` line, without the letter that git puts before it and the time that diff adds."""
    name = line[4:].partition("\t")[0].strip().removesuffix("\r")
    return name[2:] if name.startswith(("a/", "b/")) else name
