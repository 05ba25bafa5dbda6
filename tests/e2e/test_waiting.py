"""What the screen shows while one waits."""

import os
import re

from tests.e2e.conftest import World, say
from tests.support.llm_server import Call, LLMServer, Reply


def test_a_running_command_shows_its_output_and_how_long_it_has_run(world: World) -> None:
    command = "echo b-$((1 + 1)); read -r _ < gate"
    script = [Reply(tool_calls=[Call("std_shell", {"command": command})]), Reply("Through.")]
    gate = world.project / "gate"
    os.mkfifo(gate)
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "go")
        terminal.wait_for("1. Yes, once")
        terminal.press("1")
        terminal.wait_for("b-2")
        terminal.wait_for(re.compile(r"◌ shell .* [1-9] s"))
        gate.write_text("open\n")
        terminal.wait_for("Through.")
