"""Why a connection failed, in words for people. Loads httpx, so it is imported on first use."""

import os
import socket
import ssl
from collections.abc import Iterator
from typing import cast
from urllib.parse import urlsplit

import httpx

from panto.llm.failures import StreamError, failure
from panto.llm.types import Endpoint


def connection_trouble(endpoint: Endpoint, error: Exception) -> StreamError:
    """What went wrong between here and the server. A fault in the settings is told from one of the network."""
    server = urlsplit(endpoint.base_url).netloc.rpartition("@")[2]
    settings = f"check base_url of [providers.{endpoint.provider}]"
    match error:
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return StreamError(failure(endpoint, "config", f"{endpoint.base_url} is no address", settings))
        case httpx.ConnectTimeout():
            what = f"no connection to {server} within {endpoint.connect_timeout:g} s"
            return StreamError(failure(endpoint, "network", what))
        case httpx.TimeoutException():
            return StreamError(failure(endpoint, "stalled", f"{server} takes no more of the request"))
        case httpx.DecodingError():
            return StreamError(failure(endpoint, "protocol", f"{server} sent data that can't be unpacked"))
        case httpx.ProxyError():
            hint = "check the proxy settings (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY)"
            return StreamError(
                failure(endpoint, "network", f"the proxy lets nothing through to {server}: {error}", hint)
            )
        case _:
            return _broken(endpoint, server, error)


def _broken(endpoint: Endpoint, server: str, error: Exception) -> StreamError:
    connecting = isinstance(error, httpx.ConnectError)
    what = f"no connection to {server}" if connecting else f"the connection to {server} broke"
    for cause in _causes(error):
        match cause:
            case ssl.SSLCertVerificationError():
                hint = "if your network has its own certificates, set SSL_CERT_FILE to the file that holds them"
                reason = f"the certificate of {server} is not trusted: {cause.verify_message}"
                return StreamError(failure(endpoint, "config", reason, hint))
            case ssl.SSLError():
                return StreamError(
                    failure(endpoint, "network", f"{what}: TLS failed ({cause.reason or 'no reason given'})")
                )
            case socket.gaierror():
                return StreamError(failure(endpoint, "network", f"{what}: the name is not known ({cause.strerror})"))
            case OSError() if cause.errno:
                return StreamError(failure(endpoint, "network", f"{what}: {os.strerror(cause.errno)}"))
            case _:
                pass
    return StreamError(failure(endpoint, "network", f"{what}: {error}" if str(error) else what))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The errors behind an error, with those in groups."""
    for _ in range(10):
        if error is None:
            return
        yield error
        if isinstance(error, BaseExceptionGroup):
            for member in cast("tuple[BaseException, ...]", error.exceptions):
                yield from _causes(member)
        error = error.__cause__ or error.__context__
