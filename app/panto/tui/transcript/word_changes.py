"""Which words differ between a line and the one that replaced it. The work is bounded, whatever the lines hold."""

from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from panto.tui.safe_text import clusters

Part: TypeAlias = tuple[str, bool]
"""A text without line ends, and whether it is in this line alone."""

LONGEST_LINE = 500
"""Longer lines, in characters, are not compared."""
_MOST_STEPS = 1024
"""Where more pairs of words would have to be compared, all between the common ends counts as changed."""
_LEAST_ALIKE = 0.3
"""Lines that share less than this part of their characters are two lines, not one that was changed."""


def word_changes(line: str, other: str) -> list[Part]:
    """The parts of a line of safe text, compared with another one; one unmarked part if they are hardly alike.

    The parts joined are the line. None begins or ends within a cluster.
    """
    if not line or line == other or max(len(line), len(other)) > LONGEST_LINE:
        return [(line, False)]
    words, others = _words(line), _words(other)
    kept = _kept(words, others)
    alike = sum(len(word.strip()) for word, is_kept in zip(words, kept, strict=True) if is_kept)
    longest = max(len("".join(line.split())), len("".join(other.split())))
    if alike < _LEAST_ALIKE * longest or not alike:
        return [(line, False)]
    pairs = zip(words, kept, strict=True)
    groups = groupby(pairs, key=lambda pair: not pair[1])
    return [("".join(word for word, _ in group), changed) for changed, group in groups]


def _words(line: str) -> list[str]:
    """A line as words, blanks, and single other characters."""
    words: list[str] = []
    last = ""
    for cluster, _ in clusters(line):
        kind = "word" if cluster[0].isalnum() or cluster[0] == "_" else "blank" if cluster.isspace() else ""
        if kind and kind == last:
            words[-1] += cluster
        else:
            words.append(cluster)
        last = kind
    return words


def _kept(words: Sequence[str], others: Sequence[str]) -> list[bool]:
    """For each word whether it is among the others, too, in the same order."""
    most = min(len(words), len(others))
    start = next((at for at in range(most) if words[at] != others[at]), most)
    most -= start
    end = next((at for at in range(most) if words[-1 - at] != others[-1 - at]), most)
    middle = _common(words[start : len(words) - end], others[start : len(others) - end])
    return [*[True] * start, *middle, *[True] * end]


def _common(words: Sequence[str], others: Sequence[str]) -> list[bool]:
    """For each word whether it is in a longest common sequence, by number of words."""
    if len(words) * len(others) > _MOST_STEPS:
        return [False] * len(words)
    lengths = [[0] * (len(others) + 1) for _ in range(len(words) + 1)]
    for row in range(len(words) - 1, -1, -1):
        for column in range(len(others) - 1, -1, -1):
            if words[row] == others[column]:
                lengths[row][column] = lengths[row + 1][column + 1] + 1
            else:
                lengths[row][column] = max(lengths[row + 1][column], lengths[row][column + 1])
    kept = [False] * len(words)
    row = column = 0
    while row < len(words) and column < len(others):
        if words[row] == others[column]:
            kept[row] = True
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
    return kept
