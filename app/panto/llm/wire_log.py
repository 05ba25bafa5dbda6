"""A log of what went over the wire, for finding out what a server and this program say to each other.

It is off unless ``[debug] wire`` is set. Each line of the file is a JSON object: a request, the beginning of its
answer, or the answer's body once it has ended; those of one exchange have the same ``exchange``. Keys are left out.
Loads httpx, so it is imported when it is wanted.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx

from panto.json_values import JSONObject
from panto.llm.json_text import from_json, to_json
from panto.messages import new_id

log = logging.getLogger(__name__)

LONGEST_BODY = 16 * 1024 * 1024
"""Bytes of one body that are written."""
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes from which on a file is moved to ``….old``, and a new one begun."""
SECRET = "[secret]"  # noqa: S105 - what stands in place of one

_SHOWN = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-beta",
        "anthropic-version",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-amz-date",
    }
)
"""The headers of requests whose values are no secrets. All others may be, users' own among them."""
_SHORTEST_SECRET = 8
_NESTED = 3
"""How often a secret may be wrapped in JSON: a body is text in a line, and may itself quote another."""


class LoggedTransport(httpx.AsyncBaseTransport):
    """Hands requests on, and writes down what is sent and what comes back."""

    def __init__(self, inner: httpx.AsyncBaseTransport, file: Path) -> None:
        self._inner = inner
        self._file = file

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        exchange = _Exchange(self._file, request.headers)
        await exchange.write(
            method=request.method,
            url=str(request.url),
            headers={name: value if name in _SHOWN else SECRET for name, value in request.headers.items()},
            body=_readable(await request.aread()),
        )
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.HTTPError as error:
            await exchange.write(error=f"{type(error).__name__}: {error}")
            raise
        headers = {name: value for name, value in response.headers.items() if name != "set-cookie"}
        await exchange.write(status=response.status_code, headers=headers)
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - an async transport gives no other
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Noted(response.stream, exchange),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Noted(httpx.AsyncByteStream):
    """An answer's body, which is written down when it has ended, or as far as it came."""

    def __init__(self, inner: httpx.AsyncByteStream, exchange: "_Exchange") -> None:
        self._inner = inner
        self._exchange = exchange
        self._body = bytearray()
        self._size = 0
        self._end = "closed from this side"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._inner:
                self._size += len(chunk)
                self._body += chunk[: LONGEST_BODY - len(self._body)]
                yield chunk
            self._end = "whole"
        except httpx.HTTPError as error:
            self._end = f"{type(error).__name__}: {error}"
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()
        await self._exchange.write(body=_readable(bytes(self._body)), size=self._size, end=self._end)


class _Exchange:
    """A request and its answer. What its secret headers hold is written nowhere, whoever repeats it."""

    def __init__(self, file: Path, headers: httpx.Headers) -> None:
        self._file = file
        self._id = new_id()
        hidden = [value for name, value in headers.items() if name not in _SHOWN]
        self._secrets = sorted({form for value in hidden for form in _forms(value)}, key=len, reverse=True)

    async def write(self, **entry: object) -> None:
        """Write a line. That it can't be written is no reason not to talk to the server."""
        try:
            await asyncio.to_thread(self._write, entry)
        except (OSError, TypeError) as error:
            log.warning("the wire log can't be written: %s", error)

    def _write(self, entry: JSONObject) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = to_json({"time": now, "exchange": self._id, **entry})
        for secret in self._secrets:
            line = line.replace(secret, SECRET.encode())
        self._file.parent.mkdir(parents=True, exist_ok=True)
        if self._file.exists() and self._file.stat().st_size > LARGEST_FILE:
            self._file.replace(self._file.with_name(f"{self._file.name}.old"))
        handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as file:
            file.write(line + b"\n")


def _forms(value: str) -> Iterator[bytes]:
    """How a header's secret may stand in a line: with or without the scheme before it, as JSON, and as JSON in JSON."""
    for secret in {value, value.partition(" ")[2]}:
        form = secret.encode("utf-8", "replace")
        for _ in range(_NESTED):
            form = to_json(form.decode())[1:-1]
            if len(secret) >= _SHORTEST_SECRET:
                yield form


def _readable(body: bytes) -> object:
    """A body as JSON, if it is that and not too long, else as text."""
    if len(body) <= LONGEST_BODY:
        try:
            return from_json(body)
        except ValueError:
            pass
    return body[:LONGEST_BODY].decode("utf-8", "backslashreplace")
