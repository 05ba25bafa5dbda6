"""Turns that come to their end as they should."""

import asyncio
from collections.abc import AsyncGenerator

from panto.agent.model_call import Stream
from panto.events import (
    FileChanged,
    ModelDelta,
    ModelRequest,
    ModelRetry,
    SessionStart,
    ShellEnv,
    ToolEnd,
    ToolProgress,
    ToolStart,
    TurnEnd,
    TurnStart,
    UserSaid,
)
from panto.json_values import JSONObject
from panto.llm.types import CallDelta, Done, Failure, Request, Retrying, StreamEvent, TextDelta, ThinkingDelta
from panto.messages import Assistant, Message, System, Text, Thinking, Tool as ToolMessage, ToolSchema, Usage, User
from panto.offers import Prompt
from panto.tools import Reply, ToolContext
from tests.agent.stage import ANYBODY, MODEL, Stage, call, said, say, tool


async def test_a_turn_of_text(stage: Stage) -> None:
    end = await stage.turn("hello", say("Good ", "day."))
    assert (end.reason, end.error, end.hint, end.unsent) == ("done", "", "", "")
    assert stage.messages == [said("hello"), Assistant((Text("Good day."),), MODEL)]
    order = [event.name for event in stage.told if event.name not in ("session_start", "input")]
    assert order == [
        "turn_start",
        "user_said",
        "model_request",
        "model_delta",
        "model_delta",
        "model_response",
        "turn_end",
    ]
    assert [delta.text for delta in stage.events(ModelDelta)] == ["Good ", "day."]
    await stage.works()


async def test_what_the_model_is_sent(stage: Stage) -> None:
    stage.tools.add(tool("t.b"))
    stage.tools.add(tool("t.a"))
    await stage.turn("hello", say("Good day."))
    await stage.turn("again", say("Yes?"))
    first, second = stage.requests
    assert [schema.name for schema in first.tools] == ["t.a", "t.b"]
    assert first.messages == (said("hello"),)
    assert second.messages == (*first.messages, Assistant((Text("Good day."),), MODEL), said("again"))
    assert first.system == second.system
    assert str(stage.project) in "\n".join(first.system)


async def test_rounds_of_tools(stage: Stage) -> None:
    runs: list[JSONObject] = []

    async def run(arguments: JSONObject, context: ToolContext) -> Reply:
        assert context.call.arguments == arguments
        assert (context.session, context.project) == (stage.conversation.id, stage.project)
        runs.append(arguments)
        return Reply(f"result {len(runs)}", summary=f"{len(runs)} things")

    stage.tools.add(tool("t.look", run))
    end = await stage.turn(
        "look",
        say("First. ", calls=[call("t.look", "c1", path="a"), call("t.look", "c2", path="b")]),
        say(calls=[call("t.look", "c3", path="c")]),
        say("All seen."),
    )
    assert end.reason == "done"
    assert runs == [{"path": "a"}, {"path": "b"}, {"path": "c"}]
    assert {key: output.text for key, output in stage.results.items()} == {
        "c1": "result 1",
        "c2": "result 2",
        "c3": "result 3",
    }
    assert stage.results["c3"].summary == "3 things"
    assert [message.parts[0].text for message in stage.requests[2].messages if isinstance(message, ToolMessage)] == [
        "result 1",
        "result 2",
        "result 3",
    ]
    assert stage.every_call_has_its_result()
    assert [(event.call.id, event.state) for event in stage.events(ToolStart)][-2:] == [
        ("c3", "waiting"),
        ("c3", "running"),
    ]
    await stage.works()


async def test_a_call_is_stored_before_it_is_run(stage: Stage) -> None:
    stored: list[Message] = []

    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        session = await stage.store.latest(stage.project)
        assert session is not None
        entries, _ = await stage.store.entries(session)
        stored.extend(entry.message for entry in entries)
        return Reply("")

    stage.tools.add(tool("t.look", run))
    await stage.turn("look", say(calls=[call("t.look")]), say("Seen."))
    assert stored == [said("look"), Assistant((call("t.look"),), MODEL, "tool_calls")]
    await stage.works()


async def test_thinking_and_calls_are_told_as_they_stream(stage: Stage) -> None:
    stage.tools.add(tool("t.look"))

    async def stream(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        yield ThinkingDelta("Hm.")
        yield Retrying(Failure("overloaded", "it is busy"), wait=2.4, attempt=1, attempts=4)
        yield TextDelta("I look.")
        yield CallDelta(0, "t.look")
        yield CallDelta(0, "t.look", '{"a":')
        yield CallDelta(1, "t.look")
        yield Done(Assistant((Thinking("Hm."), Text("I look."), call("t.look")), MODEL, "tool_calls"))

    await stage.turn("look", stream, say("Seen."))
    deltas = [(delta.kind, delta.text, delta.index) for delta in stage.events(ModelDelta)]
    assert deltas == [
        ("thinking", "Hm.", 0),
        ("text", "I look.", 0),
        ("tool_call", "t.look", 0),
        ("tool_call", "t.look", 1),
        ("text", "Seen.", 0),
    ]
    (retry,) = stage.events(ModelRetry)
    assert (retry.why, retry.wait, retry.attempt, retry.attempts) == ("overloaded: it is busy", 2.4, 2, 4)


async def test_calls_with_the_same_id_or_none_are_told_apart(stage: Stage) -> None:
    stage.tools.add(tool("t.look"))
    await stage.turn("look", say(calls=[call("t.look", "x"), call("t.look", "x"), call("t.look", "")]), say("Seen."))
    assert len(stage.results) == 3
    assert stage.every_call_has_its_result()


async def test_what_extensions_add_to_a_turn_and_to_a_request(stage: Stage) -> None:
    def begin(event: TurnStart) -> None:
        assert event.user == said("hello")
        event.messages.append(said("by the way"))

    def project(event: ModelRequest) -> None:
        event.messages.insert(0, System("only sent"))
        event.tools.append(ToolSchema("t.extra", "", {"type": "object"}))
        event.parameters["temperature"] = 0

    stage.bus.on(TurnStart, begin, rank=ANYBODY)
    stage.bus.on(ModelRequest, project, rank=ANYBODY)
    await stage.turn("hello", say("Good day."))
    assert stage.messages == [said("hello"), said("by the way"), Assistant((Text("Good day."),), MODEL)]
    (request,) = stage.requests
    assert request.messages == (System("only sent"), said("hello"), said("by the way"))
    assert [schema.name for schema in request.tools] == ["t.extra"]
    assert request.parameters == {"temperature": 0}


async def test_the_system_prompt_is_frozen_for_the_session(stage: Stage) -> None:
    stage.bus.on(SessionStart, lambda event: event.system.extend(["Answer in rhyme.", "  "]), rank=ANYBODY)
    await stage.session.start("resume")
    await stage.turn("one", say("a"))
    stage.bus.on(SessionStart, lambda event: event.system.append("And in prose."), rank=ANYBODY)
    await stage.turn("two", say("b"))
    assert stage.requests[0].system[-1] == "Answer in rhyme."
    assert stage.requests[0].system == stage.requests[1].system


async def test_text_said_meanwhile_goes_in_between_two_steps(stage: Stage) -> None:
    running, go = asyncio.Event(), asyncio.Event()

    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        running.set()
        await go.wait()
        return Reply("result")

    stage.tools.add(tool("t.look", run))
    turn = asyncio.create_task(stage.turn("look", say(calls=[call("t.look")]), say("Done.")))
    await running.wait()
    await stage.session.submit(Prompt("hurry"))
    await stage.session.submit(Prompt("please"))
    assert stage.session.busy
    assert stage.session.queued == ("hurry", "please")
    go.set()
    assert (await turn).reason == "done"
    assert [message.text for message in stage.messages if isinstance(message, User)] == ["look", "hurry", "please"]
    assert stage.requests[1].messages[-2:] == (said("hurry"), said("please"))
    assert [event.user.text for event in stage.events(UserSaid)] == ["look", "hurry", "please"]
    assert stage.session.queued == ()
    assert len(stage.events(TurnEnd)) == 1


async def test_text_said_during_the_last_answer_gets_an_answer_in_the_same_turn(stage: Stage) -> None:
    began, go = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        began.set()
        await go.wait()
        yield Done(Assistant((Text("One."),), MODEL))

    turn = asyncio.create_task(stage.turn("first", slow, say("Two.")))
    await began.wait()
    await stage.session.submit(Prompt("second"))
    go.set()
    await turn
    assert [m.text for m in stage.messages if isinstance(m, User | Assistant)] == ["first", "One.", "second", "Two."]
    assert len(stage.events(TurnEnd)) == 1


async def test_progress_and_changes_are_told_in_time(stage: Stage) -> None:
    async def run(_arguments: JSONObject, context: ToolContext) -> Reply:
        context.progress("half way")
        await context.changed(context.resolve("a.py"), "changed")
        environment = await context.environment("make")
        return Reply(environment["ADDED"])

    stage.bus.on(ShellEnv, lambda event: event.env.update(ADDED=event.command), rank=ANYBODY)
    stage.tools.add(tool("t.make", run))
    await stage.turn("make", say(calls=[call("t.make")]), say("Made."))
    assert [(event.call.id, event.text) for event in stage.events(ToolProgress)] == [("c1", "half way")]
    assert [(event.path, event.change) for event in stage.events(FileChanged)] == [(stage.project / "a.py", "changed")]
    assert stage.results["c1"].text == "make"
    assert stage.events(ToolEnd)[0].output == stage.results["c1"]


async def test_an_answer_is_stored_with_what_it_cost(stage: Stage) -> None:
    def priced(usage: Usage) -> float | None:
        return None if usage.output is None else usage.output / 1000

    stage.price = priced
    await stage.turn("one", counted(Usage(input=5, output=20)))
    await stage.turn("two", counted(Usage(input=5)))
    await stage.turn("three", counted(Usage(input=5, output=20, cost=7.5)))
    answers = [message for message in stage.messages if isinstance(message, Assistant)]
    assert [answer.usage.cost for answer in answers] == [0.02, None, 7.5]
    assert {request.session for request in stage.requests} == {stage.conversation.id}


def counted(usage: Usage) -> Stream:
    """Answer with a count of tokens."""

    async def stream(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        yield Done(Assistant((Text("Yes."),), MODEL, usage=usage))

    return stream
