"""The tables of settings that extensions own: kept as written until an extension says what belongs in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from msgspec import Struct

from panto.config.check import Report, fault, fitting, made
from panto.config.diagnostics import Diagnostic, nearest
from panto.config.merge import merged
from panto.config.source import Node

S = TypeVar("S", bound=Struct)


@dataclass(frozen=True, slots=True, repr=False)  # no repr: an extension's settings may hold keys
class Claim:
    """A table that an extension has asked for: what it may hold, what it holds, and what is wrong in it."""

    kind: type[Struct]
    value: Struct
    node: Node
    diagnostics: tuple[Diagnostic, ...]


class Tables:
    """Every layer's tables that are not the program's own, lowest layer first; and who has claimed which."""

    def __init__(self, layers: Sequence[Mapping[str, Node]]) -> None:
        self._layers = tuple(layers)
        self.claims: dict[str, Claim] = {}

    @property
    def kinds(self) -> dict[str, type[Struct]]:
        """The Struct of each table that has been claimed."""
        return {name: claim.kind for name, claim in self.claims.items()}

    def claim(self, name: str, kind: type[S]) -> S:
        """The table of that name, checked and merged. A later claim on it replaces this one."""
        report: Report = []
        fit = (fitting(node, kind, report) for node in self._of(name))
        node = merged(layer for layer in fit if layer)
        value = made(node, kind, report)
        self.claims[name] = Claim(kind, value, node, tuple(report))
        return value

    def unclaimed(self, known: Iterable[str]) -> tuple[Diagnostic, ...]:
        """A warning for each table that no extension has claimed. `known` are further names that there are."""
        names = {*known, *self.claims}
        return tuple(
            fault(node, "nothing uses this table", suggestion=nearest(name, names))
            for layer in self._layers
            for name, node in layer.items()
            if name not in self.claims
        )

    def node(self, name: str) -> Node:
        """A table's settings over all layers; those that fit, once it is claimed."""
        claim = self.claims.get(name)
        return claim.node if claim else merged(node for node in self._of(name) if isinstance(node.value, dict))

    def _of(self, name: str) -> list[Node]:
        return [layer[name] for layer in self._layers if name in layer]
