"""Read the layers of settings and lay them over each other: base, user, project, command line."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

from msgspec import Struct, structs

from panto.config.check import Report, fault, fitting, made, unknown_key
from panto.config.diagnostics import Diagnostic
from panto.config.kinds import keys
from panto.config.merge import at, merged
from panto.config.schema import Settings
from panto.config.source import DEFAULTS, Node, Origin, OriginLayer, Source, TomlValue, annotate, read_layer
from panto.config.tables import Tables
from panto.paths import Paths

S = TypeVar("S", bound=Struct)

OWN = frozenset(keys(Settings))
"""The names at the top of a settings file that are the program's own."""

_SHOWN_FAULTS = 100


class Config(Settings, frozen=True, kw_only=True, eq=False):
    """The settings that hold, and where each of them comes from.

    `own` and `tables` hold all layers' values with their origins: ask `origin` and `settings_for`. `found` is what was
    wrong on loading. `ignored` names the layers whose file could not be used at all: what they deny is not in force.
    """

    own: Node
    tables: Tables
    found: tuple[Diagnostic, ...]
    ignored: tuple[OriginLayer, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is wrong: what was found on loading, then in the tables that extensions have claimed since."""
        return (*self.found, *(fault for claim in self.tables.claims.values() for fault in claim.diagnostics))

    def settings_for(self, table: str, kind: type[S]) -> S:
        """An extension's own table, checked against a Struct whose keys all have defaults.

        What does not fit keeps its default and joins `diagnostics`. Raises `ValueError` if the table is the program's
        own, and `TypeError` if a key of the Struct has no default.
        """
        if table in OWN:
            raise ValueError(f"[{table}] belongs to the program itself")
        return self.tables.claim(table, kind)

    def unclaimed(self) -> tuple[Diagnostic, ...]:
        """A warning for each table that no extension has asked for. Ask when all of them have been loaded."""
        return self.tables.unclaimed(OWN)

    def origin(self, top: str, *below: str | int) -> Origin:
        """Where a value comes from, as in ``origin("permissions", "deny", 0)``; the default if no layer sets it.

        A table's origin is the last layer that has something in it.
        """
        node = at(self.own, (top, *below)) if top in OWN else at(self.tables.node(top), below)
        return node.origin if node else Origin(DEFAULTS)


def load(paths: Paths, command_line: Mapping[str, TomlValue] | None = None) -> Config:
    """The settings of all layers, and over them what the command line says, in the shape of a settings file.

    Nothing that a file holds makes this raise: what cannot be used is in the config's `diagnostics`.
    """
    found: Report = []
    ignored: list[OriginLayer] = []
    layers: list[Node] = []
    for layer in paths.layers:
        read = read_layer(layer.name, layer.config_file)
        if isinstance(read, Diagnostic):
            found.append(read)
            ignored.append(layer.name)
        elif read is not None:
            layers.append(read)
    layers.append(annotate(command_line or {}, Source("command line")))
    parts = [_sorted_out(layer) for layer in layers]
    own = merged(part.own for part in parts)
    found.extend(chain.from_iterable(part.report for part in parts))
    return Config(
        **structs.asdict(made(own, Settings, found)),
        own=own,
        tables=Tables([part.foreign for part in parts]),
        found=tuple(found),
        ignored=tuple(ignored),
    )


@dataclass(frozen=True, slots=True)
class _Sorted:
    """A layer's settings, sorted out: those of the program's own that fit, the tables of others, and what is wrong."""

    own: Node
    foreign: dict[str, Node]
    report: Report


def _sorted_out(layer: Node) -> _Sorted:
    report: Report = []
    own: dict[str, Node] = {}
    foreign: dict[str, Node] = {}
    for name, node in layer.value.items() if isinstance(layer.value, dict) else ():
        if name in OWN:
            own[name] = node
        elif isinstance(node.value, dict | list):  # one that is an array is for its extension to refuse
            foreign[name] = node
        else:
            report.append(unknown_key(node, OWN))
    fit = fitting(replace(layer, value=own), Settings, report)
    return _Sorted(
        fit or Node({}, layer.origin), foreign, _shortened(sorted(report, key=lambda fault: fault.line or 0), layer)
    )


def _shortened(report: Report, layer: Node) -> Report:
    """What one layer's file has wrong, as far as anybody would read it."""
    rest = len(report) - _SHOWN_FAULTS
    return report if rest <= 0 else [*report[:_SHOWN_FAULTS], fault(layer, f"{rest} more faults in this file")]
