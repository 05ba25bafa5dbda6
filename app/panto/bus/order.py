"""In what order handlers take part: the same on every run, whatever was registered first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar


@dataclass(frozen=True, order=True)
class Rank:
    """Where an owner stands in the order: its layer's number (0 is built-in), then its id."""

    layer: int
    id: str


class Ranked(Protocol):
    """What can be ordered. ``after`` names owners to come behind; ``number`` tells an owner's own apart."""

    @property
    def rank(self) -> Rank: ...
    @property
    def after(self) -> frozenset[str]: ...
    @property
    def number(self) -> int: ...


R = TypeVar("R", bound=Ranked)


def ordered(items: Iterable[R]) -> list[R]:
    """By layer and id, each behind those it declares to come after; a circle is cut before its first by rank."""
    waiting = sorted(items, key=lambda item: (item.rank, item.number))
    found: list[R] = []
    while waiting:
        free = next((item for item in waiting if not _awaited(item, waiting)), None) or _first_of_circle(waiting)
        waiting.remove(free)
        found.append(free)
    return found


def _awaited(item: R, waiting: list[R]) -> R | None:
    """The first of those still waiting that an item has to come after."""
    return next((other for other in waiting if other.rank.id in item.after and other.rank.id != item.rank.id), None)


def _first_of_circle(waiting: list[R]) -> R:
    """Of a circle that some wait for, the first by rank. What merely waits for the circle is not in it."""
    path: list[R] = []
    item = waiting[0]
    while item not in path:
        path.append(item)
        item = _awaited(item, waiting) or item
    circle = path[path.index(item) :]
    return min(circle, key=waiting.index)
