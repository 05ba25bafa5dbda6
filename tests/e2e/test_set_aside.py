"""A server that refuses something in the conversation does not end the session."""

import base64
import json
import struct
import zlib

import pytest

from panto.json_values import is_array, is_object
from tests.e2e.conftest import World, ask, say, told
from tests.support.llm_server import Call, LLMServer, Reply, Request, Status


def png(shade: int) -> bytes:
    """A picture of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes([0, shade]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


GOOD, BAD = png(10), png(200)


def bad_place(request: Request) -> str:
    """Where in the body the picture is that the server does not like; empty if it is not there."""
    wanted = base64.b64encode(BAD).decode()

    def found(value: object, at: str) -> str:
        if isinstance(value, str):
            return at if value.endswith(wanted) else ""
        if is_object(value):
            return next(filter(None, (found(item, f"{at}.{key}") for key, item in value.items())), "")
        if is_array(value):
            return next(filter(None, (found(item, f"{at}.{number}") for number, item in enumerate(value))), "")
        return ""

    return found(request.body, "").removeprefix(".")


def judge(request: Request) -> Status | str:
    """Refuse the bad picture, as the real APIs do: by its place."""
    place = bad_place(request)
    if not place:
        return "A grey one, and one I was not shown."
    error = {"type": "invalid_request_error", "message": f"{place}: Could not process image"}
    if request.wire == "openai-chat":
        error["param"] = error["message"].partition(":")[0]
    return Status(400, json.dumps({"type": "error", "error": error}))


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_a_picture_that_the_server_refuses_is_left_out_and_the_session_goes_on(world: World, wire: str) -> None:
    (world.project / "good.png").write_bytes(GOOD)
    (world.project / "bad.png").write_bytes(BAD)
    calls = [Call("std_read", {"path": "good.png"}), Call("std_read", {"path": "bad.png"})]
    with LLMServer([Reply("I'll look.", tool_calls=calls), judge, judge]) as server:
        world.configure(server, wire)
        terminal = world.start()
        say(terminal, "what is on them?")
        told(terminal, "not sent from now on", "an image", "Could not process image")
        terminal.wait_for("one I was not shown")
        refused, taken = server.requests[-2:]
        assert bad_place(refused)
        assert base64.b64encode(GOOD) in taken.raw
        assert base64.b64encode(BAD) not in taken.raw
        later = ask(terminal, server, "anything else?")
        assert base64.b64encode(GOOD) in later.raw
        assert base64.b64encode(BAD) not in later.raw
        assert len(server.requests) == 4
