"""When a text is not in a file: the place that is most like it, and what differs there."""

import difflib
import unicodedata
from collections import Counter

from ._fold import fold_lines

_SEARCHED_LINES = 20_000
_SHOWN_LINES = 12
_SHOWN_CHARACTERS = 200


def nearest(text: str, old: str) -> str:
    """Where in the text something like ``old`` is, and the lines that differ; empty if nothing is like it."""
    lines = text.split("\n")
    asked = old.removesuffix("\n").split("\n")
    first = _nearest_line(lines, asked)
    if first is None:
        return ""
    last = min(first + len(asked), len(lines))
    said = [f"The nearest place is line {first + 1}{f'-{last}' if last > first + 1 else ''}:"]
    differing = [(number, *pair) for number, pair in enumerate(_paired(asked, lines, first), first + 1)]
    differing = [(number, ours, theirs) for number, ours, theirs in differing if ours != theirs]
    for number, ours, theirs in differing[:_SHOWN_LINES]:
        said.append(f"  line {number}, you: {_shown(ours)}")
        said.append(f"  line {number}, file: {_shown(theirs)}{_why(ours, theirs)}")
    if len(differing) > _SHOWN_LINES:
        said.append(f"  and {len(differing) - _SHOWN_LINES:,} more lines differ")
    return "\n".join(said)


def _paired(asked: list[str], lines: list[str], first: int) -> list[tuple[str, str | None]]:
    theirs = [line.removesuffix("\r") for line in lines[first : first + len(asked)]]
    missing = len(asked) - len(theirs)
    return list(zip((line.removesuffix("\r") for line in asked), [*theirs, *[None] * missing], strict=True))


def _nearest_line(lines: list[str], asked: list[str]) -> int | None:
    """The line at which most lines would be in place; else the one below which the longest line has its like."""
    bare = [line.strip() for line in fold_lines("\n".join(asked))]
    places: dict[str, list[int]] = {line: [] for line in bare if line}
    theirs = [line.strip() for line in fold_lines("\n".join(lines[:_SEARCHED_LINES]))]
    for number, line in enumerate(theirs):
        if line in places:
            places[line].append(number)
    votes = Counter(
        place - number for number, line in enumerate(bare) if line for place in places[line] if place >= number
    )
    if votes:
        return min(votes, key=lambda first: (-votes[first], first))
    longest = max(range(len(bare)), key=lambda number: len(bare[number]))
    like = difflib.get_close_matches(bare[longest][:_SHOWN_CHARACTERS], theirs, n=1, cutoff=0.6)
    return max(0, theirs.index(like[0]) - longest) if like else None


def _shown(line: str | None) -> str:
    if line is None:
        return "(the file has ended)"
    cut = line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
    return cut.replace("\t", "\\t")


def _why(ours: str, theirs: str | None) -> str:
    """The first character that differs, if it is one that may not be seen."""
    if theirs is None:
        return ""
    column = next(
        (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
    )
    mine, its = ours[column : column + 1], theirs[column : column + 1]
    if not any(_hard_to_see(character) for character in (mine, its)):
        return ""
    return f"  (column {column + 1}: you {_named(mine)}, the file {_named(its)})"


def _hard_to_see(character: str) -> bool:
    return not character or character.isspace() or not (character.isascii() and character.isprintable())


def _named(character: str) -> str:
    if not character:
        return "the line's end"
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
