"""Things by name, each taken back by what registered it."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """The things of one kind that there are now. ``names`` tells a thing's names; the first is the one it goes by."""

    def __init__(self, noun: str, names: Callable[[T], tuple[str, ...]]) -> None:
        self._noun = noun
        self._names = names
        self._things: dict[str, T] = {}
        self._reserved: frozenset[str] = frozenset()

    def reserve(self, names: frozenset[str]) -> None:
        """Let nothing be registered under these names any more."""
        self._reserved |= names

    def add(self, thing: T) -> Callable[[], None]:
        """Register a thing; what comes back takes it away. Raises `ValueError` if one of its names is taken."""
        names = self._names(thing)
        taken = next((name for name in names if name in self._things or name in self._reserved), None)
        if taken is not None:
            raise ValueError(f"there is a {self._noun}{taken} already")
        self._things.update(dict.fromkeys(names, thing))

        def remove() -> None:
            for name in names:
                if self._things.get(name) is thing:
                    del self._things[name]

        return remove

    def get(self, name: str) -> T | None:
        """The thing of that name, if there is one."""
        return self._things.get(name)

    def all(self) -> list[T]:
        """Every thing once, by name."""
        return [thing for name, thing in sorted(self._things.items()) if self._names(thing)[0] == name]
