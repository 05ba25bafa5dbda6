"""``agent.rules``, rule by rule: the ids are those of the list that it was built from."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from panto import Assistant, Message, SessionStart, ToolCall, ToolMessage, ToolOutput
from panto_agent import rules
from tests.support.extension_host import Stage, on_stage


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project."""
    directory = tmp_path / "shop"
    directory.mkdir()
    return directory


@pytest.fixture
def home_dir(tmp_path: Path) -> Path:
    """A home with the layers' directories."""
    for directory in (".local/share/panto/agent", ".config/panto"):
        (tmp_path / "home" / directory).mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
async def stage(project: Path, home_dir: Path) -> AsyncIterator[Stage]:
    """The extension, switched on for the project."""
    async with on_stage(rules, project, home_dir) as stage:
        yield stage


def put(path: Path, text: str) -> Path:
    """Write a file and its directories."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


async def start(stage: Stage, *history: Message) -> list[str]:
    """The system messages that a session begins with."""
    event = await stage.bus.emit(SessionStart("s", "resume" if history else "new", tuple(history)))
    return event.system


async def test_r2_r4_each_layer_gives_one_message_in_order(stage: Stage, project: Path, home_dir: Path) -> None:
    base = put(home_dir / ".local/share/panto/agent/AGENTS.md", "base rules\n")
    user = put(home_dir / ".config/panto/AGENTS.md", "user rules")
    own = put(project / "AGENTS.md", "project rules")
    assert await start(stage) == [
        f"context from {base}:\n\nbase rules",
        f"context from {user}:\n\nuser rules",
        f"context from {own}:\n\nproject rules",
    ]


async def test_r3_agents_wins_over_claude(stage: Stage, project: Path) -> None:
    put(project / "CLAUDE.md", "claude")
    assert await start(stage) == [f"context from {project}/CLAUDE.md:\n\nclaude"]
    put(project / "AGENTS.md", "agents")
    assert await start(stage) == [f"context from {project}/AGENTS.md:\n\nagents"]


async def test_r3_a_dangling_agents_gives_way_to_claude_with_a_notice(stage: Stage, project: Path) -> None:
    (project / "AGENTS.md").symlink_to(project / "gone.md")
    put(project / "CLAUDE.md", "claude")
    assert await start(stage) == [f"context from {project}/CLAUDE.md:\n\nclaude"]
    await stage.bus.settle()
    assert len(stage.notices) == 1
    assert "CLAUDE.md is used instead" in stage.notices[0]


@pytest.mark.parametrize("kind", ["directory", "fifo", "loop"])
async def test_what_is_no_file_is_passed_over_with_a_notice_and_never_waited_for(
    stage: Stage, project: Path, kind: str
) -> None:
    path = project / "AGENTS.md"
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    assert await start(stage) == []
    await stage.bus.settle()
    assert len(stage.notices) == 1


async def test_r5_r6_links_are_read_through_and_a_shared_file_comes_once(
    stage: Stage, project: Path, home_dir: Path
) -> None:
    own = put(project / "AGENTS.md", "project rules")
    (home_dir / ".local/share/panto/agent/AGENTS.md").symlink_to(own)
    assert await start(stage) == [f"context from {own}:\n\nproject rules"]


async def test_r7_absent_and_blank_files_say_nothing(stage: Stage, project: Path) -> None:
    assert await start(stage) == []
    put(project / "AGENTS.md", " \n\n")
    assert await start(stage) == []
    await stage.bus.settle()
    assert stage.notices == []


async def test_r9_r10_r12_a_read_brings_what_lies_between_outermost_first(stage: Stage, project: Path) -> None:
    put(project / "AGENTS.md", "root")
    outer = put(project / "a/AGENTS.md", "outer\n")
    inner = put(project / "a/b/CLAUDE.md", "inner")
    deep = put(project / "a/b/x.py", "x")
    await start(stage)
    result = await stage.read_result(deep)
    assert result.output == (
        f"1\ttext\n\n---\n\ncontext from {outer}:\n\nouter\n\n---\n\ncontext from {inner}:\n\ninner"
    )
    assert result.notes == ["+ rules: a/AGENTS.md", "+ rules: a/b/CLAUDE.md"]
    assert result.shown == "1\ttext"


async def test_r9_a_read_in_the_root_brings_nothing(stage: Stage, project: Path) -> None:
    put(project / "AGENTS.md", "root")
    result = await stage.read_result(put(project / "x.py", "x"))
    assert (result.output, result.notes) == ("1\ttext", [])


async def test_r9_reading_a_directory_counts(stage: Stage, project: Path) -> None:
    put(project / "a/AGENTS.md", "outer")
    assert (await stage.read_result(project / "a")).notes == ["+ rules: a/AGENTS.md"]


async def test_r13_each_real_file_comes_once(stage: Stage, project: Path) -> None:
    put(project / "a/AGENTS.md", "outer")
    (project / "a/b").mkdir()
    (project / "a/b/AGENTS.md").symlink_to("../AGENTS.md")
    target = put(project / "a/b/x.py", "x")
    assert (await stage.read_result(target)).notes == ["+ rules: a/AGENTS.md"]
    assert (await stage.read_result(target)).notes == []


async def test_r13_what_came_at_the_start_is_not_repeated(stage: Stage, project: Path) -> None:
    own = put(project / "AGENTS.md", "root")
    (project / "a").mkdir()
    (project / "a/AGENTS.md").symlink_to(own)
    await start(stage)
    assert (await stage.read_result(put(project / "a/x.py", "x"))).notes == []


@pytest.mark.parametrize("outside", ["../x.py", "../shop-x/a/x.py", "../other/x.py"])
async def test_r14_reads_outside_bring_nothing(stage: Stage, project: Path, outside: str) -> None:
    target = put(project / outside, "x")
    put(target.parent / "AGENTS.md", "foreign")
    assert (await stage.read_result(target)).notes == []


async def test_r14_a_link_out_of_the_project_is_outside(stage: Stage, project: Path) -> None:
    put(project.parent / "other/AGENTS.md", "foreign")
    target = put(project.parent / "other/x.py", "x")
    (project / "linked").symlink_to(target.parent)
    assert (await stage.read_result(project / "linked/x.py")).notes == []


async def test_r16_reading_a_rules_file_marks_it_and_appends_nothing(stage: Stage, project: Path) -> None:
    file = put(project / "a/AGENTS.md", "outer")
    assert (await stage.read_result(file)).output == "1\ttext"
    assert (await stage.read_result(put(project / "a/x.py", "x"))).notes == []


async def test_r17_a_failed_read_brings_nothing(stage: Stage, project: Path) -> None:
    put(project / "a/AGENTS.md", "outer")
    target = project / "a/gone.py"
    assert (await stage.read_result(target, "no such file", is_error=True)).notes == []
    assert (await stage.read_result(put(target, "x"))).notes == ["+ rules: a/AGENTS.md"]


async def test_r19_a_resumed_session_knows_what_it_had(stage: Stage, project: Path) -> None:
    put(project / "a/AGENTS.md", "outer")
    put(project / "b/AGENTS.md", "read by hand")
    put(project / "c/AGENTS.md", "failed to read")
    put(project / "a/AGENTS.md", "outer\n@../d/AGENTS.md")
    put(project / "d/AGENTS.md", "imported")
    await start(
        stage,
        Assistant((ToolCall("1", "std.read", {"path": "a/x.py"}), ToolCall("2", "std.read", {"path": "b/AGENTS.md"}))),
        ToolMessage((ToolOutput("1", "std.read", "text", notes=("+ rules: a/AGENTS.md",)),)),
        ToolMessage((ToolOutput("2", "std.read", "text"),)),
        Assistant((ToolCall("3", "std.read", {"path": "c/AGENTS.md"}),)),
        ToolMessage((ToolOutput("3", "std.read", "no", is_error=True),)),
    )
    assert (await stage.read_result(put(project / "a/x.py", "x"))).notes == []
    assert (await stage.read_result(put(project / "b/x.py", "x"))).notes == []
    assert (await stage.read_result(put(project / "c/x.py", "x"))).notes == ["+ rules: c/AGENTS.md"]
    assert (await stage.read_result(put(project / "d/x.py", "x"))).notes == []


async def test_r19_a_new_session_begins_with_nothing(stage: Stage, project: Path) -> None:
    put(project / "a/AGENTS.md", "outer")
    target = put(project / "a/x.py", "x")
    await stage.read_result(target)
    await start(stage)
    assert (await stage.read_result(target)).notes == ["+ rules: a/AGENTS.md"]


async def test_r21_a_large_file_is_cut_visibly_and_told(stage: Stage, project: Path) -> None:
    put(project / "AGENTS.md", "é" * 40_000)
    (section,) = await start(stage)
    assert section.endswith("[cut here: 65536 of 80000 bytes]")
    assert section.count("é") == 32_768
    assert "\ufffd" not in section
    await stage.bus.settle()
    assert len(stage.notices) == 1


async def test_imports_stand_in_for_their_files_once_each_and_circles_end(stage: Stage, project: Path) -> None:
    put(project / "AGENTS.md", "before\n@docs/style.md\n@docs/style.md\nmail @alice\n```\n@docs/style.md\n```\nafter")
    put(project / "docs/style.md", "style\n@../AGENTS.md\n@missing.md")
    (section,) = await start(stage)
    body = section.partition(":\n\n")[2]
    assert body == "before\nstyle\n\n@missing.md\n\nmail @alice\n```\n@docs/style.md\n```\nafter"


async def test_imports_out_of_the_project_are_refused_with_a_notice(stage: Stage, project: Path) -> None:
    secret = put(project.parent / "secret.txt", "hunter2")
    put(project / "AGENTS.md", f"@{secret}\n@../secret.txt")
    (section,) = await start(stage)
    assert "hunter2" not in section
    await stage.bus.settle()
    assert len(stage.notices) == 2


async def test_imports_of_the_users_own_rules_may_come_from_anywhere(
    stage: Stage, project: Path, home_dir: Path
) -> None:
    put(home_dir / "notes.md", "my notes")
    put(home_dir / ".config/panto/AGENTS.md", f"@{home_dir}/notes.md")
    (section,) = await start(stage)
    assert "my notes" in section


async def test_imports_nest_five_deep_and_no_deeper(stage: Stage, project: Path) -> None:
    for number in range(8):
        put(project / f"{number}.md", f"level {number}\n@{number + 1}.md")
    put(project / "AGENTS.md", "@0.md")
    (section,) = await start(stage)
    assert "level 4" in section
    assert "level 5" not in section


async def test_imports_can_be_switched_off(project: Path, home_dir: Path) -> None:
    put(project / "AGENTS.md", "@docs/style.md")
    put(project / "docs/style.md", "style")
    async with on_stage(rules, project, home_dir, {"rules": {"imports": False}}) as stage:
        (section,) = await start(stage)
    assert section.endswith("@docs/style.md")


async def test_the_command_lists_what_is_in_force(stage: Stage, project: Path) -> None:
    put(project / "AGENTS.md", "root")
    put(project / "a/AGENTS.md", "outer")
    await start(stage)
    await stage.read_result(put(project / "a/x.py", "x"))
    command = stage.shell.offers.commands.get("rules")
    assert command is not None
    assert await command.run("") == "- project: AGENTS.md (4 bytes)\n- read: a/AGENTS.md (5 bytes)"


async def test_switched_off_nothing_is_left(project: Path, home_dir: Path) -> None:
    put(project / "AGENTS.md", "root")
    async with on_stage(rules, project, home_dir) as stage:
        stage.host.close()
        assert await start(stage) == []
        assert stage.shell.offers.commands.all() == []


async def test_r16_a_rules_file_that_is_a_link_is_marked_as_what_it_leads_to(stage: Stage, project: Path) -> None:
    put(project / "shared.md", "SHARED\n")
    (project / "e").mkdir()
    (project / "e/AGENTS.md").symlink_to("../shared.md")
    await stage.read_result(project / "e/AGENTS.md")
    assert "SHARED" not in (await stage.read_result(project / "e/x.py")).output


async def test_r6_what_the_model_has_is_not_imported_again(stage: Stage, project: Path) -> None:
    put(project / "style.md", "STYLE\n")
    put(project / "a/AGENTS.md", "A\n@../style.md\n")
    put(project / "b/AGENTS.md", "B\n@../style.md\n@../a/AGENTS.md\n")
    first = await stage.read_result(project / "a/x.py")
    second = await stage.read_result(project / "b/x.py")
    assert first.output.count("STYLE") == 1
    assert second.output.endswith("AGENTS.md:\n\nB")


async def test_r13_two_reads_at_once_bring_a_file_once(stage: Stage, project: Path) -> None:
    put(project / "style.md", "STYLE\n")
    put(project / "a/AGENTS.md", "A\n@../style.md\n")
    put(project / "b/AGENTS.md", "B\n@../style.md\n")
    results = await asyncio.gather(
        *(stage.read_result(project / path) for path in ("a/x.py", "a/y.py", "b/x.py", "b/y.py"))
    )
    outputs = "".join(result.output for result in results)
    assert [outputs.count(word) for word in ("STYLE", "/a/AGENTS.md:", "/b/AGENTS.md:")] == [1, 1, 1]
