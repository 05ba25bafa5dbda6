"""Where words begin and end in a line, as shells and vi count them."""

import re

_WORD = re.compile(r"\w+")
_VI_WORD = re.compile(r"\w+|[^\w\s]+")


def word_start_before(line: str, column: int) -> int:
    """Where the word begins that the column is in or behind; 0 if there is none."""
    return max((match.start() for match in _WORD.finditer(line) if match.start() < column), default=0)


def word_end_after(line: str, column: int) -> int:
    """Where the word ends that the column is in or before; the line's length if there is none."""
    return next((match.end() for match in _WORD.finditer(line) if match.end() > column), len(line))


def blank_before(line: str, column: int) -> int:
    """Where what has no blank in it begins before a column."""
    before = line[:column].rstrip()
    return len(before) - len(before.split()[-1]) if before else 0


def vi_next(line: str, column: int) -> int | None:
    """Where vi's next word begins in the line; None if it has no more."""
    return next((match.start() for match in _VI_WORD.finditer(line) if match.start() > column), None)


def vi_before(line: str, column: int) -> int | None:
    """Where vi's word begins before a column; None if there is none."""
    return max((match.start() for match in _VI_WORD.finditer(line) if match.start() < column), default=None)


def vi_end(line: str, column: int) -> int | None:
    """The last column of vi's word that ends behind a column; None if there is none."""
    return next((match.end() - 1 for match in _VI_WORD.finditer(line) if match.end() - 1 > column), None)
