"""Connections to servers: one pool of them for each server, kept alive within a session."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from panto.llm.types import Endpoint, Transport

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

_Pool = tuple[str, str, Transport | None]


class ClientError(Exception):
    """No client can be made, for a fault in the settings. ``hint`` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Clients:
    """The HTTP clients of a session. Close with `aclose`, or use as an async context.

    ``wire_log`` is a file to write all that goes over the wire into.
    """

    def __init__(self, wire_log: Path | None = None) -> None:
        self._wire_log = wire_log
        self._clients: dict[_Pool, httpx.AsyncClient] = {}
        self._lock = asyncio.Lock()

    async def get(self, endpoint: Endpoint) -> "httpx.AsyncClient":
        """The client for an endpoint. Raises `ClientError`."""
        pool: _Pool = (*_server(endpoint), endpoint.transport)
        async with self._lock:
            client = self._clients.get(pool)
            if client is None:
                # the import and the certificates take a moment
                client = await asyncio.to_thread(_make, endpoint, self._wire_log)
                self._clients[pool] = client
            return client

    async def aclose(self) -> None:
        """Close all connections."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()

    async def __aenter__(self) -> "Clients":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        await self.aclose()


def _server(endpoint: Endpoint) -> tuple[str, str]:
    """The scheme and the host of an endpoint's address."""
    try:
        address = urlsplit(endpoint.base_url)
    except ValueError:
        address = urlsplit("")
    if address.scheme not in ("http", "https") or not address.netloc:
        hint = f"set base_url of [providers.{endpoint.provider}] to an http:// or https:// address"
        raise ClientError(f"{endpoint.base_url!r} is no address of a server", hint)
    return address.scheme, address.netloc


def _make(endpoint: Endpoint, wire_log: Path | None) -> "httpx.AsyncClient":
    from panto.llm.http_client import make_client  # noqa: PLC0415 - loads httpx

    return make_client(endpoint, wire_log)
