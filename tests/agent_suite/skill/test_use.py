"""Skills in use: loaded by hand or by the model, and active from then to the end of the turn."""

import asyncio
from pathlib import Path
from types import ModuleType

import pytest

from panto import (
    Assistant,
    Command,
    CommandResult,
    Host,
    Need,
    Prompt,
    SessionStart,
    Text,
    ToolCall,
    ToolCallEvent,
    ToolMessage,
    ToolOutput,
    TurnStart,
    User,
)
from panto_agent import skill
from tests.agent_suite.skill.staging import call, put_skill
from tests.support.extension_host import Stage, on_stage


async def judged(stage: Stage, tool: str, *needs: Need) -> ToolCallEvent:
    """A call that went by all who judge calls."""
    return await stage.bus.emit(ToolCallEvent("s", ToolCall("9", tool), needs, {}))


def prompt_of(result: CommandResult) -> Prompt:
    """The prompt that a command makes."""
    assert result.prompt is not None
    return result.prompt


async def begin(stage: Stage, prompt: Prompt) -> None:
    """Begin a turn with a prompt, as the loop would."""
    await stage.bus.emit(TurnStart("s", User((Text(prompt.text),), prompt.shown), prompt.tag))


async def test_by_hand_a_skill_is_said_in_the_users_place(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals", "How totals\tare rounded. " * 10, "Round half to even.")
    async with on_stage(skill, project, home_dir) as stage:
        prompt = prompt_of(await stage.command("skill:totals", "round these:\n1.5"))
        assert prompt.text == f"{(await call(stage, 'totals', project)).text}\n\nround these:\n1.5"
        assert "Round half to even." in prompt.text
        assert prompt.shown == "/skill:totals round these:\n1.5"
        assert prompt.own_turn
        command = stage.shell.offers.commands.get("skill:totals")
        assert command is not None
        assert command.hint == "[what to do]"
        assert command.description.startswith("How totals are rounded. How")
        assert len(command.description) <= 80


async def test_by_hand_without_a_task_the_skill_is_the_task(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals")
    async with on_stage(skill, project, home_dir) as stage:
        prompt = prompt_of(await stage.command("skill:totals"))
        assert prompt.text.endswith("</skill>\n\nFollow the skill's instructions.")
        assert prompt.shown == "/skill:totals"


async def test_by_hand_it_is_loaded_once_its_turn_begins(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals", body="LONG TEXT")
    async with on_stage(skill, project, home_dir) as stage:
        first = prompt_of(await stage.command("skill:totals", "one"))
        assert "LONG TEXT" in prompt_of(await stage.command("skill:totals", "not sent yet")).text
        await begin(stage, first)
        again = prompt_of(await stage.command("skill:totals", "two"))
        assert "LONG TEXT" not in again.text
        assert "already" in again.text
        assert again.text.endswith("\n\ntwo")
        assert again.shown == "/skill:totals two"
        assert "LONG TEXT" not in (await call(stage, "totals", project)).text
        await stage.bus.emit(SessionStart("s2", "new"))
        assert "LONG TEXT" in prompt_of(await stage.command("skill:totals", "three")).text


async def test_a_resumed_session_knows_what_was_loaded_by_hand(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/a", '"Odd &amp; <name>"', body="LONG TEXT")
    put_skill(project / ".panto/skills/totals", "totals", body="LONG TEXT")
    async with on_stage(skill, project, home_dir) as stage:
        odd = (await call(stage, "Odd &amp; <name>", project)).text
        await stage.bus.emit(SessionStart("s", "resume", (User((Text(f"{odd}\n\ngo"),), "/skill:odd go"),)))
        assert "LONG TEXT" not in (await call(stage, "Odd &amp; <name>", project)).text
        assert "LONG TEXT" in (await call(stage, "totals", project)).text
        await stage.bus.emit(SessionStart("s", "resume", (User((Text('See <skill name="totals">'),)),)))
        assert "LONG TEXT" in (await call(stage, "totals", project)).text


async def test_a_note_alone_does_not_count_as_the_instructions(project: Path, home_dir: Path) -> None:
    """After a compaction the note may be all that is left."""
    put_skill(project / ".panto/skills/totals", "totals", body="LONG TEXT")
    async with on_stage(skill, project, home_dir) as stage:
        await call(stage, "totals", project)
        note = await call(stage, "totals", project)
        history = (
            Assistant((ToolCall("1", "agent.skill", {"name": "totals"}),)),
            ToolMessage((ToolOutput("1", "agent.skill", note.text, summary=note.summary),)),
        )
        await stage.bus.emit(SessionStart("s", "compact", history))
        assert "LONG TEXT" in (await call(stage, "totals", project)).text


async def test_two_calls_at_the_same_time_give_the_text_once(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals", body="LONG TEXT")
    async with on_stage(skill, project, home_dir) as stage:
        replies = await asyncio.gather(*(call(stage, "totals", project) for _ in range(3)))
        assert sum("LONG TEXT" in reply.text for reply in replies) == 1


async def test_hidden_skills_are_for_users_and_others_for_models_only(project: Path, home_dir: Path) -> None:
    root = project / ".panto/skills"
    put_skill(root / "hidden", "hidden", more="disable-model-invocation: true")
    put_skill(root / "models", "models", more="user-invocable: false")
    put_skill(root / "both", "both", more="user-invocable: true")
    put_skill(root / "odd", '"two words"')
    async with on_stage(skill, project, home_dir) as stage:
        names = {command.name for command in stage.shell.offers.commands.all()}
        assert names == {"skills", "skill:both", "skill:hidden"}
        assert "Do it." in prompt_of(await stage.command("skill:hidden")).text
        listed = (await stage.command("skills")).text
        assert "**models** (project, not to be loaded by hand)" in listed
        assert "**hidden** (project, not offered to the model)" in listed


async def test_a_skill_that_is_gone_makes_no_prompt(project: Path, home_dir: Path) -> None:
    file = put_skill(project / ".panto/skills/totals", "totals")
    async with on_stage(skill, project, home_dir) as stage:
        file.unlink()
        assert (await stage.command("skill:totals")).prompt is None
        await stage.bus.settle()
        assert any(str(file) in notice for notice in stage.notices)


async def test_by_the_model_it_is_active_from_its_call_to_the_next_turn(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals", more="allowed-tools: Read\ndisallowed-tools: Grep")
    async with on_stage(skill, project, home_dir) as stage:
        assert (await judged(stage, "std.write")).verdict[0] == "allow"
        for _ in range(2):  # loaded already, it is active again all the same
            await call(stage, "totals", project)
            denied = await judged(stage, "std.write")
            assert denied.verdict[0] == "deny"
            assert "the skill totals allows only Read" in denied.verdict[1]
            assert (await judged(stage, "std.grep")).verdict[0] == "deny"
            assert (await judged(stage, "std.read")).verdict[0] == "allow"
            assert (await judged(stage, "agent.skill")).verdict[0] == "allow"
            await begin(stage, Prompt("go on"))
            assert (await judged(stage, "std.write")).verdict[0] == "allow"


async def test_by_hand_it_is_active_in_the_turn_it_begins(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals", more="allowed-tools: Read")
    async with on_stage(skill, project, home_dir) as stage:
        prompt = prompt_of(await stage.command("skill:totals"))
        assert (await judged(stage, "std.write")).verdict[0] == "allow"
        await begin(stage, prompt)
        assert (await judged(stage, "std.write")).verdict[0] == "deny"
        await stage.bus.emit(SessionStart("s2", "new"))
        assert (await judged(stage, "std.write")).verdict[0] == "allow"
        await begin(stage, Prompt("x", tag="agent.skill:nonesuch"))
        await begin(stage, Prompt("x", tag="totals"))
        assert (await judged(stage, "std.write")).verdict[0] == "allow"


@pytest.mark.parametrize(
    ("root", "trusts", "granted"),
    [
        ("home/.agents/skills", False, True),
        ("home/.config/panto/skills", False, True),
        ("shop/.agents/skills", False, False),
        ("shop/.panto/skills", False, False),
        ("shop/.panto/skills", True, True),
        ("extra", False, False),
        ("extra", True, True),
    ],
)
async def test_only_skills_of_the_users_grant_or_of_a_trusted_project(
    project: Path, home_dir: Path, root: str, trusts: bool, granted: bool
) -> None:
    put_skill(
        project.parent / root / "totals",
        "totals",
        more="allowed-tools: Bash(git *)\ndisallowed-tools: Bash(git push *)",
    )
    tables: dict[str, dict[str, object]] = {"skills": {"paths": ["../extra"]}}
    (project.parent / "extra").mkdir(exist_ok=True)
    async with on_stage(skill, project, home_dir, tables, trusts_project=trusts) as stage:
        await call(stage, "totals", project)
        log = await judged(stage, "std.shell", Need("command.run", "git log"))
        assert (log.verdict[0], log.granted) == ("allow", granted)
        assert (await judged(stage, "std.shell", Need("command.run", "git push"))).verdict[0] == "deny"
        assert (await judged(stage, "std.write")).verdict[0] == "deny"


async def test_its_own_files_can_be_read(project: Path, home_dir: Path) -> None:
    file = put_skill(project / ".panto/skills/totals", "totals", more="allowed-tools: Bash")
    more = file.with_name("more.md")
    more.write_text("more")
    async with on_stage(skill, project, home_dir) as stage:
        await call(stage, "totals", project)
        assert (await judged(stage, "std.read", Need("fs.read", str(more)))).verdict[0] == "allow"
        assert (await judged(stage, "std.read", Need("fs.read", str(project)))).verdict[0] == "deny"


async def test_what_stands_for_no_tool_is_told_once(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/totals", "totals", more="allowed-tools: Read WebFetch A B C D E F G H")
    async with on_stage(skill, project, home_dir) as stage:
        await call(stage, "totals", project)
        await begin(stage, Prompt("go on"))
        await call(stage, "totals", project)
        await stage.bus.settle()
        (notice,) = stage.notices
        assert "skill totals" in notice
        assert notice.endswith(": WebFetch, A, B, C, D and 4 more")


async def test_a_command_that_another_has_is_told_and_the_rest_go_on(project: Path, home_dir: Path) -> None:
    put_skill(project / ".panto/skills/a", "a")
    put_skill(project / ".panto/skills/b", "b")

    async def other(_arguments: str) -> str:
        return "other"

    async def activate(host: Host) -> None:
        host.add_command(Command("skill:a", "another's", other))
        await skill.activate(host)

    module = ModuleType("both")
    module.__dict__["activate"] = activate
    async with on_stage(module, project, home_dir) as stage:
        assert (await stage.command("skill:a")).text == "other"
        assert "Do it." in prompt_of(await stage.command("skill:b")).text
        await stage.bus.settle()
        assert any("a can't be loaded by hand" in notice for notice in stage.notices)
