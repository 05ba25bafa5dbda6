"""Turns that go wrong: what came is kept, the user is told what to do, and the next turn works."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from panto.agent import loop
from panto.agent.model_call import ModelUnavailable, Stream
from panto.events import (
    ModelResponse,
)
from panto.json_values import JSONObject
from panto.llm.types import Done, Request, StreamEvent, TextDelta
from panto.messages import Assistant, Message, Text, Tool as ToolMessage, User
from panto.offers import Prompt
from panto.sessions.store import Entry, Session, Store, StoreError, memory_store
from panto.tools import Reply, ToolContext
from tests.agent.stage import MODEL, Stage, call, fail, say, staged, tool


async def test_no_model_gives_the_text_back(stage: Stage) -> None:
    stage.unavailable = ModelUnavailable("no model is chosen", "choose one")
    end = await stage.turn("hello")
    assert (end.reason, end.error, end.hint) == ("failed", "no model is chosen", "choose one")
    assert end.unsent == "hello"
    assert stage.messages == []
    await stage.works()


async def test_choosing_a_model_may_fail_in_ways_of_its_own(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(_name: str | None) -> ModelUnavailable:
        raise KeyError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr(stage, "choose_model", fails)
        end = await stage.turn("hello")
    assert (end.reason, end.unsent) == ("failed", "hello")
    assert "KeyError" in end.error
    assert "fault of panto-py" in end.hint
    await stage.works()


async def test_a_request_that_fails_midway_keeps_what_came(stage: Stage) -> None:
    end = await stage.turn("hello", fail("network", "I was ab"))
    assert (end.reason, end.error, end.hint, end.unsent) == ("failed", "the server said no", "try later", "")
    assert stage.messages[-1] == Assistant((Text("I was ab"),), MODEL, "error", error="the server said no")
    assert stage.events(ModelResponse)[-1].message == stage.messages[-1]
    await stage.works()


async def test_calls_of_a_failed_answer_are_not_run(stage: Stage) -> None:
    ran: list[str] = []

    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        ran.append("ran")
        return Reply("")

    stage.tools.add(tool("t.look", run))
    end = await stage.turn("hello", fail("server", "I look.", calls=[call("t.look")]))
    assert end.reason == "failed"
    assert ran == []
    await stage.works()


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (say("I was ab", stop="length"), "the answer met the length limit"),
        (say(stop="refused"), "the provider kept the model from answering"),
        (say(), "the model ended without an answer"),
        (say("  \n"), "the model ended without an answer"),
        (say(thinking="Hm."), "the model ended without an answer"),
    ],
)
async def test_an_unusual_end_is_said(stage: Stage, step: Stream, error: str) -> None:
    end = await stage.turn("hello", step)
    assert (end.reason, end.error) == ("done", error)
    assert end.hint
    await stage.works()


async def test_calls_before_a_length_limit_are_run_and_the_one_that_was_cut_off_is_not(stage: Stage) -> None:
    ran: list[str] = []

    async def run(_arguments: JSONObject, context: ToolContext) -> Reply:
        ran.append(context.call.id)
        return Reply("result")

    stage.tools.add(tool("t.write", run))
    calls = [call("t.write", "whole"), call("t.write", "cut", problem="its arguments were cut off")]
    await stage.turn("write", say(calls=calls, stop="length"), say("Again."))
    assert ran == ["whole"]
    assert stage.results["cut"].is_error
    assert "its arguments were cut off" in stage.results["cut"].text
    assert stage.every_call_has_its_result()
    await stage.works()


async def test_a_turn_has_only_so_many_steps(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loop.MAX_STEPS == 90
    monkeypatch.setattr(loop, "MAX_STEPS", 3)
    stage.tools.add(tool("t.look"))
    end = await stage.turn("look", *(say(calls=[call("t.look", f"c{number}")]) for number in range(5)))
    assert end.reason == "max_steps"
    assert "after 3 calls" in end.error
    assert len(stage.requests) == 3
    assert stage.every_call_has_its_result()
    await stage.works()


async def test_text_left_over_at_the_limit_begins_the_next_turn(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "MAX_STEPS", 1)
    began, go = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        began.set()
        await go.wait()
        yield Done(Assistant((Text("One."),), MODEL))

    turn = asyncio.create_task(stage.turn("first", slow, say("Two.")))
    await began.wait()
    await stage.session.submit(Prompt("second"))
    go.set()
    assert (await turn).reason == "max_steps"
    assert [message.text for message in stage.messages if isinstance(message, User)] == ["first", "second"]


async def test_a_stream_that_breaks_its_promise_ends_the_turn_and_keeps_what_came(stage: Stage) -> None:
    async def no_end(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        yield TextDelta("I was ab")

    async def raises(_request: Request) -> AsyncGenerator[StreamEvent, None]:
        yield TextDelta("I was ab")
        raise ValueError("a fault of ours")

    end = await stage.turn("hello", no_end)
    assert (end.reason, end.error) == ("failed", "the stream had no end")
    assert stage.messages[-1] == Assistant((Text("I was ab"),), MODEL, "error", error="the stream had no end")
    end = await stage.turn("hello", raises)
    assert end.reason == "failed"
    assert "ValueError: a fault of ours" in end.error
    assert stage.messages[-1] == Assistant((Text("I was ab"),), MODEL, "error")
    await stage.works()


class Fickle(Store):
    """A store whose disk is full at times: ``full`` says at which messages."""

    full: type[Message] | None = None

    async def append(self, session: Session, message: Message, *, agent: str = "") -> tuple[Session, Entry]:
        """Fail, or do as any store."""
        if self.full is not None and isinstance(message, self.full):
            raise StoreError("the disk is full")
        return await super().append(session, message, agent=agent)


@pytest.fixture
async def fickle() -> Fickle:
    return Fickle(vars(await memory_store())["_db"], None)


@pytest.mark.parametrize(("at", "unsent"), [(User, "hello"), (Assistant, ""), (ToolMessage, "")])
async def test_nothing_is_sent_that_can_not_be_stored(
    tmp_path: Path, fickle: Fickle, at: type[Message], unsent: str
) -> None:
    async with staged(tmp_path, fickle) as stage:
        stage.tools.add(tool("t.look"))
        stage.tools.add(tool("t.see"))
        fickle.full = at
        steps = say("I look.", calls=[call("t.look", "c1"), call("t.see", "c2")]), say("Seen.")
        end = await stage.turn("hello", *steps)
        assert (end.reason, end.error, end.unsent) == ("failed", "the disk is full", unsent)
        assert "make room" in end.hint
        assert len(stage.requests) == (0 if at is User else 1)
        fickle.full = None
        await stage.works()


async def test_what_was_said_meanwhile_is_not_lost_when_it_can_not_be_stored(tmp_path: Path, fickle: Fickle) -> None:
    async with staged(tmp_path, fickle) as stage:

        async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
            await stage.session.submit(Prompt("hurry"))
            fickle.full = User
            return Reply("result")

        stage.tools.add(tool("t.look", run))
        await stage.turn("look", say(calls=[call("t.look")]))
        end = await stage.ends.get()
        assert (end.reason, end.unsent) == ("failed", "hurry")
        assert [message.text for message in stage.messages if isinstance(message, User)] == ["look"]
        fickle.full = None
        await stage.works()
