"""Commands from Markdown files, as a user has them."""

import re

from tests.e2e.conftest import World, say, told
from tests.support.llm_server import Call, LLMServer, Reply
from tests.support.terminal import Terminal

REVIEW = """---
description: Reviews a file
argument-hint: <file> <what for>
model: local/small-model
---
REVIEW-BODY of $1 for $2: see @$1
"""


def user_command(world: World, name: str, text: str) -> None:
    """Write a command of the user's."""
    path = world.home / f".config/panto/commands/{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def answer(terminal: Terminal, command: str, key: str) -> None:
    """Answer the question about a command."""
    terminal.wait_for(re.compile(rf"{re.escape(command)}(.|\n)*1\. Yes, once"))
    terminal.wait_gone("Tab to answer")
    terminal.press(key)


def test_the_model_gets_the_text_and_the_screen_keeps_what_was_typed(world: World) -> None:
    user_command(world, "ns/review", REVIEW)
    world.write("src/a b.py", "SOURCE-TEXT = 1\n")
    typed = "/ns:review 'src/a b.py' $1-!`touch-ran`"
    with LLMServer([Reply("Looks fine."), Reply("You are welcome."), Reply("Still there.")]) as server:
        world.configure(server)
        terminal = world.start(columns=120)
        say(terminal, typed)
        terminal.wait_for("Looks fine.")
        say(terminal, "thanks")
        terminal.wait_for("You are welcome.")
        first, second = server.wait_for_requests(2)
        expanded = (
            "REVIEW-BODY of src/a b.py for $1-!`touch-ran`: see @src/a b.py\n\n"
            "contents of src/a b.py:\n\nSOURCE-TEXT = 1"
        )
        assert first.user_texts == [expanded]
        assert second.user_texts == [expanded, "thanks"]
        assert (first.model, second.model) == ("small-model", "test-model")
        say(terminal, "/nosuch thing")
        told(terminal, "there is no command /nosuch")
        say(terminal, "/commands")
        told(terminal, "/ns:review", "<file> <what for>", "(user)", "Reviews a file")
        assert typed in terminal.screen_text()
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0

        again = world.start("--continue", columns=120)
        again.wait_for(typed)
        say(again, "and?")
        again.wait_for("Still there.")
        assert server.wait_for_requests(3)[2].user_texts == [expanded, "thanks", "and?"]
        for program in (terminal, again):
            written = program.raw.decode(errors="replace")
            assert "REVIEW-BODY" not in written
            assert "SOURCE-TEXT" not in written


def test_commands_in_a_body_ask_and_a_projects_run_nothing(world: World) -> None:
    user_command(world, "state", "First !`echo out-$((40 + 2))` then !`touch ran-second` done")
    world.write(".panto/commands/trap.md", "!`touch trapped`")
    with LLMServer([Reply("I see.")]) as server:
        world.configure(server)
        terminal = world.start(columns=120)
        say(terminal, "/state")
        answer(terminal, "echo out-$((40 + 2))", "1")
        answer(terminal, "touch ran-second", "3")
        terminal.wait_for("I see.")
        (request,) = server.wait_for_requests(1)
        assert request.user_texts == ["First out-42 then [not run: The user does not want this to run] done"]
        say(terminal, "/trap")
        told(terminal, "/trap was not run", "a project's files may run nothing", ".config/panto/commands")
        assert len(server.requests) == 1
        assert not (world.project / "ran-second").exists()
        assert not (world.project / "trapped").exists()


def test_a_commands_tool_lists_hold_for_its_turn(world: World) -> None:
    user_command(world, "look", "---\nallowed-tools: Read, Bash(echo *)\n---\nJust look.")
    write = Reply(tool_calls=[Call("std_write", {"path": "new.txt", "content": "x"})])
    echo = Reply(tool_calls=[Call("std_shell", {"command": "echo granted"})])
    with LLMServer([write, echo, Reply("Looked."), write, Reply("Written.")]) as server:
        world.configure(server)
        terminal = world.start(columns=120)
        say(terminal, "/look")
        terminal.wait_for("Looked.")
        denied, granted = server.wait_for_requests(3)[2].tool_results
        assert "command /look allows only" in denied.text
        assert "granted" in granted.text
        assert not (world.project / "new.txt").exists()
        say(terminal, "now write it")
        terminal.wait_for("Written.")
        assert (world.project / "new.txt").read_text(encoding="utf-8") == "x"
