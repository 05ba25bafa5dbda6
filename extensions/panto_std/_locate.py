"""Find the place in a file that a model means by text it remembers: exactly, or as nearly as is certain."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

from ._fold import end_in_line, fold, fold_lines, start_in_line
from ._indent import indentation

How: TypeAlias = Literal["exactly", "alike", "indented"]


@dataclass(frozen=True)
class Place:
    """A part of a text, by characters."""

    start: int
    end: int


@dataclass(frozen=True)
class Found:
    """The places where a text is, in order and apart from each other, and how they were found.

    ``exactly``: character for character. ``alike``: but for line ends, blanks before them and characters that look the
    same. ``indented``: whole lines, but for that and how they are indented. ``count`` counts overlapping places too.
    """

    places: tuple[Place, ...]
    how: How
    count: int


def locate(text: str, old: str) -> Found:
    """Where ``old`` is: every place of the strictest kind there is. No kind: no places."""
    exact = _found(_occurrences(text, old), "exactly")
    if exact.places:
        return exact
    wanted = fold_lines(old)
    if not any(wanted):
        return exact
    lines = text.split("\n")
    folded = [fold(line) for line in lines]
    alike = _found(_alike(lines, folded, wanted), "alike")
    return alike if alike.places else _found(_indented(lines, folded, old, wanted), "indented")


def _found(places: Iterator[Place], how: How) -> Found:
    apart: list[Place] = []
    count = 0
    for place in places:
        count += 1
        if not apart or place.start >= apart[-1].end:
            apart.append(place)
    return Found(tuple(apart), how, count)


def _occurrences(text: str, part: str) -> Iterator[Place]:
    start = text.find(part)
    while start >= 0:
        yield Place(start, start + len(part))
        start = text.find(part, start + 1)


def _alike(lines: list[str], folded: list[str], wanted: list[str]) -> Iterator[Place]:
    starts = _line_starts(lines)
    folded_starts = _line_starts(folded)

    def unfolded(place: Place) -> Place:
        first = bisect_right(folded_starts, place.start) - 1
        last = bisect_right(folded_starts, place.end) - 1
        start = start_in_line(lines[first], place.start - folded_starts[first])
        end = end_in_line(lines[last], place.end - folded_starts[last])
        return Place(starts[first] + start, starts[last] + end)

    for place in _occurrences("\n".join(folded), "\n".join(wanted)):
        yield unfolded(place)


def _indented(lines: list[str], folded: list[str], old: str, wanted: list[str]) -> Iterator[Place]:
    """Whole lines that are the same but for their indentation, if the indentation differs in a regular way."""
    ends_line = not wanted[-1]
    count = len(wanted) - ends_line
    bare = [line.strip() for line in wanted[:count]]
    asked = [indentation(line) for line in old.split("\n")]
    starts = _line_starts(lines)
    stripped = [line.strip() for line in folded]
    for first in range(len(lines) - len(wanted) + 1):
        if stripped[first] != bare[0] or stripped[first : first + count] != bare:
            continue
        pairs = [(asked[i], indentation(lines[first + i])) for i in range(count) if bare[i]]
        if len(set(pairs)) == len({ours for ours, _ in pairs}):
            last = first + count - 1
            end = starts[last + 1] if ends_line else starts[last] + end_in_line(lines[last], len(folded[last]))
            yield Place(starts[first], end)


def _line_starts(lines: list[str]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines[:-1])]
