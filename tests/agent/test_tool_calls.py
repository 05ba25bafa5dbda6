"""From a call to its result: checked, judged, run, handed to the extensions, stored."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec import Struct

from panto.events import ExtensionError, ToolCallEvent, ToolEnd, ToolResult, ToolStart
from panto.json_values import JSONObject, is_object
from panto.messages import Image, ToolCall
from panto.permissions.approval import Approval, ApprovalRequest
from panto.tools import Need, Reply, Tool, ToolContext, ToolError
from tests.agent.stage import ANYBODY, Stage, call, say, tool


class Place(Struct):
    path: str
    limit: int = 10


class Recorder:
    """A tool that records what it was run with, and needs to write what it is given as ``path``."""

    def __init__(self, stage: Stage, name: str = "t.write") -> None:
        self.runs: list[JSONObject] = []
        stage.tools.add(
            Tool(name, "Write.", {"type": "object"}, self.run, self.needs, lambda given: f"{given['path']}")
        )

    def needs(self, arguments: JSONObject, context: ToolContext) -> Iterable[Need]:
        """One need: the path, or the command."""
        if "command" in arguments:
            return [Need("command.run", str(arguments["command"]))]
        return [Need("fs.write", str(context.resolve(str(arguments["path"]))))]

    async def run(self, arguments: JSONObject, _context: ToolContext) -> Reply:
        """Record."""
        self.runs.append(arguments)
        return Reply(f"wrote {arguments['path']}", paths=(Path("/x"),))


async def one(stage: Stage, name: str, **arguments: object) -> str:
    """Have one call made; the text of its result."""
    end = await stage.turn("go", say(calls=[ToolCall("c1", name, arguments)]), say("Well."))
    assert end.reason == "done", end
    assert stage.every_call_has_its_result()
    return stage.results["c1"].text


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


# who judges


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
    assert request.call.arguments == {"path": "/outside/a"}
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


# what extensions make of results


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
