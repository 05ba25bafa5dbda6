"""Bad input and trouble: one clear line on screen, never a traceback, and the next prompt works."""

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import KEY, WIRES, World
from tests.support.llm_server import Call, Cut, Failure, Gate, Hold, LLMServer, Raw, Reply, Status, StreamError
from tests.support.terminal import Terminal

Say = Callable[[Terminal, str], None]


def no_traceback(terminal: Terminal) -> None:
    """Nothing that the program wrote looks like a traceback or holds the key."""
    written = terminal.raw.decode(errors="replace")
    assert "Traceback" not in written
    assert KEY not in written


TROUBLE = {
    "wrong key": (Failure("auth"), r"key"),
    "server error": (Status(500), r"500|server"),
    "unknown model": (Failure("not_found"), r"test-model|model"),
    "quota": (Failure("quota"), r"quota|credit|billing|spend"),
    "broken stream": (Cut(after="Half an ans", how="reset"), r"broke|cut|connection|closed"),
    "error in mid-stream": (StreamError("overloaded", after="Half"), r"overloaded|busy"),
    "no json": (Raw(b"<html>gateway</html>", 502), r"502|gateway"),
    "json in place of a stream": (Raw(b'{"error": {"message": "the cat is on it"}}', 200), r"the cat is on it"),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("trouble", TROUBLE)
def test_trouble_with_the_server_is_one_line_and_the_next_prompt_works(
    world: World, say: Say, wire: str, trouble: str
) -> None:
    step, words = TROUBLE[trouble]
    with LLMServer(default=step, strict=False) as server:
        world.configure(server, wire)
        terminal = world.start(PANTO_RETRY_BASE="0")
        say(terminal, "hello")
        terminal.wait_for(re.compile(words, re.IGNORECASE))
        no_traceback(terminal)
    with LLMServer([Reply("All well again.")]) as server:
        world.configure(server, wire)


def test_an_unreachable_server_is_named(world: World, say: Say) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    world.config_file.parent.mkdir(parents=True)
    world.config_file.write_text(
        f'model = "local/m"\n[providers.local]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
    )
    terminal = world.start()
    say(terminal, "hello")
    terminal.wait_for(re.compile(rf"127\.0\.0\.1:{port}"))
    terminal.press("escape")
    no_traceback(terminal)
