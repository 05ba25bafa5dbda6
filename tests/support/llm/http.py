"""HTTP/1.1 on one accepted socket: requests in, chunked answers out, and word when the client is gone."""

import asyncio
import contextlib
import http
import socket
import struct
from collections.abc import Coroutine, Mapping
from typing import NamedTuple, TypeVar

T = TypeVar("T")

HEAD_LIMIT = 64 * 1024


class ClientGoneError(Exception):
    """The client closed or reset the connection."""


class Message(NamedTuple):
    """A request as it came; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Connection:
    """One client. `watch` must run beside all else: it alone reads, so a client that leaves is seen at any time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._news = asyncio.Event()
        self.gone = asyncio.Event()
        # What `drain` lets pass is with the kernel: a reset after it does not take back what was sent.
        writer.transport.set_write_buffer_limits(0)

    async def watch(self) -> None:
        """Read until the client is gone."""
        with contextlib.suppress(OSError):
            while data := await self._reader.read(64 * 1024):
                self._buffer += data
                self._news.set()
        self.gone.set()
        self._news.set()

    async def receive(self) -> Message:
        """The next request. Raises `ClientGoneError` when there is none."""
        head = (await self._until(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, path, _version = first.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
        }
        if headers.get("expect", "").lower() == "100-continue":
            await self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in headers.get("transfer-encoding", "").lower():
            body = await self._chunked_body()
        else:
            body = await self._exactly(int(headers.get("content-length", "0")))
        return Message(method, path, headers, body)

    async def send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """A whole response."""
        await self._write(_head(status, {**headers, "content-length": str(len(body))}) + body)

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of a chunked response."""
        await self._write(_head(status, {**headers, "transfer-encoding": "chunked"}))

    async def chunk(self, data: bytes) -> None:
        """A chunk of its body."""
        if data:
            await self._write(b"%x\r\n%b\r\n" % (len(data), data))

    async def finish(self) -> None:
        """The end of its body."""
        await self._write(b"0\r\n\r\n")

    async def while_here(self, coroutine: Coroutine[object, object, T]) -> T:
        """Await something, but no longer than the client stays. Raises `ClientGoneError`."""
        work = asyncio.ensure_future(coroutine)
        gone = asyncio.ensure_future(self.gone.wait())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientGoneError
            return work.result()
        finally:
            work.cancel()
            gone.cancel()

    def reset(self) -> None:
        """Break the connection off as a crash does (RST)."""
        raw = self._writer.get_extra_info("socket")
        with contextlib.suppress(OSError):  # the client may have gone first
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def close(self) -> None:
        """Close the connection (FIN)."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    async def _write(self, data: bytes) -> None:
        if self.gone.is_set():
            raise ClientGoneError
        self._writer.write(data)
        try:
            await self._writer.drain()
        except ConnectionError as error:
            raise ClientGoneError from error

    async def _more(self) -> None:
        self._news.clear()
        if self.gone.is_set():
            raise ClientGoneError
        await self._news.wait()

    async def _until(self, mark: bytes) -> bytes:
        """The bytes before a mark, which is taken too."""
        while (at := self._buffer.find(mark)) < 0:
            if len(self._buffer) > HEAD_LIMIT:
                raise ValueError("the request's head is too long, or no HTTP")
            await self._more()
        data = bytes(self._buffer[:at])
        del self._buffer[: at + len(mark)]
        return data

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            await self._more()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    async def _chunked_body(self) -> bytes:
        body = b""
        while size := int((await self._until(b"\r\n")).partition(b";")[0], 16):
            body += await self._exactly(size)
            await self._exactly(2)
        while await self._until(b"\r\n"):
            pass  # trailers
        return body


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        phrase = http.HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
