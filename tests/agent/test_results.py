"""What becomes of a result on its way into the conversation."""

from pathlib import Path

import pytest

from panto.events import ToolCallEvent, ToolResult
from panto.json_values import JSONObject
from panto.messages import Image
from panto.permissions.approval import Approval, ApprovalRequest
from panto.tools import Reply, ToolContext
from tests.agent.recorder import Recorder, one
from tests.agent.stage import ANYBODY, Stage, call, say, tool


async def test_what_extensions_make_of_a_result(stage: Stage) -> None:
    def add(event: ToolResult) -> None:
        assert event.paths == (Path("/x"),)
        event.output += "\nrules: be kind"
        event.notes.append("+ rules: AGENTS.md")

    Recorder(stage)
    stage.bus.on(ToolResult, add, rank=ANYBODY)
    assert await one(stage, "t.write", path="a") == "wrote a\nrules: be kind"
    output = stage.results["c1"]
    assert (output.shown, output.notes, output.is_error) == ("wrote a", ("+ rules: AGENTS.md",), False)


async def test_a_result_nobody_changes_is_shown_as_it_is(stage: Stage) -> None:
    Recorder(stage)
    await one(stage, "t.write", path="a")
    assert stage.results["c1"].shown is None
    assert stage.results["c1"].notes == ()


async def test_extensions_see_the_results_of_calls_that_failed_too(stage: Stage) -> None:
    seen: list[tuple[str, bool]] = []
    stage.bus.on(ToolResult, lambda event: seen.append((event.call.id, event.is_error)), rank=ANYBODY)
    stage.bus.on(ToolCallEvent, lambda event: event.deny("no"), rank=ANYBODY)
    Recorder(stage)
    calls = [call("t.gone", "c1"), call("t.write", "c2", problem="cut off"), call("t.write", "c3", path="a")]
    await stage.turn("go", say(calls=calls), say("Well."))
    assert sorted(seen) == [("c1", True), ("c2", True), ("c3", True)]


async def test_all_that_a_reply_says_is_kept(stage: Stage) -> None:
    image = Image("image/png", b"\x89PNG")

    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        return Reply("text", summary="1 thing", diff="--- a", images=(image,), is_error=True)

    stage.tools.add(tool("t.see", run))
    await one(stage, "t.see")
    output = stage.results["c1"]
    assert (output.summary, output.diff, output.images, output.is_error) == ("1 thing", "--- a", (image,), True)
    assert output.seconds >= 0


async def test_a_huge_result_is_cut_for_model_and_screen(stage: Stage) -> None:
    async def run(_arguments: JSONObject, _context: ToolContext) -> Reply:
        return Reply("x" * 1_000_000)

    stage.tools.add(tool("t.big", run))
    stage.bus.on(ToolResult, lambda event: setattr(event, "output", event.output + "y" * 1_000_000), rank=ANYBODY)
    text = await one(stage, "t.big")
    assert len(text) < 121_000
    assert "of 2000000 left out here" in text
    assert len(stage.results["c1"].shown or "") < 121_000
    await stage.works()


async def test_a_fault_of_our_own_ends_the_turn_and_every_call_has_its_result(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(_request: ApprovalRequest) -> Approval:
        raise RuntimeError("the screen is gone")

    Recorder(stage)
    stage.tools.add(tool("t.look"))
    with monkeypatch.context() as patched:
        patched.setattr(stage, "approve", breaks)
        calls = [call("t.look", "c1"), call("t.write", "c2", path="/outside/a"), call("t.look", "c3")]
        end = await stage.turn("go", say(calls=calls))
    assert end.reason == "failed"
    assert "RuntimeError: the screen is gone" in end.error
    assert stage.every_call_has_its_result()
    assert [stage.results[key].stopped for key in ("c1", "c2", "c3")] == [False, True, True]
    await stage.works()
