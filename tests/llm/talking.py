"""What the tests of this package share: requests, endpoints of the scripted server, and whole streams."""

from collections.abc import AsyncIterator
from dataclasses import replace

from panto.llm.client import Clients
from panto.llm.formats import FORMATS
from panto.llm.stream import stream
from panto.llm.types import CallDelta, Done, Endpoint, Failed, Request, StreamEvent, TextDelta, ThinkingDelta
from panto.messages import Assistant, Message, Text, ToolSchema, User
from tests.support.llm_server import LLMServer

APIS = tuple(FORMATS)

READ = ToolSchema(
    "std.read",
    "Read a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
LIST = ToolSchema("std.list", "List a directory.", {"type": "object", "properties": {"path": {"type": "string"}}})


def user(text: str) -> User:
    """A user's message."""
    return User((Text(text),))


def request(*messages: Message | str, **changes: object) -> Request:
    """A request with two tools; plain strings are user messages."""
    history = tuple(user(message) if isinstance(message, str) else message for message in messages)
    plain = Request("test-model", ("Be brief.",), history or (user("Hello"),), (READ, LIST))
    return replace(plain, **changes)  # pyright: ignore[reportArgumentType] - the tests name the fields


def endpoint(api: str, server: LLMServer, **changes: object) -> Endpoint:
    """The scripted server as an endpoint of this wire format."""
    plain = Endpoint("local", api, server.url(api), api_key="sk-secret-of-the-tests")
    return replace(plain, **changes)  # pyright: ignore[reportArgumentType] - the tests name the fields


async def collected(events: AsyncIterator[StreamEvent]) -> list[StreamEvent]:
    """A stream's events, to the end, which must be the only one of its kind."""
    found = [event async for event in events]
    assert [isinstance(event, Done | Failed) for event in found] == [False] * (len(found) - 1) + [True]
    return found


async def done(asked: Request, where: Endpoint, clients: Clients) -> Assistant:
    """The answer to a request that goes well, checked against the pieces that came before it."""
    events = await collected(stream(asked, where, clients))
    end = events[-1]
    assert isinstance(end, Done), end
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).strip() == end.message.text.strip()
    return end.message


async def failed(asked: Request, where: Endpoint, clients: Clients) -> Failed:
    """The end of a stream that fails."""
    end = (await collected(stream(asked, where, clients)))[-1]
    assert isinstance(end, Failed), end
    assert end.message.stop == "error"
    assert end.message.error == end.failure.message
    assert end.message.model == f"{where.provider}/{asked.model}"
    return end


def texts(events: list[StreamEvent]) -> list[str]:
    """The pieces of text in the order they came."""
    return [event.text for event in events if isinstance(event, TextDelta)]


def thoughts(events: list[StreamEvent]) -> str:
    """All the thinking that streamed."""
    return "".join(event.text for event in events if isinstance(event, ThinkingDelta))


def call_deltas(events: list[StreamEvent]) -> list[CallDelta]:
    """What streamed of calls."""
    return [event for event in events if isinstance(event, CallDelta)]
