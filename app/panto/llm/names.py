"""Tool names on the wire: letters, digits, ``_`` and ``-``, at most 64, each standing for one tool, and back again.

A name on the wire depends on the names alone, not on their order, so that a request's beginning stays the same when
a tool is added.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

MAX_LENGTH = 64
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")


class ToolNames:
    """The wire names of the tools that a request offers."""

    def __init__(self, names: Iterable[str]) -> None:
        tools = sorted(set(names))
        taken = Counter(_legal(name) for name in tools)
        self._wire: dict[str, str] = {}
        for name in tools:
            legal = _legal(name)
            self._wire[name] = legal if legal == name or taken[legal] == 1 else _hashed(name)
        self._tools = {wire: name for name, wire in self._wire.items()}
        self._loose: dict[str, list[str]] = {}
        for name in tools:
            self._loose.setdefault(_bare(name), []).append(name)

    @property
    def wire_names(self) -> tuple[str, ...]:
        """The names on the wire, which say all that there is to know of these."""
        return tuple(self._tools)

    def to_wire(self, name: str) -> str:
        """The name to send. Also for tools that are not offered (any more): the history may hold their calls."""
        wire = self._wire.get(name)
        if wire is not None:
            return wire
        legal = _legal(name)
        return _hashed(name) if legal in self._tools else legal

    def to_tool(self, answered: str) -> str:
        """The tool that a model means. A name that no tool has, or several could have, comes back as it is."""
        if answered in self._tools:
            return self._tools[answered]
        if answered in self._wire:
            return answered
        near = self._loose.get(_bare(answered.removeprefix("functions.")), [])
        return near[0] if len(near) == 1 else answered


@lru_cache(maxsize=16)
def tool_names(names: tuple[str, ...]) -> ToolNames:
    """The wire names of these tools, worked out once: most requests offer the same."""
    return ToolNames(names)


def _legal(name: str) -> str:
    legal = _ILLEGAL.sub("_", name)
    return legal if 0 < len(legal) <= MAX_LENGTH else _hashed(name)


def _hashed(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_ILLEGAL.sub('_', name)[: MAX_LENGTH - 9] or 'tool'}_{digest}"


def _bare(name: str) -> str:
    """What is left of a name when case and signs don't count."""
    return "".join(character for character in name.casefold() if character.isalnum())
