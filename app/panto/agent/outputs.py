"""Results of tool calls, as the conversation holds them."""

from difflib import get_close_matches

from panto.messages import ToolCall, ToolOutput
from panto.tools import ToolBox

MAX_OUTPUT = 120_000
"""Characters of one result that go to the model at most: a tool's own limits are usually tighter."""


def bounded(text: str) -> str:
    """A result cut to `MAX_OUTPUT`, its beginning and its end kept, with the true count of what was left out."""
    if len(text) <= MAX_OUTPUT:
        return text
    half = MAX_OUTPUT // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[{left_out} characters of {len(text)} left out here]\n{text[-half:]}"


def refused(call: ToolCall, text: str) -> ToolOutput:
    """The result of a call that was not run, with what the model should know."""
    return ToolOutput(call.id, call.name, text, is_error=True)


def stopped(call: ToolCall, *, running: bool) -> ToolOutput:
    """The result of a call that the end of its turn kept from running, or from ending."""
    text = "Stopped before it ended." if running else "Not run: the turn was stopped."
    return ToolOutput(call.id, call.name, text, is_error=True, stopped=True)


def unknown_tool(call: ToolCall, tools: ToolBox) -> ToolOutput:
    """The result of a call to a tool that does not exist: which ones do, and the nearest first."""
    names = [tool.name for tool in tools]
    near = get_close_matches(call.name.replace("_", "."), names, n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]}?" if near else ""
    return refused(call, f"There is no tool {call.name!r}.{hint} Available: {', '.join(names) or 'none'}.")


def not_run(call: ToolCall) -> ToolOutput:
    """The result of a call whose arguments did not arrive whole."""
    return refused(
        call, f"Not run: {call.problem}. Send the call again with complete arguments, in smaller pieces if long."
    )
