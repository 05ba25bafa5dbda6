"""Calls that are run, in what order, and calls that can't be."""

import asyncio

import pytest

from panto.events import ToolCallEvent
from panto.json_values import JSONObject
from panto.tools import Need, Reply, Tool, ToolContext, ToolError
from tests.agent.recorder import Place, Recorder, one
from tests.agent.stage import ANYBODY, Stage, call, say, tool

# what can not run


async def test_an_unknown_tool_is_named_with_the_nearest(stage: Stage) -> None:
    stage.tools.add(tool("std.read"))
    stage.tools.add(tool("std.list"))
    text = await one(stage, "std_reed")
    assert text == "There is no tool 'std_reed'. Did you mean std.read? Available: std.list, std.read."
    assert stage.results["c1"].is_error
    await stage.works()


async def test_wrong_arguments_are_told_to_the_model(stage: Stage) -> None:
    async def run(_arguments: Place, _context: ToolContext) -> Reply:
        raise AssertionError("it must not run")

    stage.tools.add(Tool("t.read", "Read.", Place, run))
    text = await one(stage, "t.read", limit="many")
    assert "t.read: " in text
    assert "Expected: path, limit (optional)" in text
    assert stage.results["c1"].is_error
    await stage.works()


async def test_a_call_with_a_problem_is_never_run(stage: Stage) -> None:
    recorder = Recorder(stage)
    judged: list[str] = []
    stage.bus.on(ToolCallEvent, lambda event: judged.append(event.call.id), rank=ANYBODY)
    calls = [call("t.write", problem="its arguments are no JSON object")]
    await stage.turn("go", say(calls=calls), say("Well."))
    assert recorder.runs == []
    assert judged == []
    assert stage.results["c1"].is_error
    assert "its arguments are no JSON object" in stage.results["c1"].text
    await stage.works()


@pytest.mark.parametrize("part", ["needs", "summarise"])
async def test_a_tool_that_can_not_say_what_it_needs_is_not_run(stage: Stage, part: str) -> None:
    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        raise AssertionError("it must not run")

    def breaks(*_: object) -> list[Need]:
        raise KeyError("oh")

    broken = {part: breaks}
    stage.tools.add(Tool("t.odd", "Odd.", {"type": "object"}, run, **broken))  # pyright: ignore[reportArgumentType] - one of two
    assert await one(stage, "t.odd") == "t.odd failed: KeyError: 'oh'"
    await stage.works()


# what fails


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("no such file; list the directory first"), "no such file; list the directory first"),
        (ValueError("oh"), "t.bad failed: ValueError: oh"),
        (ExceptionGroup("several", [ValueError("oh")]), "t.bad failed: ExceptionGroup: several (1 sub-exception)"),
        (SystemExit(2), "t.bad failed: it tried to end the program (2)"),
        (asyncio.CancelledError(), "t.bad failed: it was cancelled, and not from outside"),
    ],
)
async def test_whatever_a_tool_raises_is_its_result(stage: Stage, error: BaseException, text: str) -> None:
    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        await asyncio.sleep(0)
        raise error

    stage.tools.add(tool("t.bad", run))
    assert await one(stage, "t.bad") == text
    assert stage.results["c1"].is_error
    assert not stage.results["c1"].stopped
    await stage.works()


@pytest.mark.parametrize("answer", [None, "text", Reply(None), Reply("x", diff=5), Reply("x", images=("y",))])  # pyright: ignore[reportArgumentType] - what foreign code may do
async def test_so_is_an_answer_that_is_none(stage: Stage, answer: Reply) -> None:
    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        return answer

    stage.tools.add(tool("t.bad", run))
    assert (await one(stage, "t.bad")).startswith("t.bad failed: ")
    await stage.works()


async def test_a_failing_call_does_not_keep_the_others_from_their_results(stage: Stage) -> None:
    async def bad(_arguments: JSONObject, _context: ToolContext) -> Reply:
        raise ValueError("oh")

    stage.tools.add(tool("t.bad", bad))
    stage.tools.add(tool("t.good"))
    calls = [call("t.bad", "c1"), call("t.good", "c2"), call("t.gone", "c3"), call("t.good", "c4")]
    await stage.turn("go", say(calls=calls), say("Well."))
    assert {key: output.is_error for key, output in stage.results.items()} == {
        "c1": True,
        "c2": False,
        "c3": True,
        "c4": False,
    }
    assert stage.every_call_has_its_result()


# in what order


async def test_reads_run_at_the_same_time(stage: Stage) -> None:
    together = asyncio.Barrier(3)

    async def run(_arguments: JSONObject, context: ToolContext) -> Reply:
        async with asyncio.timeout(30):
            await together.wait()
        return Reply(context.call.id)

    stage.tools.add(tool("t.read", run, Need("fs.read", "/x")))
    await stage.turn("go", say(calls=[call("t.read", f"c{number}") for number in range(3)]), say("Well."))
    assert sorted(stage.results) == ["c0", "c1", "c2"]
    assert not any(output.is_error for output in stage.results.values())


async def test_changes_keep_their_place_among_the_reads(stage: Stage) -> None:
    """Reads before a change are over when it begins; those behind it begin when it is over."""
    running: set[str] = set()
    log: list[str] = []
    changing = asyncio.Event()
    go = asyncio.Event()

    async def read(_arguments: JSONObject, context: ToolContext) -> Reply:
        running.add(context.call.id)
        log.append(context.call.id)
        await asyncio.sleep(0)
        running.discard(context.call.id)
        return Reply("")

    async def write(_arguments: JSONObject, context: ToolContext) -> Reply:
        assert not running, f"{context.call.id} runs beside {running}"
        running.add(context.call.id)
        log.append(context.call.id)
        changing.set()
        await go.wait()
        running.discard(context.call.id)
        return Reply("")

    stage.tools.add(tool("t.read", read, Need("fs.read", "/x")))
    stage.tools.add(tool("t.write", write, Need("fs.write", str(stage.project / "a"))))
    names = ["t.read", "t.read", "t.write", "t.read", "t.write", "t.write", "t.read"]
    calls = [call(name, f"c{number}") for number, name in enumerate(names)]
    turn = asyncio.create_task(stage.turn("go", say(calls=calls), say("Well.")))
    await changing.wait()
    assert log == ["c0", "c1", "c2"]
    go.set()
    await turn
    assert log == ["c0", "c1", "c2", "c3", "c4", "c5", "c6"]
    assert not any(output.is_error for output in stage.results.values())
