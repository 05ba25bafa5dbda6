"""Turns as a user lives them: stopping, queueing, approving, the demo."""

import re
import signal

import pytest

from tests.e2e.conftest import WIRES, Keyboard, World, say, told, wait_ready
from tests.support.llm_server import Call, Gate, Hold, LLMServer, Reply


@pytest.mark.parametrize("wire", WIRES)
def test_esc_closes_the_stream_at_once_and_the_next_prompt_works(world: World, wire: str) -> None:
    with LLMServer([Hold(after="I begin to think"), Reply("Here again.")]) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "think long")
        terminal.wait_for("I begin to think")
        terminal.press("escape")
        server.wait_for_disconnect(0)
        terminal.wait_for("stopped")
        say(terminal, "and now?")
        terminal.wait_for("Here again.")
        assert "I begin to think" in terminal.screen_text()
        assert server.requests[1].user_texts == ["think long", "and now?"]


@pytest.mark.parametrize("wire", WIRES)
def test_esc_ends_a_command_with_its_whole_process_group(world: World, wire: str) -> None:
    command = "echo begun-$((1 + 1)); sleep 300 & sleep 300"
    script = [Reply(tool_calls=[Call("std_shell", {"command": command})]), Reply("Well then.")]
    with LLMServer(script) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "wait")
        terminal.wait_for("1. Yes, once")
        assert command in terminal.screen_text()
        terminal.press("1")
        terminal.wait_for("begun-2")
        assert any("sleep 300" in process.command for process in terminal.descendants())
        terminal.press("escape")
        terminal.wait_for("stopped")
        terminal.wait_for(lambda terminal: not any("sleep" in p.command for p in terminal.descendants()))
        say(terminal, "go on")
        terminal.wait_for("Well then.")
        (result,) = server.requests[1].tool_results
        assert "topped" in result.text


def test_a_refused_command_does_not_run_and_the_model_is_told(world: World) -> None:
    script = [Reply(tool_calls=[Call("std_shell", {"command": "touch ran"})]), Reply("As you wish.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "do it")
        terminal.wait_for("3. No")
        terminal.wait_gone("Tab to answer")
        terminal.press("3")
        terminal.wait_for("As you wish.")
        assert not (world.project / "ran").exists()
        assert "does not want this" in server.requests[1].tool_results[0].text


def test_always_holds_for_the_same_command_only(world: World) -> None:
    calls = [Call("std_shell", {"command": command}) for command in ("echo one", "echo one", "echo two")]
    script = [Reply(tool_calls=[call]) for call in calls] + [Reply("Done.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "go")
        terminal.wait_for("1. Yes, once")
        terminal.press("2")
        server.wait_for_requests(3)
        terminal.wait_for(re.compile(r"echo two(.|\n)*1\. Yes, once"))
        terminal.press("1")
        terminal.wait_for("Done.")


def test_text_sent_meanwhile_is_queued_and_goes_in_between_two_steps(world: World) -> None:
    gate = Gate()
    script = [
        Reply(["Looking", gate], tool_calls=[Call("std_list", {})]),
        Reply("Heard you."),
    ]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "look around")
        gate.wait_reached(30)
        say(terminal, "and hurry")
        terminal.wait_for("1 queued")
        gate.open()
        terminal.wait_for("Heard you.")
        assert server.requests[1].user_texts == ["look around", "and hurry"]
        terminal.wait_gone("1 queued")


def test_esc_gives_queued_text_back_to_the_prompt(world: World) -> None:
    with LLMServer([Hold(after="Hm")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "first")
        terminal.wait_for("Hm")
        say(terminal, "second thought")
        terminal.wait_for("1 queued")
        terminal.press("escape")
        terminal.wait_for(re.compile(r"│ second thought"))


def test_queued_text_leaves_what_is_being_typed_alone(world: World) -> None:
    gate = Gate()
    with LLMServer([Reply(["Looking", gate], tool_calls=[Call("std_list", {})]), Hold(after="Heard you.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "look around")
        gate.wait_reached(30)
        say(terminal, "and hurry")
        terminal.wait_for("1 queued")
        terminal.type_text("a draft")
        terminal.wait_for("│ a draft")
        gate.open()
        terminal.wait_for("Heard you.")
        terminal.wait_gone("1 queued")
        terminal.wait_for("│ a draft")
        say(terminal, " to keep")
        terminal.wait_for("1 queued")
        terminal.type_text("another draft")
        terminal.wait_for("│ another draft")
        terminal.press("escape")
        terminal.wait_for("│ a draft to keep")
        told(terminal, "│ a draft to keep", "another draft")


def test_a_question_does_not_take_keys_meant_for_the_prompt(world: World) -> None:
    gate = Gate()
    script = [Reply(["Hm", gate], tool_calls=[Call("std_shell", {"command": "touch ran"})])]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "go")
        gate.wait_reached(30)
        terminal.type_text("and 1")
        terminal.wait_for("and 1")
        gate.open()
        terminal.wait_for("Tab to answer")
        terminal.type_text("1")
        terminal.wait_for("and 11")
        assert not (world.project / "ran").exists()
        terminal.press("escape")
        terminal.wait_for("stopped")


def test_plan_mode_denies_changes_at_the_gate(world: World) -> None:
    script = [Reply(tool_calls=[Call("std_write", {"path": "new.txt", "content": "x"})]), Reply("Only planned.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start("--mode", "plan")
        say(terminal, "write it")
        terminal.wait_for("Only planned.")
        assert not (world.project / "new.txt").exists()
        assert "plan" in server.requests[1].tool_results[0].text


def test_shift_tab_takes_the_next_mode(world: World) -> None:
    terminal = world.start("--demo")
    terminal.wait_for("─ build ")
    terminal.press("shift+tab")
    terminal.wait_for("─ plan ")
    terminal.press("shift+tab")
    terminal.wait_for("─ ask ")


def test_the_demo_does_real_things(world: World) -> None:
    world.write("notes.txt", "one\ntwo\nthree\n")
    terminal = world.start("--demo")
    say(terminal, "help")
    terminal.wait_for("not a language model")
    say(terminal, "edit notes.txt: two -> zwei")
    terminal.wait_for(re.compile(r"● read +notes\.txt +1-3\n +● edit +notes\.txt +\+1 -1"))
    say(terminal, "run cat notes.txt | head -2")
    terminal.wait_for("1. Yes, once")
    terminal.press("1")
    terminal.wait_for("zwei")
    assert (world.project / "notes.txt").read_text() == "one\nzwei\nthree\n"


def test_a_paste_never_sends_itself(world: World) -> None:
    with LLMServer([Reply("Got it.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        terminal.paste("first line\nsecond [bold]line[/bold]\n\tthird")
        terminal.wait_for("second [bold]line[/bold]")
        assert server.requests == []
        terminal.press("enter")
        terminal.wait_for("Got it.")
        assert server.requests[0].user_texts == ["first line\nsecond [bold]line[/bold]\n\tthird"]


@pytest.mark.parametrize(
    ("keyboard", "keys"),
    [
        ("kitty", ["shift+enter"]),
        ("kitty", ["alt+enter"]),
        ("kitty", ["ctrl+j"]),
        ("legacy", ["alt+enter"]),
        ("legacy", ["ctrl+j"]),
        ("legacy", ["\\", "enter"]),
    ],
)
def test_newline_keys(world: World, keyboard: Keyboard, keys: list[str]) -> None:
    with LLMServer([Reply("Got it.")]) as server:
        world.configure(server)
        terminal = world.start(keyboard=keyboard)
        wait_ready(terminal)
        terminal.type_text("one")
        for key in keys:
            terminal.press(key)
        terminal.type_text("two")
        terminal.wait_for("two")
        terminal.press("enter")
        terminal.wait_for("Got it.")
        assert server.requests[0].user_texts == ["one\ntwo"]


def test_hostile_text_is_shown_and_never_obeyed(world: World) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J[red]plain[/red] \u202eabc"
    world.write("evil.txt", hostile + "\n")
    script = [Reply(f"Answer: {hostile}", tool_calls=[Call("std_read", {"path": "evil.txt"})]), Reply("Still whole.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "read it")
        terminal.wait_for("Still whole.")
        assert "owned" not in terminal.title
        assert b"\x1b]0;owned" not in terminal.raw
        assert "[red]plain[/red]" in terminal.screen_text()
        assert "\u202e" not in terminal.screen_text()


def test_a_signal_leaves_the_terminal_as_it_was(world: World) -> None:
    terminal = world.start("--demo")
    wait_ready(terminal)
    terminal.send_signal(signal.SIGTERM)
    terminal.wait_exit()
    assert not terminal.alternate
    assert b"\x1b[?1049l" in terminal.raw


def test_a_hung_up_terminal_ends_the_program_and_its_commands(world: World) -> None:
    script = [Reply(tool_calls=[Call("std_shell", {"command": "echo b-$((1 + 1)); sleep 300"})])]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "wait")
        terminal.wait_for("1. Yes, once")
        terminal.press("1")
        terminal.wait_for("b-2")
        terminal.send_signal(signal.SIGHUP)
        terminal.wait_exit()
        terminal.wait_no_descendants()


def test_ctrl_c_twice_quits_from_an_empty_prompt(world: World) -> None:
    terminal = world.start("--demo")
    wait_ready(terminal)
    terminal.type_text("something")
    terminal.wait_for("something")
    terminal.press("ctrl+c")
    terminal.wait_gone("something")
    terminal.press("ctrl+c")
    terminal.wait_for("Ctrl+C again quits")
    terminal.press("ctrl+c")
    assert terminal.wait_exit() == 0


def test_what_is_typed_before_the_screen_is_there_is_sent(world: World) -> None:
    with LLMServer([Reply("Early bird.")]) as server:
        world.configure(server)
        terminal = world.start()
        terminal.send("are you there?\r")
        terminal.wait_for("Early bird.")
        assert server.requests[0].user_texts == ["are you there?"]
