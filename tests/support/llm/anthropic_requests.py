"""Requests to the messages API, for the tests of its validator."""

import base64
import struct

from tests.support.llm.anthropic.format import Anthropic
from tests.support.llm.anthropic.messages import prefix_of_answer
from tests.support.llm.anthropic.signatures import seal, sign
from tests.support.llm.checks import JSONObject
from tests.support.llm.request import Request

NOTHING: JSONObject = {}
HEADERS = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
THINKING_ON: JSONObject = {"type": "enabled", "budget_tokens": 2000}


def png(width: int = 1, height: int = 1) -> str:
    """The start of a PNG of this size, as base64."""
    return base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height)).decode()


def image(data: str | None = None, media_type: str = "image/png") -> JSONObject:
    """An image block."""
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data or png()}}


def text(words: str = "hi", **more: object) -> JSONObject:
    """A text block."""
    return {"type": "text", "text": words, **more}


def use(identifier: str = "toolu_1", name: str = "std_read", arguments: object = None) -> JSONObject:
    """A tool use block."""
    return {"type": "tool_use", "id": identifier, "name": name, "input": {} if arguments is None else arguments}


def result(identifier: str = "toolu_1", **more: object) -> JSONObject:
    """A tool result block."""
    return {"type": "tool_result", "tool_use_id": identifier, "content": "text", **more}


def user(*blocks: JSONObject) -> JSONObject:
    """A user message of blocks, or of plain text."""
    return {"role": "user", "content": list(blocks) or "hi"}


def assistant(*blocks: JSONObject) -> JSONObject:
    """An assistant message of blocks, or of plain text."""
    return {"role": "assistant", "content": list(blocks) or "hello"}


def tool(name: str = "std_read", schema: object = None, **more: object) -> JSONObject:
    """A tool on offer."""
    return {"name": name, "input_schema": {"type": "object"} if schema is None else schema, **more}


def body(*messages: JSONObject, **more: object) -> JSONObject:
    """A request with these messages and one tool."""
    return {"model": "m", "max_tokens": 4096, "messages": list(messages), "tools": [tool()], **more}


def thought(words: str, request: JSONObject) -> JSONObject:
    """A thinking block as the server would have streamed it in answer to this request, which asked for thinking."""
    return {"type": "thinking", "thinking": words, "signature": sign(words, prefix_of_answer(request))}


UNASKED: JSONObject = {"type": "thinking", "thinking": "hm", "signature": sign("hm", b"", asked=False)}
REDACTED: JSONObject = {"type": "redacted_thinking", "data": seal("a")}
ASKED = thought("hm", body(user()))
MARK = {"type": "ephemeral"}


def judge(given: JSONObject, wire: Anthropic | None = None, version: str = "2023-06-01") -> None:
    """Have the validator look at a body."""
    wire = wire or Anthropic()
    headers = {**HEADERS, "anthropic-version": version}
    wire.check(Request(0, 1, "POST", wire.path, headers, b"", 0.0, body=given))
