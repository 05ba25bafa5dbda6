"""What goes over the wire is written down where that is wanted, and no key is."""

import json
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import cast

import pytest

from panto.json_values import JSONObject, text_at, value_at
from panto.llm.client import Clients
from panto.llm.listing import list_models
from panto.llm.stream import stream
from panto.llm.types import TextDelta
from panto.llm.wire_log import LARGEST_FILE, LONGEST_BODY, SECRET
from tests.llm.talking import APIS, done, endpoint, failed, request
from tests.support.llm_server import Hold, LLMServer, Raw, Request, Status

KEY = "sk-secret-of-the-tests"


def lines(file: Path) -> list[JSONObject]:
    return [cast("JSONObject", json.loads(line)) for line in file.read_text().splitlines()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state/wire.jsonl"


@pytest.mark.parametrize("api", APIS)
async def test_a_request_and_its_answer(api: str, file: Path) -> None:
    with LLMServer(["Good day."]) as server:
        async with Clients(file) as clients:
            await done(request("Hello there"), endpoint(api, server), clients)
        asked, answered, ended = lines(file)
        (received,) = server.requests
    assert asked["method"] == "POST"
    assert str(asked["url"]).endswith(received.path)
    assert asked["body"] == received.body
    assert (answered["status"], ended["end"]) == (200, "whole")
    assert ended["size"]
    assert len({line["exchange"] for line in (asked, answered, ended)}) == 1
    assert (file.stat().st_mode & 0o777) == 0o600
    assert KEY not in file.read_text()
    assert "Good" in str(ended["body"])


@pytest.mark.parametrize("api", APIS)
async def test_keys_are_left_out_whoever_repeats_them(api: str, file: Path) -> None:
    def parrot(received: Request) -> Status:
        return Status(401, json.dumps({"error": {"message": f"wrong: {json.dumps(received.headers)}"}}))

    where = {"headers": {"X-Mine": 'my "own" secret\\'}}
    with LLMServer([parrot]) as server:
        async with Clients(file) as clients:
            await failed(request(), endpoint(api, server, **where), clients)
    text = file.read_text()
    assert KEY not in text
    assert "own" not in text
    headers = cast("Mapping[str, str]", lines(file)[0]["headers"])
    assert headers["x-mine"] == SECRET
    assert headers["content-type"] == "application/json"


async def test_what_breaks_off(file: Path) -> None:
    hold = Hold(after="Half an answer")
    with LLMServer([hold]) as server:
        async with (
            Clients(file) as clients,
            aclosing(stream(request(), endpoint("openai-chat", server), clients)) as events,
        ):
            async for event in events:
                if isinstance(event, TextDelta):
                    break
    assert [line.get("end") for line in lines(file)] == [None, None, "closed from this side"]
    assert "Half" in text_at(lines(file)[2], "body")


async def test_a_server_that_is_not_there(file: Path) -> None:
    with LLMServer([]) as server:
        gone = endpoint("openai-chat", server)
    async with Clients(file) as clients:
        await failed(request(), gone, clients)
    assert "ConnectError" in text_at(lines(file)[1], "error")


async def test_bodies_that_are_no_json(file: Path) -> None:
    with LLMServer([Raw(b"\xff\xfe<html>\x1b[31m", 200, {"content-type": "text/html"})]) as server:
        async with Clients(file) as clients:
            await failed(request(), endpoint("openai-chat", server), clients)
    assert lines(file)[2]["body"] == "\\xff\\xfe<html>\x1b[31m"


async def test_long_answers_are_cut(file: Path) -> None:
    with LLMServer([Raw(b"x" * (LONGEST_BODY + 10), 200)]) as server:
        async with Clients(file) as clients:
            await failed(request(), endpoint("openai-chat", server), clients)
    ended = lines(file)[2]
    assert (len(text_at(ended, "body")), ended["size"]) == (LONGEST_BODY, LONGEST_BODY + 10)


async def test_a_large_file_is_put_away(file: Path) -> None:
    file.parent.mkdir()
    with file.open("wb") as large:
        large.truncate(LARGEST_FILE + 1)
    with LLMServer(["Hi."]) as server:
        async with Clients(file) as clients:
            await done(request(), endpoint("openai-chat", server), clients)
    assert file.with_name("wire.jsonl.old").stat().st_size == LARGEST_FILE + 1
    assert len(lines(file)) == 3


def in_the_way(file: Path) -> None:
    file.mkdir(parents=True)


def read_only(file: Path) -> None:
    file.parent.symlink_to("/proc/self")


@pytest.mark.parametrize("spoil", [in_the_way, read_only])
async def test_a_log_that_can_not_be_written_is_in_nobodys_way(file: Path, spoil: Callable[[Path], None]) -> None:
    spoil(file)
    with LLMServer(["Hi."]) as server:
        async with Clients(file) as clients:
            await done(request(), endpoint("openai-chat", server), clients)


async def test_lists_of_models_too(file: Path) -> None:
    with LLMServer([]) as server:
        async with Clients(file) as clients:
            await list_models(endpoint("openai-chat", server), clients)
    assert text_at(lines(file)[0], "url").endswith("/models")
    assert value_at(lines(file)[1], "status") is not None


async def test_nothing_is_written_unless_that_is_wanted(file: Path) -> None:
    with LLMServer(["Hi."]) as server:
        async with Clients() as clients:
            await done(request(), endpoint("openai-chat", server), clients)
    assert not file.parent.exists()
