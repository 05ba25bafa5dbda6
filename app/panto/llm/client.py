"""Connections to servers: pooled, kept alive, through the user's proxies, trusting the system's certificates.

httpx is heavy and certificates take a moment to load, so both happen on first use, in a thread.
"""

import asyncio
import os
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from panto.llm.types import Endpoint, Transport

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

KEEP_ALIVE = 90.0
"""Seconds for which an idle connection is kept: longer than most tools run."""

_Pool = tuple[str, str, Transport | None]


class Clients:
    """The HTTP clients of a session, one for each server. Close with `aclose`, or use as an async context."""

    def __init__(self) -> None:
        self._clients: dict[_Pool, httpx.AsyncClient] = {}
        self._lock = asyncio.Lock()

    async def get(self, endpoint: Endpoint) -> "httpx.AsyncClient":
        """The client for an endpoint. Raises `ValueError` for an address or a proxy that can't be used."""
        address = urlsplit(endpoint.base_url)
        pool: _Pool = (address.scheme, address.netloc, endpoint.transport)
        async with self._lock:
            client = self._clients.get(pool)
            if client is None or client.is_closed:
                client = await asyncio.to_thread(_client, endpoint)
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


def _client(endpoint: Endpoint) -> "httpx.AsyncClient":
    import httpx  # noqa: PLC0415 - heavy

    limits = httpx.Limits(keepalive_expiry=KEEP_ALIVE)
    timeout = httpx.Timeout(None, connect=endpoint.connect_timeout, write=endpoint.stall_timeout)
    if endpoint.transport is not None:
        return httpx.AsyncClient(transport=_InProcess(endpoint.transport))
    return httpx.AsyncClient(
        proxy=proxy_for(endpoint.base_url, getproxies()),
        trust_env=False,  # the proxy is found above, certificates below
        verify=certificates(os.environ),
        limits=limits,
        timeout=timeout,
    )
