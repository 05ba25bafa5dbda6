"""How a model's indentation maps to a file's, learnt from lines that are known to be the same."""

from collections.abc import Iterable

_USUAL_WIDTH = 4


def indentation(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


class Indent:
    """Gives lines that a model wrote the indentation that the file would have.

    ``pairs`` are lines as the model and as the file has them.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        known = {indentation(ours): indentation(theirs) for ours, theirs in pairs if ours.strip()}
        self._known = known
        self._longest_first = sorted(known, key=len, reverse=True)
        self._to_tabs = any("\t" in blanks for blanks in known.values())
        self._from_tabs = any("\t" in blanks for blanks in known)
        self._ours, self._theirs = self._growth()

    def _growth(self) -> tuple[int, int]:
        """By how much the model's indentation grows, and the file's at the same time."""
        low, high = self._longest_first[-1], self._longest_first[0]
        ours, theirs = len(high), len(self._known[high])
        if low != high:
            ours, theirs = ours - len(low), theirs - len(self._known[low])
        elif self._to_tabs == self._from_tabs:
            return 1, 1  # a shift
        if ours > 0 and theirs > 0:
            return ours, theirs
        return (_USUAL_WIDTH, 1) if self._to_tabs else (1, _USUAL_WIDTH if self._from_tabs else 1)

    def of(self, line: str) -> str:
        """The line, indented as in the file."""
        ours = indentation(line)
        if ours == line:
            return line
        return self._theirs_for(ours) + line[len(ours) :]

    def _theirs_for(self, ours: str) -> str:
        for known in self._longest_first:
            if ours.startswith(known):
                return self._known[known] + self._translated(ours[len(known) :])
        least = self._longest_first[-1]
        if least.startswith(ours):
            return self._known[least].removesuffix(self._translated(least[len(ours) :]))
        return self._translated(ours)

    def _translated(self, blanks: str) -> str:
        """Some indentation of the model's in the file's kind, by how the known ones differ."""
        if self._to_tabs and "\t" in blanks:
            return blanks
        if self._to_tabs:
            tabs, rest = divmod(len(blanks), max(1, self._ours // self._theirs))
            return "\t" * tabs + " " * rest
        return " " * (len(blanks) * self._theirs // self._ours)
