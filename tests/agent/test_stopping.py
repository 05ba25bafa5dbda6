"""Stopping a turn, wherever it is: nothing is lost, nothing goes on, and the next turn works."""

import asyncio

import pytest

from panto.events import Input, ModelResponse, SessionEnd, ToolEnd, ToolResult, TurnEnd, UserSaid
from panto.json_values import JSONObject
from panto.messages import Assistant, Text, Tool as ToolMessage, User
from panto.offers import Prompt
from panto.permissions.approval import Approval
from panto.tools import Need, Reply, ToolContext
from tests.agent.stage import ANYBODY, MODEL, Endless, Stage, call, said, say, tool


class Stuck:
    """A tool that never ends by itself."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.ended = asyncio.Event()

    async def __call__(self, _arguments: JSONObject, _context: ToolContext) -> Reply:
        """Run for ever."""
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return Reply("never")


async def quick(_arguments: JSONObject, _context: ToolContext) -> Reply:
    return Reply("quick")


async def test_the_partial_answer_is_stored_as_cancelled(stage: Stage) -> None:
    answer = Endless("I begin ", "to think")
    turn = asyncio.create_task(stage.turn("think", answer))
    await answer.began.wait()
    assert stage.session.stop() == []
    end = await turn
    assert (end.reason, end.error, end.unsent) == ("stopped", "", "")
    assert stage.messages == [said("think"), Assistant((Text("I begin to think"),), MODEL, "cancelled")]
    assert stage.events(ModelResponse)[0].message == stage.messages[-1]
    assert answer.closed.is_set()
    await stage.works()


async def test_stopping_twice_is_stopping_once(stage: Stage) -> None:
    answer = Endless("I begin")
    turn = asyncio.create_task(stage.turn("think", answer))
    await answer.began.wait()
    await stage.session.submit(Prompt("queued"))
    assert stage.session.stop() == ["queued"]
    assert stage.session.stop() == []
    assert (await turn).reason == "stopped"
    assert stage.session.stop() == []
    await stage.works()
    assert [end.reason for end in stage.events(TurnEnd)] == ["stopped", "done"]


async def test_stopping_gives_back_what_was_queued(stage: Stage) -> None:
    answer = Endless()
    turn = asyncio.create_task(stage.turn("think", answer))
    await answer.began.wait()
    for text in ("one", "two"):
        await stage.session.submit(Prompt(text))
    assert stage.session.stop() == ["one", "two"]
    assert stage.session.queued == ()
    await turn
    await stage.works()
    assert [message.text for message in stage.messages if isinstance(message, User)] == ["think", "and now?"]


async def test_what_is_said_after_stopping_begins_the_next_turn(stage: Stage) -> None:
    answer = Endless()
    turn = asyncio.create_task(stage.turn("think", answer, say("Here.")))
    await answer.began.wait()
    stage.session.stop()
    await stage.session.submit(Prompt("go on"))
    assert (await turn).reason == "stopped"
    assert (await stage.ends.get()).reason == "done"
    assert stage.messages[-2:] == [said("go on"), Assistant((Text("Here."),), MODEL)]


async def test_stopping_an_idle_session_is_nothing(stage: Stage) -> None:
    assert stage.session.stop() == []
    await stage.works()


async def test_stopping_before_the_turn_begins_gives_the_text_back(stage: Stage) -> None:
    await stage.session.submit(Prompt("never mind"))
    assert stage.session.stop() == ["never mind"]
    await stage.works()
    assert [message.text for message in stage.messages if isinstance(message, User)] == ["and now?"]


@pytest.mark.parametrize("steps", range(1, 25))
async def test_wherever_it_is_stopped_the_text_is_in_the_conversation_or_given_back(stage: Stage, steps: int) -> None:
    """Each number of steps of the event loop is another place in the turn."""
    stage.tools.add(tool("t.look"))
    stage.steps.extend([say("I look.", calls=[call("t.look")]), say("Seen.")])
    await stage.session.submit(Prompt("look"))
    for _ in range(steps):
        await asyncio.sleep(0)
    back = stage.session.stop()
    if back:
        assert back == ["look"]
        assert stage.messages == []
        stage.steps.clear()
    else:
        end = await stage.ends.get()
        assert end.reason in ("stopped", "done")
        assert (end.unsent == "look") is (said("look") not in stage.messages)
    await stage.works()
    assert [event.reason for event in stage.events(TurnEnd)].count("stopped") <= 1
    assert {event.call.id for event in stage.events(ToolEnd)} == set(stage.results)


@pytest.mark.parametrize("steps", range(30))
async def test_what_was_said_meanwhile_is_in_the_conversation_or_given_back(stage: Stage, steps: int) -> None:
    """Never both, never neither; and what is in the conversation was told."""
    began, go = asyncio.Event(), asyncio.Event()

    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        began.set()
        await go.wait()
        return Reply("")

    stage.tools.add(tool("t.look", run))
    turn = asyncio.create_task(stage.turn("look", say(calls=[call("t.look")]), say("Seen.")))
    await began.wait()
    await stage.session.submit(Prompt("hurry"))
    go.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    back = stage.session.stop()
    await turn
    await stage.works()
    assert (said("hurry") in stage.messages) is (back == [])
    told = [event.user for event in stage.events(UserSaid)]
    assert told == [message for message in stage.messages if isinstance(message, User)]


async def test_stopping_a_tool_gives_every_call_a_result(stage: Stage) -> None:
    stuck = Stuck()
    stage.tools.add(tool("t.look", stuck, Need("fs.read", "/x")))
    stage.tools.add(tool("t.quick", quick, Need("fs.read", "/x")))
    stage.tools.add(tool("t.write", quick, Need("fs.write", str(stage.project / "a"))))
    calls = [call("t.quick", "c1"), call("t.look", "c2"), call("t.write", "c3"), call("t.gone", "c4")]
    turn = asyncio.create_task(stage.turn("go", say(calls=calls)))
    await stuck.began.wait()
    await stage.bus.settle()
    stage.session.stop()
    assert (await turn).reason == "stopped"
    assert stuck.ended.is_set()
    assert stage.every_call_has_its_result()
    assert {key: (output.stopped, output.text) for key, output in stage.results.items()} == {
        "c1": (False, "quick"),
        "c2": (True, "Stopped before it ended."),
        "c3": (True, "Not run: the turn was stopped."),
        "c4": (True, "Not run: the turn was stopped."),
    }
    await stage.works()


async def test_stopping_while_the_user_is_asked_says_that_it_did_not_run(stage: Stage) -> None:
    stage.tools.add(tool("t.run", quick, Need("command.run", "make")))
    turn = asyncio.create_task(stage.turn("go", say(calls=[call("t.run")])))
    await stage.asking.wait()
    stage.session.stop()
    assert (await turn).reason == "stopped"
    assert stage.results["c1"].text == "Not run: the turn was stopped."
    stage.answers.append(Approval("once"))
    await stage.works()


async def test_a_result_that_is_there_already_is_kept(stage: Stage) -> None:
    """Stopped while an extension still looks at it."""
    looking = asyncio.Event()

    async def look(event: ToolResult) -> None:
        event.output = "spoilt"
        looking.set()
        await asyncio.Event().wait()

    stage.tools.add(tool("t.write", quick, Need("fs.write", str(stage.project / "a"))))
    handle = stage.bus.on(ToolResult, look, rank=ANYBODY)
    turn = asyncio.create_task(stage.turn("go", say(calls=[call("t.write")])))
    await looking.wait()
    stage.session.stop()
    assert (await turn).reason == "stopped"
    assert (stage.results["c1"].text, stage.results["c1"].stopped) == ("quick", False)
    handle.close()
    await stage.works()


async def test_stopping_while_an_extension_looks_at_the_input_changes_nothing_for_it(stage: Stage) -> None:
    looking, go = asyncio.Event(), asyncio.Event()

    async def look(_event: Input) -> None:
        looking.set()
        await go.wait()

    handle = stage.bus.on(Input, look, rank=ANYBODY)
    turn = asyncio.create_task(stage.turn("hello", say("Yes.")))
    await looking.wait()
    assert stage.session.stop() == []
    go.set()
    assert (await turn).reason == "done"
    handle.close()
    await stage.works()


async def test_ending_the_session_ends_the_turn_and_is_told(stage: Stage) -> None:
    stuck = Stuck()
    seen: list[str] = []
    stage.bus.on(SessionEnd, lambda event: seen.append(event.session), rank=ANYBODY)
    stage.tools.add(tool("t.look", stuck))
    stage.steps.append(say(calls=[call("t.look")]))
    await stage.session.submit(Prompt("go"))
    await stuck.began.wait()
    stage.running.cancel()
    await asyncio.wait({stage.running})
    assert stage.running.cancelled()
    assert stuck.ended.is_set()
    assert seen == [stage.conversation.id]
    assert stage.results["c1"].stopped


async def test_the_model_sees_what_became_of_a_stopped_turn(stage: Stage) -> None:
    stuck = Stuck()
    stage.tools.add(tool("t.look", stuck))
    turn = asyncio.create_task(stage.turn("go", say("I look.", calls=[call("t.look")])))
    await stuck.began.wait()
    stage.session.stop()
    await turn
    await stage.turn("well?", say("It was stopped."))
    assert [type(message) for message in stage.requests[-1].messages] == [User, Assistant, ToolMessage, User]
