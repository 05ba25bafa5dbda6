"""Bad input and trouble: one clear line on screen, never a traceback, and the next prompt works."""

import re
import signal
import socket
from collections.abc import Callable

import pytest

from tests.e2e.conftest import KEY, WIRES, World, say
from tests.support.llm_server import Call, Cut, Failure, LLMServer, Raw, Reply, Request, Status, Step, StreamError
from tests.support.terminal import Terminal


def assert_clean(terminal: Terminal) -> None:
    """Nothing that the program wrote looks like a traceback or holds the key."""
    written = terminal.raw.decode(errors="replace")
    assert "Traceback" not in written
    assert KEY not in written


NO_STREAM = b'{"error": {"message": "the cat is on it", "type": "invalid_request_error"}}'


def shows(pattern: str) -> Callable[[Terminal], bool]:
    """Whether the screen shows something, wherever its lines happen to break: blanks don't count."""
    compiled = re.compile(pattern, re.DOTALL)
    return lambda terminal: compiled.search("".join(terminal.screen_text().split())) is not None


TROUBLE: dict[str, tuple[Step, str]] = {
    "wrong key": (Failure("auth"), r"key"),
    "unknown model": (Failure("not_found"), r"test-model"),
    "quota": (Failure("quota"), r"quota|credit|billing"),
    "refused request": (Failure("bad_request", "the cat is on the keyboard"), r"the cat is on the keyboard"),
    "broken stream": (Cut(after="Half an answer", how="reset"), r"broke|cut|connection|closed"),
    "error in mid-stream": (StreamError("overloaded", after="Half an answer"), r"overloaded"),
    "json in place of a stream": (
        Raw(b'{"error": {"message": "the cat is on it", "type": "invalid_request_error"}}', 200),
        r"the cat is on it",
    ),
    "no stream at all": (Raw(b"<html>login</html>", 200, {"content-type": "text/html"}), r"text/html|HTML|stream"),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("trouble", TROUBLE)
def test_what_a_server_does_wrong_is_said_once_and_the_next_prompt_works(world: World, wire: str, trouble: str) -> None:
    step, words = TROUBLE[trouble]
    with LLMServer([step, Reply("All is well.")]) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "hello")
        terminal.wait_for(re.compile(words, re.IGNORECASE))
        terminal.wait_for("✗")
        say(terminal, "once more")
        terminal.wait_for("All is well.")
        assert_clean(terminal)


@pytest.mark.parametrize("wire", WIRES)
def test_a_busy_server_is_asked_again_and_the_wait_is_shown(world: World, wire: str) -> None:
    with LLMServer([Status(500), Reply("Here I am.")]) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "hello")
        terminal.wait_for("Here I am.")
        assert "try 2 of" in terminal.screen_text()
        assert len(server.requests) == 2


def test_tries_are_counted_anew_for_each_request_of_a_turn(world: World) -> None:
    busy = [Failure("rate_limit", retry_after=0)] * 3
    look = Reply("I'll look.", tool_calls=[Call("std_list", {})])
    with LLMServer([*busy, look, *busy, Reply("Here I am.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "hello")
        terminal.wait_for("Here I am.")
        terminal.wait_for(lambda terminal: terminal.screen_text().count("answered at try 4 of 4") == 2)
        assert len(server.requests) == 8


def test_an_unreachable_server_is_named_and_esc_ends_the_waiting(world: World) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    world.write_config(
        f'model = "local/m"\n[providers.local]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
    )
    terminal = world.start()
    say(terminal, "hello")
    terminal.wait_for(f"127.0.0.1:{port}")
    terminal.press("escape")
    terminal.wait_for("stopped")
    assert_clean(terminal)


def test_without_a_model_it_says_what_to_set_and_the_demo_answers(world: World) -> None:
    terminal = world.start()
    terminal.wait_for("no model is chosen yet")
    terminal.wait_for("/demo")
    say(terminal, "hello")
    terminal.wait_for("✗ no model is chosen yet")
    terminal.wait_for("│ hello")  # it never went anywhere, so it is back in the prompt
    terminal.press("ctrl+c")
    terminal.wait_gone("│ hello")
    say(terminal, "/demo")
    say(terminal, "help")
    terminal.wait_for("not a language model")
    assert_clean(terminal)


CONFIG = {
    "invalid TOML": ("model = \n", r"config\.toml:1"),
    "unknown key": ('modle = "local/m"\n', r"modle.*model"),
    "wrong type": ("mode = 7\n", r"mode"),
    "bad choice": ('mode = "yolo"\n', r"yolo|plan.*ask.*build"),
    "unknown provider": ('model = "locla/m"\n', r"locla"),
    "idle glob": ('[extensions]\ndeny = ["agent.ruls"]\n', r"agent\.ruls"),
    "unreadable rule": ('[permissions]\ndeny = ["fs.raed(x)"]\n', r"fs\.raed"),
}


@pytest.mark.parametrize("fault", CONFIG)
def test_what_is_wrong_in_the_config_is_named_and_the_program_starts(world: World, fault: str) -> None:
    text, words = CONFIG[fault]
    world.write_config(text)
    terminal = world.start()
    terminal.wait_for(shows(words))
    terminal.type_text("still here")
    terminal.wait_for("still here")
    assert_clean(terminal)


def test_a_project_that_cannot_be_read_is_one_line(world: World) -> None:
    terminal = world.start("/no/such/place")
    assert terminal.wait_exit() == 2
    assert "/no/such/place: No such file or directory" in terminal.raw.decode()


@pytest.mark.parametrize("wire", WIRES)
def test_broken_calls_are_answered_and_not_run(world: World, wire: str) -> None:
    def check(request: Request) -> Step:
        results = [result.text for result in request.tool_results]
        assert len(results) == 4
        assert "no tool 'read_file'" in results[0]
        assert "std.read" in results[0]
        assert "path" in results[1]
        assert "Not run" in results[2]
        assert "gone.txt is not there" in results[3]
        return Reply("I see.")

    calls = [
        Call("read_file", {"path": "x"}),
        Call("std_read", {"offset": 1}),
        Call("std_write", '{"path": "x", "content": "half'),
        Call("std_read", {"path": "gone.txt"}),
    ]
    with LLMServer([Reply(tool_calls=calls), check]) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "go")
        terminal.wait_for("I see.")
        assert not (world.project / "x").exists()
        assert_clean(terminal)


def test_a_terminal_of_twenty_by_five_works(world: World) -> None:
    with LLMServer([Reply("Small but there.")]) as server:
        world.configure(server)
        terminal = world.start(columns=20, rows=5)
        terminal.type_text("hi")
        terminal.wait_for("hi")
        terminal.press("enter")
        terminal.wait_for(re.compile(r"Small but\s+there\."))
        terminal.resize(100, 30)
        terminal.wait_for("context")
        assert_clean(terminal)


def test_an_extension_that_fails_is_a_line_and_the_rest_works(world: World) -> None:
    broken = world.home / ".config/panto/extensions/my/broken.py"
    broken.parent.mkdir(parents=True)
    broken.write_text("def activate(host):\n    raise RuntimeError('no wind')\n")
    with LLMServer([Reply("Still sailing.")]) as server:
        world.configure(server)
        terminal = world.start()
        terminal.wait_for(shows(r"my\.broken.*broken\.py:2:.*nowind"))
        say(terminal, "hello")
        terminal.wait_for("Still sailing.")
        assert_clean(terminal)


def test_a_store_that_cannot_be_opened_is_told_and_the_session_works(world: World) -> None:
    database = world.home / ".local/state/panto/sessions.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database, and long enough to be looked at as one" * 40)
    with LLMServer([Reply("Fine.")]) as server:
        world.configure(server)
        terminal = world.start()
        terminal.wait_for(shows(r"sessions\.db:can'tbeopened"))
        say(terminal, "hello")
        terminal.wait_for("Fine.")
        assert database.read_bytes().startswith(b"this is no database")
        assert_clean(terminal)


def test_a_model_that_repeats_itself_is_told_and_then_stopped(world: World) -> None:
    world.write("a.txt", "alpha\n")

    def again(_request: Request) -> Reply:
        return Reply(tool_calls=[Call("std_read", {"path": "a.txt"})])

    with LLMServer(default=again) as server:
        world.configure(server)
        terminal = world.start(rows=50)
        say(terminal, "read it")
        terminal.wait_for(shows("hasmadethesamecall3times"))
        terminal.wait_for(shows("madethesamecall6times"))
        terminal.wait_for("say what it should do instead")
        assert len(server.requests) == 6
        assert "same tool call 3 times" in server.requests[3].raw.decode()
        assert_clean(terminal)


def test_a_session_killed_in_the_midst_of_a_call_goes_on(world: World) -> None:
    command = "echo begun; while kill -0 $PPID; do sleep 0.1; done"
    wait = Reply("I'll wait.", tool_calls=[Call("std_shell", {"command": command})])
    with LLMServer([wait, Reply("Still here.")]) as server:
        world.configure(server, extra='[permissions]\nallow = ["command.run(*)"]\n')
        terminal = world.start()
        say(terminal, "wait a little")
        terminal.wait_for("begun")
        terminal.send_signal(signal.SIGKILL)
        terminal.wait_exit()
        again = world.start("--continue")
        again.wait_for("I'll wait.")
        say(again, "are you there?")
        again.wait_for("Still here.")
        (result,) = server.requests[-1].tool_results
        assert "interrupted: this call has no result" in result.text
