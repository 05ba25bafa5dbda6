"""Check settings against their types, one by one: what does not fit is reported and left out, the rest stays."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from panto.config import kinds
from panto.config.diagnostics import Diagnostic, key_text, nearest, quoted
from panto.config.merge import plain
from panto.config.source import Node

S = TypeVar("S", bound=Struct)
Report: TypeAlias = list[Diagnostic]

_SHOWN_CHARACTERS = 24  # of a wrong value: enough for a typo, too few for a key that landed in the wrong place


def fitting(node: Node, kind: object, report: Report) -> Node | None:
    """What of a layer's value fits the kind; None if nothing does. The rest is added to the report."""
    bare = kinds.bare(kind, node.value)
    entries, item = kinds.entry_kinds(bare), kinds.item_kind(bare)
    if isinstance(node.value, dict) and kinds.is_table(bare):
        return _fitting_table(node, node.value, bare, report)
    if isinstance(node.value, dict) and entries:
        return _fitting_entries(node, node.value, entries, report)
    if isinstance(node.value, list) and item:
        return _fitting_array(node, node.value, kind, report)
    if isinstance(node.value, str) and item and kinds.adds_up(kind):
        # Not left out as elsewhere: a rule that was meant to deny something must not be lost to missing brackets.
        report.append(fault(node, "wrong type; taken as an array of one", kinds.allowed(kind)))
        return _fitting_array(node, [node], kind, report)
    return _fitting_leaf(node, kind, report)


def made(node: Node, kind: type[S], report: Report) -> S:
    """The Struct that merged settings make, all of which fit it.

    A table in it that lacks a required key, or that its Struct refuses, is reported and left out. Raises `TypeError`
    if `kind` itself has a key without a default: then nothing could hold where nobody sets it.
    """
    required = kinds.required(kind)
    if required:
        raise TypeError(f"{kind.__name__} has no default for {', '.join(required)}")
    whole = _complete(node, kind, report)
    return kind() if whole is None else msgspec.convert(plain(whole), kind, dec_hook=kinds.decode_own)


def unknown_key(node: Node, known: Iterable[str]) -> Diagnostic:
    """The diagnostic for a key that nobody knows, given those that are known in its place."""
    names = sorted(known)
    return fault(node, "unknown key", ", ".join(names), nearest(str(node.origin.path[-1]), names))


def fault(node: Node, message: str, allowed: str = "", suggestion: str | None = None) -> Diagnostic:
    """A warning about the value at this node."""
    origin = node.origin
    return Diagnostic(
        severity="warning",
        message=message,
        key=key_text(origin.path),
        file=origin.file,
        line=origin.line,
        allowed=allowed,
        suggestion=suggestion,
    )


def _fitting_table(node: Node, table: dict[str, Node], kind: type[Struct], report: Report) -> Node:
    known = kinds.keys(kind)
    kept: dict[str, Node] = {}
    for key, item in table.items():
        if key not in known:
            report.append(unknown_key(item, known))
        elif checked := fitting(item, known[key], report):
            kept[key] = checked
    return replace(node, value=kept)


def _fitting_entries(node: Node, table: dict[str, Node], entry_kinds: tuple[object, object], report: Report) -> Node:
    key_kind, value_kind = entry_kinds
    kept: dict[str, Node] = {}
    for key, item in table.items():
        if kinds.refusal(key, key_kind):
            report.append(fault(item, "a name that is not allowed here", kinds.allowed(key_kind)))
        elif checked := fitting(item, value_kind, report):
            kept[key] = checked
    return replace(node, value=kept)


def _fitting_array(node: Node, elements: list[Node], kind: object, report: Report) -> Node:
    item_kind = kinds.item_kind(kinds.bare(kind, elements))
    kept = (fitting(element, item_kind, report) for element in elements)
    return Node([element for element in kept if element], node.origin, kinds.adds_up(kind))


def _fitting_leaf(node: Node, kind: object, report: Report) -> Node | None:
    value = plain(node)
    refusal = kinds.refusal(value, kind)
    if refusal is None:
        return node
    choices = kinds.choices(kind)
    suggestion = None
    if choices and isinstance(value, str):
        refusal = f"{quoted(value)} is not known" if len(value) <= _SHOWN_CHARACTERS else "not known"
        near = nearest(value, choices)
        suggestion = quoted(near) if near else None
    report.append(fault(node, refusal, kinds.allowed(kind), suggestion))
    return None


def _complete(node: Node, kind: object, report: Report) -> Node | None:
    """The node without the tables that make no whole Struct; None if it is such a table itself."""
    bare = kinds.bare(kind, node.value)
    if isinstance(node.value, list):
        item_kind = kinds.item_kind(bare)
        items = (_complete(item, item_kind, report) for item in node.value)
        return replace(node, value=[item for item in items if item])
    if not isinstance(node.value, dict):
        return node
    known: Mapping[str, object] = kinds.keys(bare) if kinds.is_table(bare) else {}
    _, other = kinds.entry_kinds(bare) or (str, Any)
    items = {key: _complete(item, known.get(key, other), report) for key, item in node.value.items()}
    whole = replace(node, value={key: item for key, item in items.items() if item})
    return _whole(whole, bare, report) if kinds.is_table(bare) else whole


def _whole(node: Node, kind: type[Struct], report: Report) -> Node | None:
    """The table, if it makes a Struct of that kind."""
    try:
        msgspec.convert(plain(node), kind, dec_hook=kinds.decode_own)
    except msgspec.ValidationError as error:
        present = node.value if isinstance(node.value, dict) else {}
        missing = [name for name in kinds.required(kind) if name not in present]
        reason = f"{', '.join(missing)} is missing" if missing else str(error)
        report.append(fault(node, f"{reason}; this table is ignored"))
        return None
    return node
