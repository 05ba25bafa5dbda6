"""Every tool has a name that is legal on the wire and leads back to it."""

import re

import pytest
from hypothesis import given, strategies as st

from panto.llm.names import ToolNames

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
tool_names = st.lists(st.text(max_size=80) | st.from_regex(r"[a-z_.\-/]{1,90}", fullmatch=True), unique=True)


def test_the_usual_case() -> None:
    names = ToolNames(["std.read", "std.write", "mcp.git-hub.open_pr"])
    assert names.to_wire("std.read") == "std_read"
    assert names.to_wire("mcp.git-hub.open_pr") == "mcp_git-hub_open_pr"
    assert names.to_tool("std_read") == "std.read"


@given(tool_names)
def test_names_are_legal_distinct_and_lead_back(tools: list[str]) -> None:
    names = ToolNames(tools)
    wire = [names.to_wire(tool) for tool in tools]
    assert all(LEGAL.fullmatch(name) for name in wire)
    assert len(set(wire)) == len(tools)
    assert [names.to_tool(name) for name in wire] == tools


@given(tool_names, st.data())
def test_names_do_not_depend_on_the_order(tools: list[str], data: st.DataObject) -> None:
    names, shuffled = ToolNames(tools), ToolNames(data.draw(st.permutations(tools)))
    assert [names.to_wire(tool) for tool in tools] == [shuffled.to_wire(tool) for tool in tools]


@given(tool_names, st.text(max_size=80))
def test_a_tool_that_is_gone_has_a_legal_name_that_is_nobody_elses(tools: list[str], gone: str) -> None:
    names = ToolNames(tools)
    wire = names.to_wire(gone)
    assert LEGAL.fullmatch(wire)
    if gone not in tools:
        assert wire not in {names.to_wire(tool) for tool in tools}


def test_two_tools_that_look_alike_on_the_wire_are_told_apart() -> None:
    names = ToolNames(["a.b", "a/b", "a_b"])
    assert names.to_wire("a_b") == "a_b"
    assert len({names.to_wire(tool) for tool in ("a.b", "a/b", "a_b")}) == 3


@pytest.mark.parametrize("answered", ["std.read", "Std_Read", "std-read", "stdread", "functions.std_read", "STD.READ"])
def test_a_near_miss_is_understood(answered: str) -> None:
    assert ToolNames(["std.read", "std.write"]).to_tool(answered) == "std.read"


@pytest.mark.parametrize("answered", ["search_replace", "read", "", "std_rea", "読む"])
def test_what_no_tool_is_called_comes_back_as_it_is(answered: str) -> None:
    assert ToolNames(["std.read", "std.write"]).to_tool(answered) == answered


def test_a_near_miss_of_two_is_nobodys() -> None:
    names = ToolNames(["a.b", "a_b"])
    assert names.to_tool("A-B") == "A-B"
    assert names.to_tool("a_b") == "a_b"
