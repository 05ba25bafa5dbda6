"""Lay one layer of settings over another: tables merge key by key, other values replace."""

from collections.abc import Iterable
from dataclasses import replace

from panto.config.lines import KeyPath
from panto.config.source import DEFAULTS, Node, Origin, TomlValue


def merged(layers: Iterable[Node]) -> Node:
    """Tables laid over each other, lowest layer first. An array marked so adds up and holds each element once."""
    result = Node({}, Origin(DEFAULTS))
    for layer in layers:
        result = _over(result, layer)
    return result


def _over(lower: Node, upper: Node) -> Node:
    if isinstance(lower.value, dict) and isinstance(upper.value, dict):
        table = dict(lower.value)
        for key, node in upper.value.items():
            table[key] = _over(table.get(key, node), node)  # what is new is laid over itself, to lose its repeats
        return replace(upper, value=table)
    if upper.adds_up and isinstance(lower.value, list) and isinstance(upper.value, list):
        return replace(upper, value=_each_once([*lower.value, *upper.value]))
    return upper


def _each_once(nodes: list[Node]) -> list[Node]:
    """The first of equal elements stays: it is from the lowest layer, which is the most trusted."""
    first: dict[str, Node] = {}
    for node in nodes:
        first.setdefault(repr(plain(node)), node)
    return list(first.values())


def plain(node: Node) -> TomlValue:
    """A node's value, without the origins."""
    if isinstance(node.value, dict):
        return {key: plain(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    return node.value


def at(node: Node, path: KeyPath) -> Node | None:
    """The node at a path of keys and positions; None if there is none."""
    found: Node | None = node
    for step in path:
        found = _child(found, step) if found else None
    return found


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(step, str):
        return node.value.get(step) if isinstance(node.value, dict) else None
    return node.value[step] if isinstance(node.value, list) and 0 <= step < len(node.value) else None
