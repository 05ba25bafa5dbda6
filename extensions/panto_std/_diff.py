"""Unified diffs for the screen, in bounded time and length, whatever the files are."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

_CONTEXT_LINES = 3
_COMPARED_LINES = 2000
"""Between the first and the last difference; with more than that, all between them counts as replaced."""
_SHOWN_LINES = 1000
_SHOWN_CHARACTERS = 1000


@dataclass(frozen=True)
class Diff:
    """A unified diff (empty if nothing differs), how many lines it adds and removes, and whether it is ``whole``."""

    text: str = ""
    added: int = 0
    removed: int = 0
    whole: bool = True

    @property
    def summary(self) -> str:
        """``+3 -1``; sides with nothing are left out."""
        sides = (f"+{self.added}" if self.added else "", f"-{self.removed}" if self.removed else "")
        return " ".join(side for side in sides if side)


def diff(before: str | None, after: str, name: str) -> Diff:
    """What changed in the file of that name; ``before`` is None for a new file."""
    if before == after:
        return Diff()
    old, new = _lines(before or ""), _lines(after)
    body = list(_hunks(old, new))
    if not body:  # a new file, and an empty one
        return Diff()
    added = sum(line.startswith("+") for line in body)
    removed = sum(line.startswith("-") for line in body)
    header = [f"--- {'/dev/null' if before is None else 'a/' + name}", f"+++ b/{name}"]
    shown = list(_cut(body))
    return Diff("\n".join([*header, *shown]), added, removed, whole=shown == body)


def _lines(text: str) -> list[str]:
    """Lines as diffs count them: a last one without an end is marked as such."""
    lines = text.split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    short = min(len(old), len(new)) - same
    ending = sum(1 for _ in takewhile(lambda i: old[-1 - i] == new[-1 - i], range(short)))
    # what is the same on both ends, but for the context, need not be compared
    start = max(0, same - _CONTEXT_LINES)
    rest = max(0, ending - _CONTEXT_LINES)
    for group in _groups(old[start : len(old) - rest], new[start : len(new) - rest], same - start, ending - rest):
        yield from _hunk(old, new, start, group)


_Opcode = tuple[str, int, int, int, int]


def _groups(old: list[str], new: list[str], lead: int, trail: int) -> Iterable[list[_Opcode]]:
    if len(old) + len(new) <= _COMPARED_LINES:
        return difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT_LINES)
    a, b = len(old) - trail, len(new) - trail
    codes: list[_Opcode] = [
        ("equal", 0, lead, 0, lead),
        ("replace", lead, a, lead, b),
        ("equal", a, len(old), b, len(new)),
    ]
    return [codes]


def _hunk(old: list[str], new: list[str], start: int, group: list[_Opcode]) -> Iterator[str]:
    before = _range(start + group[0][1], start + group[-1][2])
    after = _range(start + group[0][3], start + group[-1][4])
    yield f"@@ -{before} +{after} @@"
    for tag, a, b, c, d in group:
        if tag == "equal":
            yield from (f" {line}" for line in old[start + a : start + b])
        else:
            yield from (f"-{line}" for line in old[start + a : start + b])
            yield from (f"+{line}" for line in new[start + c : start + d])


def _range(first: int, end: int) -> str:
    count = end - first
    return f"{first + 1 if count else first},{count}"


def _cut(body: list[str]) -> Iterator[str]:
    for line in body[:_SHOWN_LINES]:
        yield line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
    if len(body) > _SHOWN_LINES:
        yield f"\\ {len(body) - _SHOWN_LINES:,} more lines are not shown"
