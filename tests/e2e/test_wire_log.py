"""``[debug] wire``: what the program and a server say to each other can be read afterwards, without the key."""

import json

from tests.e2e.conftest import KEY, World, ask, told, wait_ready
from tests.support.llm_server import LLMServer


def test_requests_and_answers_are_written_down(world: World) -> None:
    with LLMServer() as server:
        world.configure(server, extra="debug.wire = true")
        terminal = world.start(columns=160)
        wait_ready(terminal)
        told(terminal, "[debug] wire is on", "wire.jsonl")
        ask(terminal, server, "hello")
        terminal.press("ctrl+d")
        terminal.wait_exit()
    (file,) = world.home.rglob("wire.jsonl")
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    posts = [entry for entry in entries if entry.get("method") == "POST"]
    assert [post["body"]["messages"][-1]["content"] for post in posts] == ["hello"]
    answers = [entry for entry in entries if entry["exchange"] == posts[0]["exchange"] and "end" in entry]
    assert [answer["end"] for answer in answers] == ["whole"]
    assert "hello" in answers[0]["body"]
    assert KEY not in file.read_text()


def test_nothing_is_written_otherwise(world: World) -> None:
    with LLMServer() as server:
        world.configure(server)
        terminal = world.start()
        ask(terminal, server, "hello")
    assert not list(world.home.rglob("wire.jsonl*"))
