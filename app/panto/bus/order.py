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
    """By layer and id, each behind those it declares to come after; a circle is cut where the order meets it."""
    waiting = sorted(items, key=lambda item: (item.rank, item.number))
    found: list[R] = []
    while waiting:
        free = next(item for item in waiting if _is_free(item, waiting))
        waiting.remove(free)
        found.append(free)
    return found


def _is_free(item: R, waiting: Iterable[R]) -> bool:
    """Whether an item waits for none but such as wait for it in turn."""
    return all(item in _waited_for(other, waiting) for other in _waited_for(item, waiting))


def _waited_for(item: R, waiting: Iterable[R]) -> set[R]:
    """All that an item has to come after, at once or by way of others."""
    found: set[R] = set()
    pending = [item]
    while pending:
        one = pending.pop()
        direct = {other for other in waiting if other.rank.id in one.after and other.rank.id != one.rank.id}
        pending.extend(direct - found)
        found |= direct
    return found
