"""``agent.commands``: tool lists hold during the command's own turn, and for no other."""

from pathlib import Path

import pytest

from panto import Need, Prompt, SessionEnd, Text, ToolCall, ToolCallEvent, TurnStart, User
from panto_agent.commands._turn import Limits, limits_in
from tests.agent_suite.test_commands import Place, put
from tests.support.extension_host import Stage


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty project and an empty home."""
    return Place(tmp_path)


async def prompt_of(stage: Stage, name: str) -> Prompt:
    """What a command says."""
    prompt = (await stage.command(name)).prompt
    assert prompt is not None
    return prompt


async def turn(stage: Stage, tag: str = "", session: str = "s") -> None:
    """A turn begins."""
    await stage.bus.emit(TurnStart(session, User((Text("x"),)), tag))


async def judged(stage: Stage, tool: str, *needs: Need) -> tuple[str, bool]:
    """The verdict on a call, and whether it runs without asking."""
    event = await stage.bus.emit(ToolCallEvent("s", ToolCall("c", tool, {}), needs, {}))
    return event.verdict[0], event.granted


GIT = Need("command.run", "git status")
LISTS = "---\nallowed-tools: Read, Bash(git *)\ndisallowed-tools: Bash(git push)\n---\nGo"


async def test_lists_hold_from_their_turn_to_the_next(place: Place) -> None:
    put(place.user / "x.md", LISTS)
    async with place.stage() as stage:
        prompt = await prompt_of(stage, "x")
        assert prompt.own_turn
        await turn(stage, "another's")
        assert await judged(stage, "std.write") == ("allow", False)
        await turn(stage, prompt.tag)
        assert await judged(stage, "std.write") == ("deny", False)
        assert await judged(stage, "std.shell", GIT) == ("allow", True)
        assert await judged(stage, "std.shell", Need("command.run", "git push")) == ("deny", False)
        await turn(stage)
        assert await judged(stage, "std.write") == ("allow", False)
        assert await judged(stage, "std.shell", GIT) == ("allow", False)
        assert stage.notices == []


async def test_a_turn_within_the_turn_does_not_lift_them_and_the_sessions_end_does(place: Place) -> None:
    put(place.user / "x.md", LISTS)
    async with place.stage() as stage:
        await turn(stage, (await prompt_of(stage, "x")).tag)
        await turn(stage, session="a subagent's")
        await stage.bus.emit(SessionEnd("a subagent's"))
        assert await judged(stage, "std.write") == ("deny", False)
        await stage.bus.emit(SessionEnd("s"))
        assert await judged(stage, "std.write") == ("allow", False)


async def test_the_next_commands_lists_take_their_place(place: Place) -> None:
    put(place.user / "x.md", "---\nallowed-tools: Read\n---\nGo")
    put(place.user / "y.md", "---\ndisallowed-tools: Read\n---\nGo")
    async with place.stage() as stage:
        await turn(stage, (await prompt_of(stage, "x")).tag)
        await turn(stage, (await prompt_of(stage, "y")).tag)
        assert await judged(stage, "std.write") == ("allow", False)
        assert await judged(stage, "std.read") == ("deny", False)


async def test_an_empty_list_allows_nothing(place: Place) -> None:
    put(place.user / "x.md", "---\nallowed-tools: []\n---\nGo")
    async with place.stage() as stage:
        await turn(stage, (await prompt_of(stage, "x")).tag)
        assert await judged(stage, "std.read") == ("deny", False)


@pytest.mark.parametrize("where", ["base", "user", "own"])
@pytest.mark.parametrize("trusted", [True, False])
async def test_only_the_users_own_and_a_trusted_project_grant(place: Place, where: str, *, trusted: bool) -> None:
    put({"base": place.base, "user": place.user, "own": place.own}[where] / "x.md", LISTS)
    async with place.stage(trusts_project=trusted) as stage:
        await turn(stage, (await prompt_of(stage, "x")).tag)
        assert await judged(stage, "std.shell", GIT) == ("allow", where != "own" or trusted)
        assert await judged(stage, "std.write") == ("deny", False)


async def test_entries_that_stand_for_no_tool_are_told(place: Place) -> None:
    put(place.user / "x.md", "---\nallowed-tools: Read, Frobnicate\n---\nGo")
    async with place.stage() as stage:
        await turn(stage, (await prompt_of(stage, "x")).tag)
        await stage.bus.settle()
        assert stage.notices == ["command /x: its tool lists name what is no tool here: Frobnicate"]


def test_a_tag_brings_its_lists_and_no_other_tag_does() -> None:
    limits = Limits("command /x", ["Read", 'a"b\u2028'], None, grants=True)
    assert limits_in(limits.tag) == limits
    assert Limits("command /x", None, None, grants=True).tag == ""
    for tag in ("", "x", "agent.commands:", "agent.commands:{}", "agent.commands:[", limits.tag[1:]):
        assert limits_in(tag) is None
