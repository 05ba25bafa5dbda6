"""The screen of extensions, and the list of them on the command line, in the real program."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import World, ask, say, told
from tests.support.llm_server import LLMServer
from tests.support.terminal import Terminal

CONFIG = """# my own
[extensions]
# tools that I do without
deny = [
    "std.lis?",  # too long
]
"""


def open_screen(terminal: Terminal) -> None:
    """Open the screen of extensions."""
    say(terminal, "/extensions")
    terminal.wait_for("written to")


def choose(terminal: Terminal, name: str) -> None:
    """Go down to an extension."""
    for _ in range(60):
        if re.search(rf"▌. {re.escape(name)} ", terminal.screen_text()):
            return
        before = marked(terminal)
        terminal.press("down")
        terminal.wait_for(lambda terminal, before=before: marked(terminal) not in ("", before))
    raise AssertionError(f"there is no {name}:\n{terminal.screen_text()}")


def marked(terminal: Terminal) -> str:
    """The id that the bar stands beside."""
    found = re.search(r"▌. (\S+)", terminal.screen_text())
    return found[1] if found else ""


def close_screen(terminal: Terminal) -> None:
    """Back to the prompt."""
    terminal.press("escape")
    terminal.wait_gone("written to")


def report(world: World, *arguments: str) -> str:
    """What ``panto-py extensions`` prints."""
    program = str(Path(sys.executable).with_name("panto-py"))
    env = {"HOME": str(world.home), "PATH": "/usr/bin:/bin"}
    command = [program, "extensions", str(world.project), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def test_rules_leave_and_come_back_with_a_key_and_the_config_says_so(world: World) -> None:
    world.write("AGENTS.md", "ROOT-RULE\n")
    with LLMServer() as server:
        world.configure(server, extra=CONFIG)
        terminal = world.start()
        assert "ROOT-RULE" in ask(terminal, server, "one").system
        open_screen(terminal)
        choose(terminal, "agent.rules")
        terminal.press("space")
        told(terminal, "agent.rules is off now, and from the next start on: ~/.config/panto/config.toml")
        text = world.config_file.read_text(encoding="utf-8")
        for kept in ("# my own", "# tools that I do without", '"std.lis?",  # too long', '"agent.rules",'):
            assert kept in text
        close_screen(terminal)
        request = ask(terminal, server, "two")
        assert "ROOT-RULE" not in request.raw.decode()
        assert request.user_texts == ["one", "two"]

        again = world.start("--continue", columns=200)
        again.wait_for("Answer to two.")
        assert "ROOT-RULE" not in ask(again, server, "three").raw.decode()
        open_screen(again)
        choose(again, "agent.rules")
        told(again, 'denied by "agent.rules" (user: ~/.config/panto/config.toml:')
        again.press("space")
        told(again, "agent.rules is on now, and from the next start on")
        close_screen(again)
        assert "ROOT-RULE" in ask(again, server, "four").system
        assert world.config_file.read_text(encoding="utf-8").startswith(f'model = "local/test-model"\n{CONFIG}')


@pytest.mark.parametrize("columns", [60, 160])
def test_a_tool_goes_for_this_project_alone(world: World, columns: int) -> None:
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start(columns=columns, rows=24)
        assert "std_grep" in ask(terminal, server, "one").tool_names
        say(terminal, "/extensions")
        terminal.wait_for("● user")
        choose(terminal, "std.grep")
        terminal.press("p")
        terminal.wait_for("● project  .panto/config.toml")
        terminal.press("space")
        told(terminal, "std.grep is off now, and from the next start on")
        file = world.project / ".panto/config.toml"
        assert file.read_text(encoding="utf-8") == '[extensions]\ndeny = ["std.grep"]\n'
        assert "deny" not in world.config_file.read_text(encoding="utf-8")
        terminal.press("escape")
        terminal.wait_gone("● project")
        assert "std_grep" not in ask(terminal, server, "two").tool_names


def test_a_broken_one_shows_where_and_works_once_it_is_mended(world: World) -> None:
    file = world.config_file.parent / "extensions/my/rhyme.py"
    file.parent.mkdir(parents=True)
    code = "from panto import SessionStart\n\n\ndef activate(host):\n    host.on(SessionStart, {})\n"
    file.write_text(code.format("1 / 0"), encoding="utf-8")
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start(columns=250)
        told(terminal, "my.rhyme failed at load")
        open_screen(terminal)
        choose(terminal, "my.rhyme")
        told(terminal, f"{file}:5: ZeroDivisionError: division by zero")
        file.write_text(code.format("lambda event: event.system.append('RHYME')"), encoding="utf-8")
        terminal.press("space")
        told(terminal, "my.rhyme is on now")
        close_screen(terminal)
        assert "RHYME" in ask(terminal, server, "one").system


def test_the_command_line_prints_the_same_facts(world: World) -> None:
    file = world.config_file.parent / "extensions/my/broken.py"
    file.parent.mkdir(parents=True)
    file.write_text("raise ValueError('\\x1b[31mred')\n", encoding="utf-8")
    world.write_config('[extensions]\ndeny = ["std.shell"]\n')
    lines = report(world).splitlines()
    rules = next(at for at, line in enumerate(lines) if line.startswith("agent.rules "))
    assert lines[rules].split(maxsplit=3) == [
        *("agent.rules", "built-in", "on"),
        "handler session_start, handler tool_result, command rules",
    ]
    assert re.fullmatch(r"    load [\d.]+ ms", lines[rules + 1])
    assert any(re.fullmatch(r"std\.shell +built-in +denied", line) for line in lines)
    broken = next(at for at, line in enumerate(lines) if line.startswith("my.broken "))
    assert lines[broken].split(maxsplit=3)[1:] == ["user", "broken", f"{file}:1: ValueError: \\u001b[31mred"]
    assert lines[broken + 2] == f"    errors: 1, the last one: load: {file}:1: ValueError: \\u001b[31mred"

    found = {one["id"]: one for one in json.loads(report(world, "--json"))}
    assert found["agent.rules"]["registered"][-1] == {"kind": "command", "name": "rules"}
    assert found["agent.rules"]["timings"]["load"]["calls"] == 1
    assert (found["my.broken"]["state"], found["my.broken"]["errors"]) == ("broken", 1)
    assert found["std.shell"]["policy_origin"] == "user: ~/.config/panto/config.toml:2"
