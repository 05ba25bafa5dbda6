"""Ids of tool calls that a server takes: of the form it wants, and each one only once in a request."""

import copy
import hashlib
import re

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LENGTH = 9
"""Nine letters and digits are what the strictest server wants, so that an id in this form is legal everywhere."""
_MOST_COPIED = 64
"""Ids that are copied for a fork; more are shared."""


class CallIds:
    """Gives out ids in the order in which calls stand in a conversation, so that the same history gets the same ids."""

    def __init__(self, pattern: str) -> None:
        self._legal = re.compile(pattern)
        self._taken: set[str] = set()
        self._before: tuple[frozenset[str], ...] = ()  # taken as well, and shared with forks

    def fork(self) -> "CallIds":
        """Another that has given out the same ids so far. It takes no longer for a conversation of many calls."""
        if len(self._taken) > _MOST_COPIED:
            self._before = (*self._before, frozenset(self._taken))
            self._taken.clear()
        other = copy.copy(self)
        other._taken = set(self._taken)
        return other

    def new(self, wanted: str) -> str:
        """The wanted id if it is legal and free, else another."""
        found = wanted
        turn = 0
        while self._is_taken(found) or not self._legal.fullmatch(found):
            found = _made(f"{wanted}#{turn}" if turn else wanted)
            turn += 1
        self._taken.add(found)
        return found

    def _is_taken(self, found: str) -> bool:
        return found in self._taken or any(found in taken for taken in self._before)


def _made(seed: str) -> str:
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:8])
    digits: list[str] = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)
