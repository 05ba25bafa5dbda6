"""What was sent and what was not: kept from one start to the next, and found again."""

import signal
from pathlib import Path

from tests.e2e.conftest import World, ask, wait_ready
from tests.support.llm_server import LLMServer, Reply
from tests.support.terminal import Terminal


def kept(world: World, pattern: str) -> str:
    """All that files of this name hold now."""
    directory = world.home / ".local/state/panto/prompts"
    return "".join(_text(file) for file in directory.glob(f"*/{pattern}"))


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""


def leave(terminal: Terminal) -> None:
    """Quit from an empty prompt."""
    terminal.press("ctrl+d")
    assert terminal.wait_exit() == 0


def test_what_was_sent_in_an_earlier_session_is_found_by_key_and_by_searching(world: World) -> None:
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start()
        for question in ("why is the loop short", "name three birds", "fix the test"):
            ask(terminal, server, question)
        leave(terminal)
        terminal = world.start()
        wait_ready(terminal)
        terminal.press("up")
        terminal.wait_for("│ fix the test")
        terminal.press("up")
        terminal.wait_for("│ name three birds")
        terminal.press("down", "down")
        terminal.wait_gone("│ fix the test")
        terminal.type_text("half a thought")
        terminal.wait_for("│ half a thought")
        terminal.press("ctrl+r")
        terminal.wait_for("─ sent before ─")
        terminal.wait_for("why is the loop short")
        terminal.type_text("birds")
        terminal.wait_gone("why is the loop short")
        terminal.press("escape")
        terminal.wait_gone("─ sent before ─")
        terminal.wait_for("│ half a thought")
        terminal.press("ctrl+r")
        terminal.wait_for("─ sent before ─")
        terminal.type_text("loop")
        terminal.wait_gone("name three birds")
        terminal.press("enter")
        terminal.wait_gone("─ sent before ─")
        terminal.wait_for("│ why is the loop short")
        terminal.press("ctrl+z")
        terminal.wait_for("│ half a thought")
    file = next((world.home / ".local/state/panto/prompts").glob("*/history.jsonl"))
    assert file.stat().st_mode & 0o777 == 0o600


def test_another_project_has_a_history_of_its_own(world: World) -> None:
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start()
        ask(terminal, server, "a question of the shop")
        leave(terminal)
        other = world.home / "other"
        other.mkdir()
        terminal = world.start(str(other))
        wait_ready(terminal)
        terminal.press("ctrl+r")
        terminal.wait_for("nothing fits")


def test_half_typed_text_survives_a_kill(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)
    terminal.type_text("half a thought")
    terminal.paste("\n".join(map(str, range(20))))
    terminal.wait_for("│ half a thought[paste 1: 20 lines]")
    terminal.wait_for(lambda _: "19" in kept(world, "draft-*.json"))
    terminal.send_signal(signal.SIGKILL)
    terminal.wait_exit()
    terminal = world.start()
    terminal.wait_for("│ half a thought[paste 1: 20 lines]")
    terminal.press("ctrl+c")
    terminal.wait_gone("half a thought")
    terminal.wait_for(lambda _: kept(world, "draft-*.json") == "")
    terminal.press("up")
    terminal.wait_for("│ half a thought[paste 1: 20 lines]")


def test_half_typed_text_survives_a_hang_up_and_is_gone_when_it_is_sent(world: World) -> None:
    with LLMServer([Reply("Robin, wren, owl.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        terminal.type_text("name three birds")
        terminal.wait_for("│ name three birds")
        terminal.send_signal(signal.SIGHUP)
        terminal.wait_exit()
        assert "name three birds" in kept(world, "draft-*.json")
        terminal = world.start()
        wait_ready(terminal)
        terminal.wait_for("│ name three birds")
        terminal.resize(60, 20)
        terminal.wait_for("│ name three birds")
        terminal.press("enter")
        terminal.wait_for("Robin, wren, owl.")
        assert server.requests[0].user_texts == ["name three birds"]
        terminal.wait_for(lambda _: kept(world, "draft-*.json") == "")
        assert "name three birds" in kept(world, "history.jsonl")


def test_half_typed_text_survives_a_new_session(world: World) -> None:
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start()
        ask(terminal, server, "hello there")
        terminal.type_text("half a thought")
        terminal.wait_for("│ half a thought")
        terminal.press("ctrl+p")
        terminal.wait_for("─ commands ─")
        terminal.type_text("new")
        terminal.wait_for("begin a new session")
        terminal.press("enter")
        terminal.wait_gone("hello there")
        terminal.wait_for("│ half a thought")
