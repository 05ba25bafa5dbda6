"""A model that is stuck is told so once, and then the turn ends: it does not go on until the money is gone."""

from itertools import count

import pytest

from panto.agent.stuck import ENDED_AT, TOLD_AT
from panto.events import Notification
from panto.json_values import JSONObject
from panto.messages import System, Tool as ToolMessage
from panto.tools import Reply, ToolContext
from tests.agent.stage import Stage, call, say, tool


def told(stage: Stage) -> list[str]:
    """What the model was told, as the conversation has it."""
    return [message.text for message in stage.messages if isinstance(message, System)]


async def test_the_same_call_over_and_over(stage: Stage) -> None:
    stage.tools.add(tool("t.look"))
    same = [say("Again.", calls=[call("t.look", f"c{number}", path="a")]) for number in range(50)]
    end = await stage.turn("go", *same)
    assert (end.reason, end.error) == ("failed", "the model made the same call 6 times, with the same result")
    assert len(stage.requests) == ENDED_AT == 6
    assert len(told(stage)) == 1
    assert f"{TOLD_AT} times in a row" in told(stage)[0]
    assert any(isinstance(message, System) for message in stage.requests[TOLD_AT].messages)
    assert len(stage.events(Notification)) == 1
    await stage.works()


async def test_several_calls_at_once_over_and_over(stage: Stage) -> None:
    stage.tools.add(tool("t.look"))
    stage.tools.add(tool("t.see"))
    same = [say(calls=[call("t.look", f"a{number}"), call("t.see", f"b{number}")]) for number in range(50)]
    end = await stage.turn("go", *same)
    assert end.reason == "failed"
    assert len(stage.requests) == ENDED_AT


async def test_it_may_come_to_its_senses(stage: Stage) -> None:
    stage.tools.add(tool("t.look"))
    same = [say(calls=[call("t.look", f"c{number}")]) for number in range(TOLD_AT)]
    end = await stage.turn("go", *same, say("I see nothing new."))
    assert (end.reason, end.error) == ("done", "")
    assert len(told(stage)) == 1


async def test_calls_with_other_results_are_no_repetition(stage: Stage) -> None:
    numbers = count()

    async def wait(_arguments: JSONObject, _context: ToolContext) -> Reply:
        return Reply(f"{next(numbers)} %")

    stage.tools.add(tool("t.wait", wait))
    steps = [say(calls=[call("t.wait", f"c{number}")]) for number in range(12)]
    end = await stage.turn("go", *steps, say("Done."))
    assert (end.reason, told(stage)) == ("done", [])


async def test_calls_with_other_arguments_are_no_repetition(stage: Stage) -> None:
    stage.tools.add(tool("t.look"))
    steps = [say(calls=[call("t.look", f"c{number}", page=number // 2)]) for number in range(12)]
    end = await stage.turn("go", *steps, say("Done."))
    assert (end.reason, told(stage)) == ("done", [])


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "t.look"}\n</tool_call>',
        "Let me see.\n<|tool_call_begin|>t.look<|tool_call_end|>",
        '  [TOOL_CALLS][{"name": "t.look"}]',
        "```\ncode\n```\n<function=t.look>",
        "<｜tool▁calls▁begin｜>t.look",
    ],
)
async def test_a_call_in_the_text_is_pointed_out_and_then_ends_it(stage: Stage, text: str) -> None:
    stage.tools.add(tool("t.look"))
    end = await stage.turn("go", say(text), say(calls=[call("t.look")]), say("Seen."))
    assert (end.reason, end.error) == ("done", "")
    assert len(told(stage)) == 1
    assert any(isinstance(message, ToolMessage) for message in stage.messages)
    end = await stage.turn("go on", say(text), say(text))
    assert (end.reason, end.error) == ("failed", "the model wrote a tool call as text, which runs nothing")
    await stage.works()


@pytest.mark.parametrize(
    "text",
    [
        "Templates mark calls with <tool_call>, as you see.",
        "It is written so:\n```\n<tool_call>\n```\nand read by the server.",
        "`<tool_call>` begins one.",
        "~~~xml\n<function_calls>\n~~~",
    ],
)
async def test_talking_of_calls_is_none(stage: Stage, text: str) -> None:
    end = await stage.turn("go", say(text))
    assert (end.reason, end.error, told(stage)) == ("done", "", [])
