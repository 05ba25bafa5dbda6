"""From Enter to the wire, and from the wire towards the screen: ``python -m tests.bench.bench_requests``.

Times are wall-clock times in one run, the least of some rounds. The server is a process of its own on loopback, so that
it takes no time of the client's; it notes when the first byte of each request comes.
"""

import asyncio
import gc
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx

from panto.agent.conversation import Conversation
from panto.agent.model_call import Model, ModelUnavailable
from panto.agent.session import AgentSession
from panto.bus import Bus, Rank
from panto.events import Event, TurnEnd
from panto.llm.client import Clients
from panto.llm.remembered import Memory
from panto.llm.retry import stream_with_retries
from panto.llm.stream import stream
from panto.llm.types import Done, Endpoint, Request, StreamEvent
from panto.messages import Assistant, Message, Text, Tool, ToolCall, ToolOutput, ToolSchema, User
from panto.offers import Prompt
from panto.permissions.approval import Approval, ApprovalRequest
from panto.permissions.gate import Gate
from panto.permissions.guard import Guard
from panto.sessions.store import Store, memory_store
from panto.tools import Need, Reply, Tool as ToolOffer, ToolBox, ToolContext

APIS = ("openai-chat", "anthropic")
MESSAGES = 2_000
TOKENS = 20_000
ROUNDS = 60
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class Pipe(Protocol):
    """One end of a pipe between processes."""

    def send(self, obj: float) -> None:
        """Put a number in."""
        ...

    def recv(self) -> float:
        """Take the next number out; waits for it."""
        ...


@dataclass(frozen=True)
class Figure:
    """One line of the table: two times in seconds, and what their ratio should not exceed."""

    what: str
    seconds: float
    to: float
    aim: float | None = None


def history() -> list[Message]:
    """A long conversation: requests, reads, results and answers."""
    messages: list[Message] = []
    for number in range(MESSAGES // 4):
        call = ToolCall(f"call_{number}", "std.read", {"path": f"src/module_{number}.py", "limit": 200})
        text = "\n".join(f"{line}\tvalue_{line} = compute({number}, {line})" for line in range(8))
        messages += [
            User((Text(f"And what does module {number} do? Please look at it closely."),)),
            Assistant((Text("Let me look."), call), "local/m", "tool_calls"),
            Tool((ToolOutput(call.id, call.name, text),)),
            Assistant((Text(f"It **computes** values from {number}, eight of them, one after another."),), "local/m"),
        ]
    return messages


def answer(api: str, pieces: int) -> bytes:
    """A streamed answer of one-token events."""

    def event(data: object, name: str = "") -> bytes:
        head = f"event: {name}\n" if name else ""
        return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()

    if api == "openai-chat":
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

        def chunk(delta: object, finish: str | None = None) -> bytes:
            return event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        usage = event({**head, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9}})
        return b"".join(
            (*(chunk({"content": "word "}) for _ in range(pieces)), chunk({}, "stop"), usage, b"data: [DONE]\n\n")
        )
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word "}}
    nothing: list[object] = []
    message = {"type": "message", "role": "assistant", "content": nothing, "model": "m", "usage": {"input_tokens": 9}}
    return b"".join(
        (
            event({"type": "message_start", "message": message}, "message_start"),
            event(
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                "content_block_start",
            ),
            *(event(delta, "content_block_delta") for _ in range(pieces)),
            event({"type": "content_block_stop", "index": 0}, "content_block_stop"),
            event(
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
                "message_delta",
            ),
            event({"type": "message_stop"}, "message_stop"),
        )
    )


def serve(pipe: Pipe) -> None:
    """The server's process: it tells its port, then for each request when its first byte came."""

    async def run() -> None:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while first := await reader.read(1):
                came = time.monotonic()
                head = first + await reader.readuntil(b"\r\n\r\n")
                fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
                sizes = {name.lower(): value for name, value in fields.items()}
                await reader.readexactly(int(sizes[b"content-length"]))
                api = "anthropic" if b"/messages" in head.split(b" ", 2)[1] else "openai-chat"
                body = answer(api, int(sizes.get(b"x-pieces", b"1")))
                writer.write(_HEAD)
                for start in range(0, len(body), 4096):
                    piece = body[start : start + 4096]
                    writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                writer.write(b"0\r\n\r\n")
                await writer.drain()
                pipe.send(came)

        server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 26)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


@dataclass(frozen=True)
class Server:
    """The server, as its client sees it."""

    port: int
    pipe: Pipe

    def endpoint(self, api: str, pieces: int = 1) -> Endpoint:
        """It as an endpoint of a wire format."""
        base = f"http://127.0.0.1:{self.port}" + ("/v1" if api == "openai-chat" else "")
        return Endpoint("local", api, base, api_key="k", headers={"x-pieces": str(pieces)})

    async def came(self) -> float:
        """When the first byte of the last request came."""
        return await asyncio.to_thread(self.pipe.recv)


@asynccontextmanager
async def served() -> AsyncGenerator[Server]:
    """A server in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield Server(int(await asyncio.to_thread(ours.recv)), ours)
    finally:
        process.kill()
        process.join()


async def nobody(_request: ApprovalRequest) -> Approval:
    """Nobody is asked."""
    return Approval("no")


async def read(_arguments: object, _context: ToolContext) -> Reply:
    """A tool that is never called."""
    return Reply("")


def no_needs(_arguments: object, _context: ToolContext) -> tuple[Need, ...]:
    """Nothing is needed."""
    return ()


@dataclass(frozen=True)
class Waits:
    """Seconds to the first byte of a request: from a prompt, the first and the least later one; from a plain post."""

    first: float
    later: float
    posted: float
    size: int


async def waits(server: Server, api: str) -> Waits:
    """Prompts at the end of a long conversation, and posts of the same body by turns, so that noise meets both."""
    bodies: list[bytes] = []

    async def note(request: httpx.Request) -> None:
        bodies.append(request.content)

    async with Bus() as bus, await memory_store() as store, Clients() as clients:
        endpoint = server.endpoint(api)
        client = await clients.get(endpoint)
        client.event_hooks = {"request": [note], "response": []}
        session = await long_session(bus, store, clients, endpoint)
        ended = asyncio.Event()

        def over(event: Event) -> None:
            if isinstance(event, TurnEnd):
                assert event.reason == "done", event
                ended.set()

        async def enter(text: str) -> float:
            ended.clear()
            gc.collect()
            began = time.monotonic()
            await session.submit(Prompt(text))
            await ended.wait()
            return await server.came() - began

        async def post(body: bytes) -> float:
            gc.collect()
            began = time.monotonic()
            url = endpoint.base_url + ("/chat/completions" if api == "openai-chat" else "/v1/messages")
            request = client.build_request("POST", url, content=body, headers={"content-type": "application/json"})
            response = await client.send(request, stream=True)
            await response.aread()
            await response.aclose()
            return await server.came() - began

        bus.watch((TurnEnd,), over, rank=Rank(0, "bench"))
        await session.start("new")
        running = asyncio.create_task(session.run())
        first = await enter("the first")
        times = [(await enter(f"once more, {number}"), await post(bodies[-1])) for number in range(ROUNDS)]
        running.cancel()
        await asyncio.wait({running})
    later, posted = zip(*times, strict=True)
    return Waits(first, min(later), min(posted), len(bodies[-1]))


async def long_session(bus: Bus, store: Store, clients: Clients, endpoint: Endpoint) -> AgentSession:
    """A session with a long conversation, and no one asked for anything."""
    tools = ToolBox()
    schema: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}
    for name in ("std.read", "std.list", "std.grep"):
        tools.add(ToolOffer(name, "A tool.", schema, read, no_needs))
    conversation = Conversation(store, await store.new_session(Path(tempfile.gettempdir())))
    for message in history():
        await conversation.append(message)
    asked = Request("m", (), (), memory=Memory())
    model = Model("local/m", asked, lambda request: stream_with_retries(request, endpoint, clients))

    async def choose(_name: str | None) -> Model | ModelUnavailable:
        return model

    guard = Guard(Gate(Path(tempfile.gettempdir())), nobody)
    return AgentSession(
        bus=bus,
        tools=tools,
        guard=guard,
        conversation=conversation,
        project=Path(tempfile.gettempdir()),
        choose_model=choose,
    )


async def parsed_by_us(server: Server, api: str) -> float:
    """The least seconds to stream an answer of so many tokens."""

    async def once(clients: Clients) -> None:
        schema = ToolSchema("std.read", "A tool.", {"type": "object", "properties": {}})
        asked = Request("m", ("sys",), (User((Text("go"),)),), (schema,))
        last: StreamEvent | None = None
        async with aclosing(stream(asked, server.endpoint(api, TOKENS), clients)) as events:
            async for event in events:
                last = event
        assert isinstance(last, Done)
        assert len(last.message.text) == TOKENS * len("word ")

    async with Clients() as clients:
        return await least(server, lambda: once(clients))


async def parsed_plainly(server: Server, api: str) -> float:
    """The least seconds to read the same events with httpx and ``json.loads`` alone."""

    async def once(clients: Clients) -> None:
        endpoint = server.endpoint(api, TOKENS)
        client = await clients.get(endpoint)
        url = endpoint.base_url + ("/chat/completions" if api == "openai-chat" else "/v1/messages")
        count = 0
        async with client.stream("POST", url, content=b"{}", headers=endpoint.headers) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    json.loads(line[6:])
                    count += 1
        assert count >= TOKENS

    async with Clients() as clients:
        return await least(server, lambda: once(clients))


async def least(server: Server, work: Callable[[], Awaitable[None]]) -> float:
    """The least seconds that work takes, of a few rounds."""
    times: list[float] = []
    for _ in range(4):
        gc.collect()
        began = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began)
        await server.came()
    return min(times)


async def figures() -> list[Figure]:
    """All of the table."""
    found: list[Figure] = []
    async with served() as server:
        for api in APIS:
            took = await waits(server, api)
            size = f"{took.size / 1e6:.1f} MB"
            what = f"{api}: enter to first byte, {MESSAGES:,} messages ({size}) / post"
            found += [
                Figure(what, took.later, took.posted, 2.0),
                Figure(f"{api}: the same, first request of a session", took.first, took.posted),
            ]
        for api in APIS:
            ours, plain = await parsed_by_us(server, api), await parsed_plainly(server, api)
            found.append(Figure(f"{api}: {TOKENS:,} tokens streamed / httpx and json.loads", ours, plain, 2.0))
    return found


def main() -> int:
    """Print the table. The exit status is 1 if something is over its aim."""
    rows = asyncio.run(figures())
    lines = [f"{'':<68} {'ratio':>6} {'aim':>5} {'milliseconds':>18}"]
    lines += [
        f"{row.what:<68} {row.seconds / row.to:>6.2f} {'' if row.aim is None else row.aim:>5}"
        f" {1000 * row.seconds:>8.2f} / {1000 * row.to:.2f}"
        for row in rows
    ]
    sys.stdout.write("\n".join((*lines, "")))
    return int(any(row.aim is not None and row.seconds / row.to > row.aim for row in rows))


if __name__ == "__main__":
    sys.exit(main())
