"""A question to a server that is no request to a model: JSON comes back, or a failure. Nothing is taken on trust."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from panto.json_values import JSONObject
from panto.llm.client import Clients
from panto.llm.failures import StreamError, failure, refusal
from panto.llm.json_text import from_json, to_json
from panto.llm.stream import client_of, header_value, redacted, unlocked
from panto.llm.types import Endpoint
from panto.llm.wire import key_headers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import httpx

MAX_BODY = 16 * 1024 * 1024
"""Bytes: several times the longest list there is."""


class Asker:
    """Asks one server, with its key. Every answer has to come within the time given to all of them."""

    def __init__(self, endpoint: Endpoint, clients: Clients) -> None:
        self.endpoint = endpoint
        self._clients = clients

    async def get(self, url: str, query: Mapping[str, str] | None = None) -> object:
        """What the server answers to a GET. Raises `StreamError`."""
        return await self._ask("GET", url, query or {}, None)

    async def post(self, url: str, body: JSONObject) -> object:
        """What the server answers to a POST of JSON. Raises `StreamError`."""
        return await self._ask("POST", url, {}, to_json(body))

    async def _ask(self, method: str, url: str, query: Mapping[str, str], body: bytes | None) -> object:
        endpoint = await unlocked(self.endpoint)
        try:
            status, headers, answer = await self._exchanged(endpoint, method, url, query, body)
            if status != 200:
                raise StreamError(refusal(endpoint, status, headers, answer))
        except StreamError as error:
            raise StreamError(redacted(error.failure, endpoint)) from None
        try:
            return await asyncio.to_thread(from_json, answer)
        except ValueError:
            raise StreamError(failure(endpoint, "protocol", "the answer is no JSON", "check base_url")) from None

    async def _exchanged(
        self, endpoint: Endpoint, method: str, url: str, query: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        client = await client_of(endpoint, self._clients)
        from panto.llm.connection_errors import connection_trouble  # noqa: PLC0415 - these need httpx,
        from panto.llm.exchange import BROKEN  # noqa: PLC0415 - which the client has loaded by now

        asked = {**endpoint.query, **query}
        whole = f"{url}?{urlencode(asked)}" if asked else url
        try:
            request = client.build_request(method, whole, content=body, headers=_headers(endpoint, body))
            response = await client.send(request, stream=True)
            try:
                return response.status_code, response.headers, await self._body(response)
            finally:
                await response.aclose()
        except BROKEN as error:
            raise connection_trouble(endpoint, error) from error

    async def _body(self, response: "httpx.Response") -> bytes:
        read = bytearray()
        chunks = cast("AsyncGenerator[bytes, None]", response.aiter_bytes())  # which it is, though less is promised
        async with aclosing(chunks):
            async for chunk in chunks:
                read += chunk
                if len(read) > MAX_BODY:
                    what = f"the answer is longer than {MAX_BODY} bytes"
                    raise StreamError(failure(self.endpoint, "protocol", what))
        return bytes(read)


def _headers(endpoint: Endpoint, body: bytes | None) -> dict[str, str]:
    """The headers that the provider wants, with the key where its API has it. Raises `StreamError`."""
    own: dict[str, str] = {
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "panto-py",
        **({"content-type": "application/json"} if body is not None else {}),
    }
    if endpoint.api == "anthropic":
        own["anthropic-version"] = "2023-06-01"
        keys = {"x-api-key": endpoint.api_key} if endpoint.api_key else {}
    elif endpoint.api == "gemini":
        keys = {"x-goog-api-key": endpoint.api_key} if endpoint.api_key else {}
    else:
        keys = key_headers(endpoint)
    headers = {**own, **keys, **{name.lower(): value for name, value in endpoint.headers.items()}}
    return {name: header_value(endpoint, name, value) for name, value in headers.items()}
