"""Prompts that commands make: what the screen keeps of them, who answers them, and when."""

import asyncio

import pytest

from panto.events import TurnEnd, TurnStart, UserSaid
from panto.json_values import JSONObject
from panto.messages import Text, User
from panto.offers import Prompt
from panto.tools import Reply, ToolContext
from tests.agent.stage import ANYBODY, Endless, Stage, call, said, say, tool


async def test_the_model_gets_the_text_and_people_see_what_was_typed(stage: Stage) -> None:
    stage.steps.append(say("Reviewed."))
    await stage.session.submit(Prompt("Review src, line by line.", shown="/review src"))
    await stage.ends.get()
    user = User((Text("Review src, line by line."),), "/review src")
    assert stage.messages[0] == user
    assert stage.requests[0].messages == (user,)
    assert stage.events(UserSaid)[0].user.as_typed == "/review src"
    await stage.in_step()


async def test_what_waits_and_what_is_given_back_is_what_was_typed(stage: Stage) -> None:
    answer = Endless()
    stage.steps.append(answer)
    await stage.session.submit(Prompt("look"))
    await answer.began.wait()
    await stage.session.submit(Prompt("a long text", shown="/short"))
    assert stage.session.queued == ("/short",)
    assert stage.session.stop() == ["/short"]
    await stage.ends.get()


@pytest.mark.parametrize("prompt", [Prompt("alone", own_turn=True), Prompt("alone", model="other/m")])
async def test_one_that_wants_a_turn_of_its_own_waits_for_it_and_holds_back_what_comes_behind(
    stage: Stage, prompt: Prompt
) -> None:
    running, go = asyncio.Event(), asyncio.Event()

    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        running.set()
        await go.wait()
        return Reply("result")

    stage.tools.add(tool("t.look", run))
    steps = say(calls=[call("t.look")]), say("Looked."), say("Alone."), say("Behind.")
    turn = asyncio.create_task(stage.turn("look", *steps))
    await running.wait()
    for one in (Prompt("hurry"), prompt, Prompt("behind", own_turn=True)):
        await stage.session.submit(one)
    go.set()
    await turn
    for _ in range(2):
        await stage.ends.get()
    assert stage.requests[1].messages[-1] == said("hurry")
    assert stage.requests[2].messages[-1] == said("alone")
    assert stage.requests[3].messages[-1] == said("behind")
    assert stage.chosen == [None, prompt.model, None]
    assert len(stage.events(TurnEnd)) == 3


async def test_a_tag_comes_back_with_its_turn(stage: Stage) -> None:
    tags = list[str]()
    stage.bus.on(TurnStart, lambda event: tags.append(event.tag), rank=ANYBODY)
    stage.steps.extend([say("One."), say("Two.")])
    for prompt in (Prompt("first", tag="mine"), Prompt("second")):
        await stage.session.submit(prompt)
        await stage.ends.get()
    assert tags == ["mine", ""]
