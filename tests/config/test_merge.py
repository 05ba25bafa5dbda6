"""Layers laid over each other give what laying plain tables over each other gives, and every value keeps its origin."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from hypothesis import given, strategies as st

from panto.config.lines import KeyPath
from panto.config.merge import at, merged, plain
from panto.config.source import DEFAULTS, Node, TomlValue, annotate, parse_layer
from tests.config.test_lines import paths_in
from tests.config.toml_writer import Writer, layouts, tables

FILES = (Path("/base.toml"), Path("/user.toml"), Path("/project.toml"))


def laid_over(lower: "TomlValue | None", upper: TomlValue) -> TomlValue:
    if isinstance(lower, dict) and isinstance(upper, dict):
        return {**lower, **{key: laid_over(lower.get(key), value) for key, value in upper.items()}}
    return upper


def value_at(value: TomlValue, path: KeyPath) -> TomlValue:
    for step in path:
        if isinstance(step, str):
            assert isinstance(value, dict)
            value = value[step]
        else:
            assert isinstance(value, list)
            value = value[step]
    return value


@given(st.lists(tables, min_size=1, max_size=3), layouts)
def test_merged_values_are_those_of_merged_tables_and_stand_where_they_say(
    layers: list[dict[str, TomlValue]], layout: Random
) -> None:
    nodes: list[Node] = []
    for file, layer in zip(FILES, layers, strict=False):
        node = parse_layer("user", file, Writer(layout).document(layer).encode())
        assert isinstance(node, Node)
        nodes.append(node)
    result = merged(nodes)

    wanted: TomlValue = {}
    for layer in layers:
        wanted = laid_over(wanted, layer)
    assert plain(result) == wanted
    for path in paths_in(wanted):
        node = at(result, path)
        assert node is not None
        assert node.origin.line is not None
        if not isinstance(node.value, dict):
            source = layers[FILES.index(node.origin.file or Path())]
            assert value_at(source, node.origin.path) == plain(node)


def adding_up(*elements: str) -> Node:
    node = annotate({"x": list(elements)}, DEFAULTS)
    assert isinstance(node.value, dict)
    return Node({"x": Node(node.value["x"].value, node.origin, adds_up=True)}, node.origin)


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=4), max_size=4))
def test_an_array_that_adds_up_loses_nothing_and_holds_each_element_once(layers: Sequence[list[str]]) -> None:
    result = plain(merged(adding_up(*elements) for elements in layers))

    everything = [element for elements in layers for element in elements]
    assert result == ({"x": list(dict.fromkeys(everything))} if layers else {})


def test_of_equal_elements_the_lowest_layers_stays() -> None:
    layers = [adding_up("a"), adding_up("b", "a")]
    element = at(merged(layers), ("x", 0))

    assert element is at(layers[0], ("x", 0))


def test_what_is_not_there_is_not_found() -> None:
    node = annotate({"a": {"b": [1]}}, DEFAULTS)

    assert at(node, ("a", "b", 0)) is not None
    for path in (("x",), ("a", "b", 1), ("a", "b", -1), ("a", 0), ("a", "b", "c"), ("a", "b", 0, "c")):
        assert at(node, path) is None
