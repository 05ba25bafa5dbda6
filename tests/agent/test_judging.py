"""Who judges a call: the gate, the extensions, the user. The strictest wins."""

from collections.abc import Iterable

import pytest

from panto.events import ExtensionError, ToolCallEvent, ToolEnd, ToolResult, ToolStart
from panto.json_values import JSONObject, is_object
from panto.permissions.approval import Approval
from panto.tools import Need, Reply, Tool, ToolContext
from tests.agent.recorder import Place, Recorder, one
from tests.agent.stage import ANYBODY, Stage, call, say


async def test_asked_once_is_asked_again(stage: Stage) -> None:
    recorder = Recorder(stage)
    for _ in range(2):
        stage.answers.append(Approval("once"))
    calls = [call("t.write", identity, path="/outside/a") for identity in ("c1", "c2")]
    await stage.turn("go", say(calls=calls), say("Well."))
    assert len(recorder.runs) == 2
    assert [request.needs for request in stage.asked] == [(Need("fs.write", "/outside/a"),)] * 2
    assert stage.asked[0].summary == "/outside/a"
    assert "outside of the project" in stage.asked[0].why
    await stage.works()


async def test_always_holds_for_the_very_same_need(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.answers.extend([Approval("always"), Approval("no")])
    calls = [
        call("t.write", "c1", path="/outside/a"),
        call("t.write", "c2", path="/outside/a"),
        call("t.write", "c3", path="/outside/b"),
    ]
    await stage.turn("go", say(calls=calls), say("Well."))
    assert [run["path"] for run in recorder.runs] == ["/outside/a", "/outside/a"]
    assert len(stage.asked) == 2
    await stage.works()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Approval("no"), "The user does not want this to run."),
        (Approval("no", "use the other file"), "The user does not want this to run and says: use the other file."),
    ],
)
async def test_no_is_told_to_the_model_with_its_reason(stage: Stage, answer: Approval, text: str) -> None:
    recorder = Recorder(stage)
    stage.answers.append(answer)
    assert await one(stage, "t.write", path="/outside/a") == text
    assert recorder.runs == []
    assert stage.results["c1"].is_error
    await stage.works()


async def test_what_the_mode_denies_is_not_even_asked(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.gate.mode = "plan"
    assert (await one(stage, "t.write", path="a")).startswith("Denied: the mode is plan")
    assert recorder.runs == []
    assert stage.asked == []
    await stage.works()


async def test_an_extension_can_deny(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.bus.on(ToolCallEvent, lambda event: event.deny("not on a Friday"), rank=ANYBODY)
    assert await one(stage, "t.write", path="a") == "Denied: not on a Friday."
    assert recorder.runs == []
    await stage.works()


async def test_an_extension_can_have_the_user_asked(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.answers.append(Approval("once"))
    stage.bus.on(ToolCallEvent, lambda event: event.ask("it is Friday"), rank=ANYBODY)
    await one(stage, "t.write", path="a")
    assert [request.why for request in stage.asked] == ["it is Friday"]
    assert len(recorder.runs) == 1


async def test_an_extension_can_not_lift_what_the_gate_says(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.gate.mode = "plan"
    stage.bus.on(ToolCallEvent, lambda event: event.allow(), rank=ANYBODY)
    assert (await one(stage, "t.write", path="a")).startswith("Denied")
    assert recorder.runs == []


async def test_an_extension_can_spare_the_user_a_question_that_the_mode_asks(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.gate.mode = "ask"
    stage.bus.on(ToolCallEvent, lambda event: event.allow(), rank=ANYBODY)
    await one(stage, "t.write", path="a")
    assert len(recorder.runs) == 1
    assert stage.asked == []


async def test_what_was_allowed_and_then_changed_is_asked_about(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.gate.mode = "ask"
    stage.answers.append(Approval("no"))
    stage.bus.on(ToolCallEvent, lambda event: event.allow(), rank=ANYBODY)
    stage.bus.on(ToolCallEvent, lambda event: event.arguments.update(path="b"), rank=ANYBODY)
    assert "does not want" in await one(stage, "t.write", path="a")
    assert recorder.runs == []
    assert stage.asked[0].needs == (Need("fs.write", str(stage.project / "b")),)


async def test_a_judge_sees_what_the_call_needs(stage: Stage) -> None:
    Recorder(stage)
    seen = list[tuple[Need, ...]]()
    stage.bus.on(ToolCallEvent, lambda event: seen.append(event.needs), rank=ANYBODY)
    await one(stage, "t.write", path="a")
    assert seen == [(Need("fs.write", str(stage.project / "a")),)]


async def test_a_call_that_an_extension_failed_to_judge_is_not_run(stage: Stage) -> None:
    def fails(_event: ToolCallEvent) -> None:
        raise ValueError("oh")

    recorder = Recorder(stage)
    stage.bus.on(ToolCallEvent, fails, rank=ANYBODY)
    assert await one(stage, "t.write", path="a") == "Denied: user.anybody failed to judge this call, so it is not run."
    assert recorder.runs == []
    assert len(stage.events(ExtensionError)) == 1
    await stage.works()


async def test_changed_arguments_are_judged_again(stage: Stage) -> None:
    recorder = Recorder(stage)
    stage.answers.append(Approval("no"))
    stage.bus.on(ToolCallEvent, lambda event: event.arguments.update(path="/outside/a"), rank=ANYBODY)
    assert "does not want" in await one(stage, "t.write", path="a")
    assert recorder.runs == []
    (request,) = stage.asked
    assert request.needs == (Need("fs.write", "/outside/a"),)


async def test_so_are_arguments_that_are_changed_deep_within(stage: Stage) -> None:
    ran: list[JSONObject] = []

    async def run(arguments: JSONObject, _context: ToolContext) -> Reply:
        ran.append(arguments)
        return Reply("")

    def needs(arguments: JSONObject, _context: ToolContext) -> Iterable[Need]:
        assert is_object(arguments["target"])
        return [Need("fs.write", str(arguments["target"]["path"]))]

    def change(event: ToolCallEvent) -> None:
        assert is_object(event.arguments["target"])
        event.arguments["target"]["path"] = "/outside/a"

    stage.tools.add(Tool("t.deep", "Deep.", {"type": "object"}, run, needs))
    stage.bus.on(ToolCallEvent, change, rank=ANYBODY)
    stage.answers.append(Approval("no"))
    assert "does not want" in await one(stage, "t.deep", target={"path": str(stage.project / "a")})
    assert ran == []
    assert stage.asked[0].needs == (Need("fs.write", "/outside/a"),)


async def test_changed_arguments_are_checked_again(stage: Stage) -> None:
    async def run(_arguments: Place, _context: ToolContext) -> Reply:
        raise AssertionError("it must not run")

    def change(event: ToolCallEvent) -> None:
        event.arguments = {"limit": "many"}

    stage.tools.add(Tool("t.read", "Read.", Place, run))
    stage.bus.on(ToolCallEvent, change, rank=ANYBODY)
    assert "Expected: path, limit (optional)" in await one(stage, "t.read", path="a")
    await stage.works()


async def test_a_tool_runs_with_the_changed_arguments_and_its_result_is_theirs(stage: Stage) -> None:
    recorder = Recorder(stage)
    seen: list[JSONObject] = []
    stage.bus.on(ToolCallEvent, lambda event: event.arguments.update(path="b"), rank=ANYBODY)
    stage.bus.on(ToolResult, lambda event: seen.append(event.call.arguments), rank=ANYBODY)
    assert await one(stage, "t.write", path="a") == "wrote b"
    assert recorder.runs == [{"path": "b"}]
    assert seen == [{"path": "b"}]
    assert stage.events(ToolEnd)[0].call.arguments == {"path": "b"}
    assert [(event.call.arguments["path"], event.summary, event.state) for event in stage.events(ToolStart)] == [
        ("a", "a", "waiting"),
        ("b", "b", "running"),
    ]
