"""Calls and their results, put together: every call gets exactly one result, and every result has a call."""

from collections.abc import Sequence

from panto.messages import Assistant, Message, Tool, ToolCall, ToolOutput

INTERRUPTED = "interrupted: this call has no result; it may have run in part, or not at all"


def paired(messages: Sequence[Message]) -> list[Message]:
    """Each message with calls is followed by one `Tool` with a result for each, in the order of the calls.

    A result belongs to the latest message before it that has a call of its id; among calls of the same id, to the
    first that has none yet. Results without such a call are dropped; calls without a result get one that says so.
    """
    slots: list[list[ToolOutput | None]] = []
    owner: dict[str, int] = {}
    for place, message in enumerate(messages):
        slots.append([])
        if isinstance(message, Assistant) and message.calls:
            slots[place] = [None for _ in message.calls]
            owner.update((call.id, place) for call in message.calls)
        elif isinstance(message, Tool):
            for output in message.parts:
                place_of_call = owner.get(output.call_id)
                if place_of_call is not None:
                    _file(output, messages[place_of_call], slots[place_of_call])
    result: list[Message] = []
    for message, outputs in zip(messages, slots, strict=True):
        if not isinstance(message, Tool):
            result.append(message)
        if isinstance(message, Assistant) and outputs:
            calls = zip(message.calls, outputs, strict=True)
            result.append(Tool(tuple(output or _interrupted(call) for call, output in calls)))
    return result


def _file(output: ToolOutput, message: Message, slots: list[ToolOutput | None]) -> None:
    calls = message.calls if isinstance(message, Assistant) else ()
    for place, call in enumerate(calls):
        if call.id == output.call_id and slots[place] is None:
            slots[place] = output
            return


def _interrupted(call: ToolCall) -> ToolOutput:
    return ToolOutput(call.id, call.name, INTERRUPTED, is_error=True)
