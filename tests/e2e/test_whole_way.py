"""The main job, from the key to the screen: chat, real tools, rules and skills, over both wire formats."""

import pytest

from tests.e2e.conftest import WIRES, World, say
from tests.support.llm_server import Call, LLMServer, Reply

SKILL = """---
name: totals
description: How totals are rounded here. Use when prices are added up.
---
Round half to even, at the very end.
"""


def furnish(world: World) -> None:
    """A project with rules at its root, rules below src, a file there, and a skill."""
    world.write("AGENTS.md", "ROOT-RULE: call the customer a guest.\n")
    world.write("src/AGENTS.md", "NESTED-RULE: prices are in cents.\n")
    world.write("src/totals.py", "def total(items):\n    return sum(items)\n")
    world.write(".panto/skills/totals/SKILL.md", SKILL)


@pytest.mark.parametrize("wire", WIRES)
def test_a_nested_read_brings_its_rules_to_the_model_and_a_line_to_the_screen(world: World, wire: str) -> None:
    furnish(world)
    script = [
        Reply("Let me look.", tool_calls=[Call("std_read", {"path": "src/totals.py"})]),
        Reply("It **adds** them up, with `sum`."),
    ]
    with LLMServer(script) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "what does totals.py do?")
        terminal.wait_for("It adds them up, with sum.")
        first, second = server.wait_for_requests(2)

        assert "ROOT-RULE: call the customer a guest." in first.system
        assert f"context from {world.project / 'AGENTS.md'}:" in first.system
        assert "NESTED-RULE" not in first.raw.decode()
        assert {"std_read", "agent_skill"} <= set(first.tool_names)

        (result,) = second.tool_results
        assert "return sum(items)" in result.text
        assert (
            f"---\n\ncontext from {world.project / 'src/AGENTS.md'}:\n\nNESTED-RULE: prices are in cents."
            in result.text
        )

        terminal.wait_for("+ rules: src/AGENTS.md")
        terminal.wait_for("src/totals.py")
        assert "NESTED-RULE" not in terminal.raw.decode(errors="replace")
        assert "ROOT-RULE" not in terminal.raw.decode(errors="replace")


@pytest.mark.parametrize("wire", WIRES)
def test_a_denied_extension_is_not_there(world: World, wire: str) -> None:
    furnish(world)
    script = [Reply(tool_calls=[Call("std_read", {"path": "src/totals.py"})]), Reply("Seen.")]
    with LLMServer(script) as server:
        world.configure(server, wire, '[extensions]\ndeny = ["agent.rules"]\n')
        terminal = world.start()
        say(terminal, "read it")
        terminal.wait_for("Seen.")
        first, second = server.wait_for_requests(2)
        assert "ROOT-RULE" not in first.raw.decode()
        assert "NESTED-RULE" not in second.raw.decode()
        assert "+ rules" not in terminal.screen_text()


@pytest.mark.parametrize("wire", WIRES)
def test_a_skill_is_offered_and_loaded_on_demand(world: World, wire: str) -> None:
    furnish(world)
    script = [Reply(tool_calls=[Call("agent_skill", {"name": "totals"})]), Reply("Half to even it is.")]
    with LLMServer(script) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "how do we round?")
        terminal.wait_for("Half to even it is.")
        first, second = server.wait_for_requests(2)
        assert "How totals are rounded here." in first.raw.decode()
        assert "Round half to even, at the very end." not in first.raw.decode()
        (result,) = second.tool_results
        assert "Round half to even, at the very end." in result.text
        assert str(world.project / ".panto/skills/totals") in result.text
        assert "description:" not in result.text


@pytest.mark.parametrize("wire", WIRES)
def test_continue_brings_the_conversation_back_on_screen_and_in_the_request(world: World, wire: str) -> None:
    furnish(world)
    script = [
        Reply("Let me look.", tool_calls=[Call("std_read", {"path": "src/totals.py"})]),
        Reply("It adds them up."),
        Reply("As I said: it adds."),
    ]
    with LLMServer(script) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "what does it do?")
        terminal.wait_for("It adds them up.")
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0
        assert "panto-py --resume" in terminal.raw.decode(errors="replace")

        again = world.start("--continue")
        again.wait_for("It adds them up.")
        again.wait_for("what does it do?")
        again.wait_for("+ rules: src/AGENTS.md")
        assert "NESTED-RULE" not in again.raw.decode(errors="replace")
        say(again, "sure?")
        again.wait_for("As I said: it adds.")
        third = server.wait_for_requests(3)[2]
        assert third.user_texts == ["what does it do?", "sure?"]
        (result,) = third.tool_results
        assert "NESTED-RULE" in result.text
        assert third.system.count("ROOT-RULE") == 1
