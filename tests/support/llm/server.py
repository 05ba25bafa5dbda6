"""The scripted LLM server: real sockets on loopback, in a thread of its own."""

import asyncio
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from tests.support.llm.answers import Answer
from tests.support.llm.gate import Gate
from tests.support.llm.http import ClientGoneError, Connection, Message
from tests.support.llm.record import Record
from tests.support.llm.request import Request
from tests.support.llm.responder import Responder
from tests.support.llm.script import Pause, Turn
from tests.support.llm.wire import WireFormat
from tests.support.llm.wires import ALL

A_FEW_CHUNKS = 16


class LLMServer:
    """Answers model calls from a script, in order, in the wire format of the path asked; records and judges each one.

    `turns`: the answers. `validate`: refuse what the real API would refuse. `api_key`: the one key to take. `models`:
    what the model list says. `default`: the answer when the script is used up. `formats`: the APIs to speak. `strict`:
    leaving the `with` block raises `AssertionError` for calls beyond the script, refused requests and turns nobody
    asked for.
    """

    def __init__(
        self,
        turns: Sequence[Turn] = (),
        *,
        validate: bool = True,
        api_key: str | None = None,
        models: Sequence[str] = ("test-model",),
        default: Turn | None = None,
        strict: bool = True,
        formats: Sequence[WireFormat] = ALL,
    ) -> None:
        self.connections = 0
        self.port = 0
        self._strict = strict
        self._record = Record()
        self._responder = Responder(
            turns,
            formats,
            self._record.mishap,
            validate=validate,
            api_key=api_key,
            models=models,
            default=default,
        )
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="llm-server", daemon=True)
        self._started = threading.Event()

    def add(self, *turns: Turn) -> None:
        """More turns, after those there are."""
        self._responder.add(turns)

    def when(self, predicate: Callable[[Request], bool], *turns: Turn) -> None:
        """Turns of their own for the requests the predicate picks: title and summary calls, subagents."""
        self._responder.add_side(predicate, turns)

    def forget(self) -> None:
        """Drop script and record, for the next of several tests that share this server."""
        self._responder.forget()
        self._record.forget()

    def url(self, name: str) -> str:
        """What config has as ``base_url`` for the wire format of that name."""
        base = next(wire.base for wire in ALL if wire.name == name)
        return f"http://127.0.0.1:{self.port}{base}"

    @property
    def base_url(self) -> str:
        """For the wire format `openai-chat`."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """For the wire format `anthropic`."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[Request]:
        """The model calls so far, in order of arrival."""
        return list(self._record.calls)

    @property
    def other_requests(self) -> list[Request]:
        """All requests that were no model calls."""
        return list(self._record.others)

    @property
    def invalid(self) -> list[Request]:
        """The model calls refused by the validator; `problem` says why."""
        return [request for request in self.requests if request.problem is not None]

    @property
    def unexpected(self) -> list[str]:
        """Calls beyond the script, and scripted functions that raised."""
        return list(self._record.unexpected)

    @property
    def remaining(self) -> int:
        """Turns nobody has asked for yet."""
        return self._responder.remaining

    def wait_for_requests(self, count: int, timeout: float = 30.0) -> list[Request]:
        """Block until there were so many model calls. Seconds; raises `TimeoutError`."""
        return self._record.wait_for(lambda: self.requests, count, f"{count} requests", timeout)

    def wait_for_answers(self, count: int, timeout: float = 30.0) -> list[Request]:
        """Block until so many answers are over: whole, cut, or the client gone. Seconds; raises `TimeoutError`."""

        def over() -> list[Request]:
            return [request for request in self.requests if request.outcome != "pending"]

        return self._record.wait_for(over, count, f"{count} ended answers", timeout)

    def wait_for_disconnect(self, number: int | None = None, timeout: float = 30.0) -> Request:
        """Block until the client of this request (or of any) left before the answer's end. Raises `TimeoutError`."""

        def left() -> list[Request]:
            return [r for r in self.requests if r.outcome == "disconnected" and number in (None, r.number)]

        what = "disconnect" if number is None else f"disconnect in request {number}"
        return self._record.wait_for(left, 1, what, timeout)[0]

    def assert_clean(self) -> None:
        """Raise `AssertionError` for calls beyond the script, refused requests and turns nobody asked for."""
        faults = self.unexpected
        faults += [f"request {r.number} ({r.wire}) was refused with {r.status}: {r.problem}" for r in self.invalid]
        if self.remaining:
            faults.append(f"{self.remaining} of the script's turns were not asked for")
        if faults:
            raise AssertionError("the scripted LLM server saw:\n  " + "\n  ".join(faults))

    def close(self) -> None:
        """Break off what is left of answers and connections, and end the thread. Leaving the `with` block does it."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(30.0):
            raise TimeoutError("the scripted LLM server did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if self._strict and kind is None:
            self.assert_clean()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        talks: set[asyncio.Task[None]] = set()
        async with asyncio.TaskGroup() as group:

            def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                if self._stop.is_set():
                    writer.transport.abort()
                    return
                self.connections += 1
                talk = group.create_task(self._talk(Connection(reader, writer), self.connections))
                talks.add(talk)
                talk.add_done_callback(talks.discard)

            server = await asyncio.start_server(accept, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            self._started.set()
            await self._stop.wait()
            server.close()
            for talk in talks:
                talk.cancel()

    async def _talk(self, connection: Connection, number: int) -> None:
        """One client, request after request, until it goes or the script breaks it off."""
        watch = asyncio.create_task(connection.watch())
        try:
            while await self._exchange(connection, await connection.receive(), number):
                pass
        except ClientGoneError:
            pass
        except asyncio.CancelledError:
            connection.reset()
            raise
        except Exception:  # noqa: BLE001 - whatever it is must fail the test, not hang it
            self._record.mishap("the server broke:\n" + traceback.format_exc())
        finally:
            watch.cancel()
            await connection.close()

    async def _exchange(self, connection: Connection, message: Message, number: int) -> bool:
        """Answer one request; whether the connection lives on."""
        path = message.path.partition("?")[0]
        wire = self._responder.wire_of(message.method, path)
        count = len(self._record.others if wire is None else self._record.calls)
        request = Request(count, number, *message, received_at=time.monotonic())
        to_other = self._responder.to_other
        planned = to_other(request, path) if wire is None else self._responder.to_call(request, wire)
        request.status = planned.status
        self._record.arrived(request, is_call=wire is not None)
        try:
            await _play(planned, connection)
        except ClientGoneError:
            self._record.ended(request, "disconnected")
            raise
        except asyncio.CancelledError:
            self._record.ended(request, "cut")
            raise
        self._record.ended(request, "answered" if planned.end == "finish" else "cut")
        return planned.end == "finish"


async def _play(planned: Answer, connection: Connection) -> None:
    for halt in planned.before:
        await _halt(halt, connection)
    if planned.whole:
        body = b"".join(item for item in planned.body if isinstance(item, bytes))
        await connection.send(planned.status, planned.headers, body)
        return
    await connection.start(planned.status, planned.headers)
    for position, item in enumerate(planned.body):
        if not isinstance(item, bytes):
            await _halt(item, connection)
            continue
        await connection.chunk(item)
        if position % A_FEW_CHUNKS == 0:
            await asyncio.sleep(0)  # lets the watch see a client that is gone
    if planned.end == "finish":
        await connection.finish()
    elif planned.end == "reset":
        connection.reset()


async def _halt(halt: Gate | Pause, connection: Connection) -> None:
    await connection.while_here(halt.passage() if isinstance(halt, Gate) else asyncio.sleep(halt.seconds))
