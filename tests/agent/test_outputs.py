from hypothesis import given, strategies as st

from panto.agent.outputs import MAX_OUTPUT, bounded, not_run, refused, stopped, unknown_tool
from panto.messages import ToolCall
from panto.tools import ToolBox
from tests.agent.stage import tool

CALL = ToolCall("c1", "std.read")


def test_a_long_result_keeps_its_beginning_and_its_end_and_tells_what_is_gone() -> None:
    text = "a" * 60_000 + "b" * 1_000 + "c" * 60_000
    assert bounded(text) == "a" * 60_000 + "\n[1000 characters of 121000 left out here]\n" + "c" * 60_000


@given(st.integers(0, 3 * MAX_OUTPUT))
def test_no_result_is_longer_than_it_may_be(length: int) -> None:
    text = bounded("x" * length)
    assert len(text) <= MAX_OUTPUT + 100
    assert (text == "x" * length) is (length <= MAX_OUTPUT)


def test_results_of_calls_that_did_not_run() -> None:
    for output in (refused(CALL, "no"), stopped(CALL, running=True), stopped(CALL, running=False), not_run(CALL)):
        assert (output.call_id, output.name, output.is_error) == ("c1", "std.read", True)
        assert output.text
    assert stopped(CALL, running=False).text.startswith("Not run")
    assert not stopped(CALL, running=True).text.startswith("Not run")


def test_an_unknown_tool_where_there_are_none() -> None:
    assert unknown_tool(CALL, ToolBox()).text == "There is no tool 'std.read'. Available: none."


def test_an_unknown_tool_that_is_like_no_other() -> None:
    box = ToolBox()
    box.add(tool("mcp.search"))
    assert unknown_tool(CALL, box).text == "There is no tool 'std.read'. Available: mcp.search."
    assert unknown_tool(ToolCall("c1", "mcp_search"), box).text.count("Did you mean mcp.search?") == 1
