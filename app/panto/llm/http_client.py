"""How an HTTP client is set up: proxies, certificates, limits. Loads httpx, so it is imported on first use."""

import os
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import certifi
import httpx

from panto.llm.client import ClientError
from panto.llm.types import Endpoint, Transport

KEEP_ALIVE = 90.0
"""Seconds for which an idle connection is kept: longer than most tools run."""


def make_client(endpoint: Endpoint, wire_log: Path | None = None) -> httpx.AsyncClient:
    """A client for the endpoint's server, which writes all that goes over the wire into a file, if one is given.

    Raises `ClientError`.
    """
    transport = _network(endpoint) if endpoint.transport is None else _InProcess(endpoint.transport)
    if wire_log is not None:
        from panto.llm.wire_log import LoggedTransport  # noqa: PLC0415 - seldom wanted

        transport = LoggedTransport(transport, wire_log)
    local = endpoint.transport is not None
    timeout = None if local else httpx.Timeout(None, connect=endpoint.connect_timeout, write=endpoint.stall_timeout)
    return httpx.AsyncClient(transport=transport, timeout=timeout, trust_env=False)


def _network(endpoint: Endpoint) -> httpx.AsyncBaseTransport:
    """Connections over the network. Raises `ClientError`."""
    proxy = proxy_for(endpoint.base_url, getproxies())
    try:
        return httpx.AsyncHTTPTransport(
            proxy=proxy,
            verify=certificates(os.environ),
            trust_env=False,  # proxy and certificates are found here
            limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE),
        )
    except (ValueError, httpx.InvalidURL):
        shown = urlsplit(proxy or "").scheme or "no scheme"
        raise ClientError(
            f"the proxy set for {urlsplit(endpoint.base_url).netloc} can't be used ({shown})",
            "set HTTPS_PROXY, HTTP_PROXY or ALL_PROXY to an http://, https:// or socks5:// address",
        ) from None


def proxy_for(url: str, proxies: Mapping[str, str]) -> str | None:
    """The proxy for an address, of those that the environment or the system names; none for this machine itself."""
    address = urlsplit(url)
    host = address.hostname or ""
    if _is_loopback(host) or proxy_bypass(host):
        return None
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if not proxy:
        return None
    scheme, separator, rest = proxy.rpartition("://")
    if not separator:
        return f"http://{rest}"
    return f"socks5h://{rest}" if scheme == "socks" else proxy


def certificates(environ: Mapping[str, str]) -> ssl.SSLContext:
    """Whom to trust: `SSL_CERT_FILE` and `SSL_CERT_DIR` if set, else the system, else the bundled list.

    Raises `ClientError` if what is set can't be read.
    """
    file, directory = environ.get("SSL_CERT_FILE") or None, environ.get("SSL_CERT_DIR") or None
    if file or directory:
        try:
            return ssl.create_default_context(cafile=file, capath=directory)
        except OSError as error:
            reason = error.strerror or "it holds no certificates"
            raise ClientError(
                f"the certificates in {file or directory} can't be read: {reason}", "check SSL_CERT_FILE"
            ) from None
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"] and not _has_system_store():
        context.load_verify_locations(certifi.where())
    return context


def _has_system_store() -> bool:
    """Whether there are certificates that are loaded only when they are needed."""
    paths = ssl.get_default_verify_paths()
    return bool(paths.cafile or (paths.capath and any(Path(paths.capath).iterdir())))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class _InProcess(httpx.AsyncBaseTransport):
    """Lets httpx talk to a transport that may have been made without it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()
