"""``/reload``: config, extensions, rules and skills are read again, and the session goes on."""

from tests.e2e.conftest import World, say, told
from tests.support.llm_server import Call, Gate, LLMServer, Reply

EXTENSION = """\
from panto import Command, Host


async def say(_arguments: str) -> str:
    return "{word} word"


def activate(host: Host) -> None:
    host.add_command(Command("word", "say a word", say))
"""


def test_what_has_changed_on_disk_counts_and_the_session_goes_on(world: World) -> None:
    extension = world.config_file.parent / "extensions/my/word.py"
    extension.parent.mkdir(parents=True)
    extension.write_text(EXTENSION.format(word="FIRST"), encoding="utf-8")
    world.write("AGENTS.md", "RULE-ONE\n")
    world.write("src/AGENTS.md", "NESTED-RULE\n")
    world.write("src/a.py", "a = 1\n")
    script = [
        Reply(tool_calls=[Call("std_read", {"path": "src/a.py"})]),
        Reply("Read it."),
        Reply(tool_calls=[Call("std_read", {"path": "src/a.py"})]),
        Reply("Read it again."),
    ]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "read it")
        terminal.wait_for("Read it.")
        say(terminal, "/word")
        terminal.wait_for("FIRST word")

        extension.write_text(EXTENSION.format(word="THE SECOND"), encoding="utf-8")
        world.write("AGENTS.md", "RULE-TWO\n")
        world.write(".panto/skills/late/SKILL.md", "---\nname: late\ndescription: Came late.\n---\nLate.\n")
        world.configure(server, extra='mode = "ask"\ntheme = "panto-light"\n')
        say(terminal, "/reload")
        terminal.wait_for("─ ask ")
        terminal.wait_for("Read it.")
        assert "FIRST word" not in terminal.screen_text()  # what a command said is no part of the session
        say(terminal, "/word")
        terminal.wait_for("THE SECOND word")

        say(terminal, "again")
        terminal.wait_for("Read it again.")
        last = server.wait_for_requests(4)[3]
        assert "RULE-TWO" in last.system
        assert "RULE-ONE" not in last.system
        assert "agent_skill" in last.tool_names
        assert last.user_texts == ["read it", "again"]
        first, second = last.tool_results
        assert "NESTED-RULE" in first.text
        assert "NESTED-RULE" not in second.text


def test_what_was_chosen_stays_and_a_broken_config_is_said_and_harms_nothing(world: World) -> None:
    with LLMServer([Reply("Hello."), Reply("Still here.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "hello")
        terminal.wait_for("Hello.")
        terminal.press("shift+tab")
        terminal.wait_for("─ plan ")
        world.write(".panto/config.toml", "theme = \n")
        say(terminal, "/reload")
        told(terminal, "config.toml:1")
        terminal.wait_for("─ plan ")
        say(terminal, "there?")
        terminal.wait_for("Still here.")
        assert server.wait_for_requests(2)[1].user_texts == ["hello", "there?"]


def test_a_reload_that_comes_while_a_turn_runs_stops_it(world: World) -> None:
    with LLMServer([Reply(["On and on", Gate()]), Reply("Back.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "go on")
        terminal.wait_for("On and on")
        say(terminal, "/reload")
        terminal.wait_for("stopped")
        say(terminal, "there?")
        terminal.wait_for("Back.")
