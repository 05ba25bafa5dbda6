"""The list of slash commands and the side panel, as a user finds them."""

import re
import sys
from pathlib import Path

from tests.e2e.conftest import World, say, wait_ready
from tests.support.llm_server import Call, Gate, LLMServer, Reply
from tests.support.terminal import Terminal

TALLY = """
from panto import Command, Host, Key


def activate(host: Host) -> None:
    panel = host.add_panel("Tally")
    count = 0

    async def add(step: str) -> str:
        nonlocal count
        count += int(step or 1)
        panel.show(f"counted **{count}** so far")
        return f"now {count}"

    async def add_one() -> str:
        return await add("1")

    panel.show("nothing counted")
    host.add_command(Command("tally:add", "count \\x1b[31msomething", add, hint="how many"))
    host.add_key(Key("f8", "count one", add_one))
"""


def test_a_slash_lists_commands_which_tab_completes_and_enter_runs(world: World) -> None:
    with LLMServer([Reply("As you say.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        terminal.type_text("/hel")
        terminal.wait_for(re.compile(r"/help +keys and commands"))
        terminal.press("tab")
        terminal.wait_for("│ /help ")
        terminal.press("escape")
        terminal.wait_gone("keys and commands")
        assert "│ /help " in terminal.screen_text()
        terminal.press("enter")
        terminal.wait_for("/help: keys and commands")

        terminal.send("/etc/hosts is odd\r")
        terminal.wait_for("As you say.")
        assert server.requests[0].user_texts == ["/etc/hosts is odd"]


def test_what_is_typed_in_one_go_is_completed_and_run_in_its_order(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)
    terminal.send("/mod\tplan\r/mox\x7f\x1b[B\t")
    terminal.wait_for("─ plan ")
    terminal.wait_for("│ /model [name]")


def test_an_extension_has_a_section_a_key_and_a_command_with_a_hint(world: World) -> None:
    file = world.home / ".config/panto/extensions/my/tally.py"
    file.parent.mkdir(parents=True)
    file.write_text(TALLY)
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)
    terminal.wait_for("/ command   ! shell   Ctrl+B panel ─╯")
    assert "Tally" not in terminal.screen_text()
    terminal.press("ctrl+b")
    terminal.wait_for(re.compile(r"│ +Tally"))
    terminal.wait_for("nothing counted")
    terminal.press("f8")
    terminal.wait_for("now 1")
    terminal.wait_for("counted 1 so far")
    terminal.type_text("/add")
    terminal.wait_for(re.compile(r"/tally:add how many +count ␛\[31msomething"))
    terminal.press("enter")
    terminal.wait_for("│ /tally:add how many")
    terminal.type_text("41")
    terminal.press("enter")
    terminal.wait_for("counted 42 so far")
    terminal.resize(60, 24)
    terminal.wait_for(lambda terminal: terminal.find("counted 42 so far") and not terminal.find("now 42"))
    terminal.press("ctrl+b")
    terminal.wait_for("now 42")
    terminal.wait_gone("so far")


def test_a_question_closes_the_list_and_leaves_its_keys_alone(world: World) -> None:
    gate = Gate()
    script = [Reply(["Hm", gate], tool_calls=[Call("std_shell", {"command": "touch ran"})])]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "go")
        gate.wait_reached(30)
        terminal.type_text("/he")
        terminal.wait_for("keys and commands")
        gate.open()
        terminal.wait_for("Tab to answer")
        terminal.wait_gone("keys and commands")
        terminal.press("tab")
        terminal.wait_gone("Tab to answer")
        assert "│ /he " in terminal.screen_text()
        assert not (world.project / "ran").exists()
        terminal.press("escape")
        terminal.wait_for("stopped")


def test_the_end_of_the_transcript_is_in_every_picture_while_the_list_opens_filters_and_closes(world: World) -> None:
    answer = "\n\n".join([*(f"line {number}" for number in range(40)), "the very end"])
    with LLMServer([Reply(answer)]) as server:
        world.configure(server)
        program = str(Path(sys.executable).with_name("panto-py"))
        terminal = world.stack.enter_context(
            Terminal.start([program], cwd=world.project, home=world.home, columns=80, rows=24, record=True)
        )
        say(terminal, "go")
        terminal.wait_for(" out ─")
        before = len(terminal.pictures)
        terminal.type_text("/")
        terminal.wait_for("keys and commands")
        terminal.type_text("hel")
        terminal.wait_gone("/model")
        terminal.press("escape")
        terminal.wait_gone("keys and commands")
        pictures = terminal.pictures[before:]
        assert len(pictures) > 2
        assert all("the very end" in picture for picture in pictures)
