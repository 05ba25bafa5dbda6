"""Skills at work: loaded by hand, their tool lists in force, and ``panto-py skills``."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import World, ask, say, told
from tests.support.llm_server import Call, LLMServer, Reply
from tests.support.terminal import Terminal


def skill(root: Path, name: str, more: str = "", body: str = "Do it well.\n") -> Path:
    """Write a skill below a root, with more lines of front matter, and give its directory."""
    place = root / name
    place.mkdir(parents=True, exist_ok=True)
    front = f"name: {name}\ndescription: How {name} is done.\n{more}".rstrip()
    (place / "SKILL.md").write_text(f"---\n{front}\n---\n{body}", encoding="utf-8")
    return place


def calls(tool: str, **arguments: str) -> Reply:
    """A step that calls one tool."""
    return Reply(tool_calls=[Call(tool, arguments)])


def by_hand(terminal: Terminal, server: LLMServer, typed: str, answer: str, *steps: Reply) -> None:
    """Type a command that makes a prompt, and wait for the last answer."""
    server.add(*steps, Reply(answer))
    say(terminal, typed)
    terminal.wait_for(answer)


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_by_hand_the_model_gets_the_instructions_and_the_screen_the_command(world: World, wire: str) -> None:
    place = skill(world.project / ".panto/skills", "totals", "disable-model-invocation: true", "Round half to even.\n")
    with LLMServer() as server:
        world.configure(server, wire)
        terminal = world.start(columns=160, rows=40)
        by_hand(terminal, server, "/skill:totals round 1.5 for me", "First answer.")
        (first,) = server.requests
        (said,) = first.user_texts
        assert said.startswith('<skill name="totals"')
        assert f"Relative paths in this skill are relative to {place}." in said
        assert said.endswith("Round half to even.\n</skill>\n\nround 1.5 for me")
        assert "agent_skill" not in first.tool_names
        assert "/skill:totals round 1.5 for me" in terminal.screen_text()
        assert "Round half" not in terminal.raw.decode(errors="replace")

        by_hand(terminal, server, "/skill:totals", "Second answer.")
        said = server.requests[-1].user_texts[-1]
        assert "already" in said
        assert "Round half" not in said
        assert said.endswith("\n\nFollow the skill's instructions.")
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0

        resumed = world.start("--continue", columns=160, rows=40)
        resumed.wait_for("Second answer.")
        assert "/skill:totals round 1.5 for me" in resumed.screen_text()
        by_hand(resumed, server, "/skill:totals once more", "Third answer.")
        assert "Round half" not in server.requests[-1].user_texts[-1]
        assert "Round half" not in resumed.raw.decode(errors="replace")


def test_a_skills_tool_list_limits_until_the_turn_ends_and_the_model_is_told(world: World) -> None:
    skill(world.project / ".panto/skills", "look", "allowed-tools: Read(src/**) Grep Nonesuch\ndisallowed-tools: Bash")
    skill(world.project / ".panto/skills", "other")
    world.write("src/a.py", "inside = 1\n")
    world.write("b.py", "outside = 1\n")
    with LLMServer() as server:
        world.configure(server, "anthropic")
        terminal = world.start(columns=160, rows=40)
        steps = (
            calls("agent_skill", name="look"),
            calls("std_read", path="src/a.py"),
            calls("std_read", path="b.py"),
            calls("std_write", path="new.py", content="x"),
            calls("std_shell", command="echo hello"),
            calls("agent_skill", name="other"),
        )
        results = ask(terminal, server, "one", *steps).tool_results
        assert [result.is_error for result in results] == [False, False, True, True, True, False]
        assert "inside = 1" in results[1].text
        for denied in results[2:4]:
            assert "the skill look allows only Read(src/**), Grep" in denied.text
        assert "the skill look rules out Bash" in results[4].text
        assert not (world.project / "new.py").exists()
        told(terminal, "skill look", "Nonesuch")

        after = ask(terminal, server, "two", calls("std_write", path="new.py", content="x"))
        assert not after.tool_results[-1].is_error
        assert (world.project / "new.py").read_text() == "x"

        by_hand(terminal, server, "/skill:look", "Third answer.", calls("std_write", path="newer.py", content="x"))
        assert "the skill look allows only" in server.requests[-1].tool_results[-1].text
        assert not (world.project / "newer.py").exists()


def test_a_users_skill_lets_commands_run_unasked_and_a_projects_does_not(world: World) -> None:
    lists = "allowed-tools: Bash(echo *)"
    skill(world.home / ".agents/skills", "mine", lists)
    skill(world.project / ".agents/skills", "theirs", lists)
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start(columns=160, rows=40)
        steps = (calls("agent_skill", name="mine"), calls("std_shell", command="echo from mine"))
        results = ask(terminal, server, "one", *steps).tool_results
        assert "from mine" in results[-1].text
        assert not results[-1].is_error
        assert "1. Yes, once" not in terminal.raw.decode(errors="replace")

        server.add(
            calls("agent_skill", name="theirs"), calls("std_shell", command="echo from theirs"), "Second answer."
        )
        say(terminal, "two")
        terminal.wait_for(re.compile(r"echo from theirs(.|\n)*1\. Yes, once"))
        terminal.press("3")
        terminal.wait_for("Second answer.")
        assert "does not want this to run" in server.requests[-1].tool_results[-1].text

        server.add(calls("agent_skill", name="mine"), calls("std_shell", command="echo a; echo b"), "Third answer.")
        say(terminal, "three")
        terminal.wait_for(re.compile(r"echo a; echo b(.|\n)*1\. Yes, once"))
        terminal.press("1")
        terminal.wait_for("Third answer.")
        assert server.requests[-1].tool_results[-1].text.startswith("a\nb")


def panto(world: World, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a subcommand of the program."""
    program = str(Path(sys.executable).with_name("panto-py"))
    return subprocess.run(
        [program, *arguments], cwd=world.project, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_command_line_checks_and_lists_skills(world: World) -> None:
    skill(world.project / "library", "good").joinpath("binary").write_bytes(b"\xff")
    skill(world.project / ".panto/skills", "totals")
    checked = panto(world, "skills", "check", "library")
    assert (checked.returncode, checked.stderr) == (0, "")
    good, warning = checked.stdout.splitlines()
    assert good == "ok  good"
    assert warning.startswith("warning  good  SKILL.md  attachment_skipped  ")

    skill(world.project / "library", "wrong", 'license: "never closed\x1b[31m')
    checked = panto(world, "skills", "check", "library")
    assert checked.returncode == 1
    assert checked.stdout.splitlines()[2].startswith("refused  wrong  SKILL.md:4  no_frontmatter  ")
    assert "\x1b" not in checked.stdout
    checked = panto(world, "skills", "check", "--json", "library")
    assert checked.returncode == 1
    assert [(entry["skill"], entry["loaded"]) for entry in json.loads(checked.stdout)] == [
        ("good", True),
        ("wrong", False),
    ]
    checked = panto(world, "skills", "check", "nowhere")
    assert (checked.returncode, checked.stdout, len(checked.stderr.splitlines())) == (2, "", 1)
    assert "nowhere can't be listed" in checked.stderr

    listed = panto(world, "skills", "list")
    assert listed.returncode == 0
    assert listed.stdout == ("offered      totals  project  .panto/skills/totals/SKILL.md  How totals is done.\n")
    (entry,) = json.loads(panto(world, "skills", "list", "--json").stdout)
    assert (entry["name"], entry["layer"], entry["state"]) == ("totals", "project", "offered")
