"""Check settings against their types, one value at a time: what does not fit is reported and left out, the rest stays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import FieldInfo, fields

from panto.config.diagnostics import Diagnostic, key_text, nearest, quoted
from panto.config.merge import plain
from panto.config.schema import Secret
from panto.config.source import Node, TomlValue

S = TypeVar("S", bound=Struct)
Report = list[Diagnostic]

_SHOWN_CHARACTERS = 24  # of a value that is wrong: enough for a typo, too few for a key in the wrong place


def fitting(node: Node, kind: object, report: Report) -> Node | None:
    """What of a layer's value fits the type `kind`; None if nothing does. The rest is reported.

    `kind` is what may stand in an annotation: a Struct for a table, ``dict[str, X]``, ``tuple[X, ...]``, a scalar.
    """
    bare = _member_for(node, _bare(kind))
    if isinstance(node.value, dict):
        if _is_struct(bare):
            return _fitting_table(node, bare, report)
        if get_origin(bare) is dict:
            return _fitting_entries(node, bare, report)
    item_kind = _item_kind(bare)
    if item_kind is not None:
        elements = _elements(node, kind, report)
        if elements is not None:
            kept = (fitting(element, item_kind, report) for element in elements)
            return Node([element for element in kept if element], node.origin, _adds_up(kind))
    return _fitting_leaf(node, kind, report)


def made(node: Node, kind: type[S], report: Report) -> S:
    """The Struct of type `kind` that merged, fitting settings make.

    An entry that lacks a required key, or that its Struct refuses, is reported and left out. Raises `TypeError` if
    `kind` itself has a key without a default: then nothing could hold where the user says nothing.
    """
    required = [item.encode_name for item in fields(kind) if _is_required(item)]
    if required:
        raise TypeError(f"{kind.__name__} needs a default for {', '.join(required)}")
    whole = _complete(node, kind, report)
    return kind() if whole is None else _convert(plain(whole), kind)


def _fitting_table(node: Node, kind: type[Struct], report: Report) -> Node:
    known = {item.encode_name: item.type for item in fields(kind)}
    kept: dict[str, Node] = {}
    for key, item in _table(node):
        if key not in known:
            report.append(unknown_key(item, known))
            continue
        checked = fitting(item, known[key], report)
        if checked is not None:
            kept[key] = checked
    return replace(node, value=kept)


def _fitting_entries(node: Node, kind: object, report: Report) -> Node:
    key_kind, value_kind = get_args(kind)
    kept: dict[str, Node] = {}
    for key, item in _table(node):
        if _refusal(key, key_kind) is not None:
            report.append(_fault(item, "this key is not allowed here", _allowed(key_kind)))
            continue
        checked = fitting(item, value_kind, report)
        if checked is not None:
            kept[key] = checked
    return replace(node, value=kept)


def _elements(node: Node, kind: object, report: Report) -> list[Node] | None:
    """An array's elements. A lone string for an array that adds up counts as one: a rule must not be lost."""
    if isinstance(node.value, list):
        return node.value
    if _adds_up(kind) and isinstance(node.value, str):
        report.append(_fault(node, "a string where an array is due; taken as an array of one", _allowed(kind)))
        return [node]
    return None


def _fitting_leaf(node: Node, kind: object, report: Report) -> Node | None:
    value = plain(node)
    refusal = _refusal(value, kind)
    if refusal is None:
        return node
    choices = _choices(kind)
    if choices and isinstance(value, str):
        shown = quoted(value) if len(value) <= _SHOWN_CHARACTERS else "this"
        suggestion = nearest(value, choices)
        message = f"{shown} is not known here"
        report.append(_fault(node, message, _allowed(kind), quoted(suggestion) if suggestion else None))
    else:
        report.append(_fault(node, refusal, _allowed(kind)))
    return None


def unknown_key(node: Node, known: Sequence[str] | dict[str, object]) -> Diagnostic:
    """The diagnostic for a key that nobody knows, given those that are known in its place."""
    name = str(node.origin.path[-1])
    return _fault(node, "unknown key", suggestion=nearest(name, known), allowed=", ".join(sorted(known)))


def _complete(node: Node, kind: object, report: Report) -> Node | None:
    """The node without the entries that make no whole value; None if the node itself makes none."""
    bare = _member_for(node, _bare(kind))
    if isinstance(node.value, list):
        kept = (_complete(item, _item_kind(bare), report) for item in node.value)
        return replace(node, value=[item for item in kept if item])
    if not isinstance(node.value, dict):
        return node
    kinds = {item.encode_name: item.type for item in fields(bare)} if _is_struct(bare) else {}
    other = get_args(bare)[1] if get_origin(bare) is dict else Any
    entries = {key: _complete(item, kinds.get(key, other), report) for key, item in _table(node)}
    whole = replace(node, value={key: item for key, item in entries.items() if item})
    if not _is_struct(bare):
        return whole
    missing = [item.encode_name for item in fields(bare) if _is_required(item) and item.encode_name not in entries]
    if missing:
        report.append(_fault(node, f"{', '.join(missing)} is missing; this table is left out"))
        return None
    refusal = _refusal(plain(whole), bare)
    if refusal is not None:
        report.append(_fault(node, f"{refusal}; this table is left out"))
        return None
    return whole


def _fault(node: Node, message: str, allowed: str = "", suggestion: str | None = None) -> Diagnostic:
    origin = node.origin
    return Diagnostic(
        "warning",
        message,
        key=key_text(origin.path),
        file=origin.file,
        line=origin.line,
        allowed=allowed,
        suggestion=suggestion,
    )
