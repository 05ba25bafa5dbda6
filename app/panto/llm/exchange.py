"""A request over HTTP, and its answer's events as they come. Loads httpx, so it is imported on first use."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from functools import lru_cache
from typing import cast

import httpx

from panto.llm.connection_errors import connection_trouble
from panto.llm.failures import StreamError, error_in, failure, refusal, reported
from panto.llm.framing import Framing, FramingError, ServerEvent
from panto.llm.json_text import from_json
from panto.llm.types import Endpoint, Failure, StreamEvent
from panto.llm.wire import END_WAIT, Call, Decoder, Post, ServerError

MAX_ANSWER = 128 * 1024 * 1024
"""Bytes of an answer: many times the longest there is, and little enough not to fill the memory."""
MAX_BODY = 1024 * 1024
"""Bytes of a body that is no stream of events, such as an error's."""
_BODY_WAIT = 10.0
BROKEN = (httpx.HTTPError, httpx.InvalidURL, OSError)
"""What is raised when a connection can not be had, or does not last."""


async def exchange(
    client: httpx.AsyncClient, post: Post, endpoint: Endpoint, call: Call
) -> AsyncGenerator[list[StreamEvent], None]:
    """Send a call, put into a post, and feed its answer to its decoder, until it is whole. Raises `StreamError`.

    What comes out are the deltas of one chunk at a time.
    """
    decoder = call.decoder
    response = await _send(client, post, endpoint)
    try:
        if response.status_code != 200:
            raise StreamError(
                refusal(endpoint, response.status_code, response.headers, await _body(response, endpoint))
            )
        reader = _Reader(response, endpoint, call.framing)
        async with aclosing(_chunks(response, endpoint, decoder)) as chunks:
            async for chunk in chunks:
                deltas: list[StreamEvent] = []
                error = _read(reader.feed(chunk), decoder, endpoint, deltas)
                if deltas:
                    yield deltas
                if error is not None:
                    raise error
        if decoder.patience is None:
            deltas = []
            error = _read(reader.end(), decoder, endpoint, deltas)
            yield deltas
            if error is not None or decoder.patience is None:
                raise error or StreamError(reader.ended_early())
    finally:
        await response.aclose()


async def _send(client: httpx.AsyncClient, post: Post, endpoint: Endpoint) -> httpx.Response:
    """Send the request and wait for the beginning of the answer."""
    limit = endpoint.stall_timeout if endpoint.header_timeout is None else endpoint.header_timeout
    try:
        async with asyncio.timeout(limit):
            patience = {"timeout": client.timeout.as_dict()}
            request = httpx.Request(
                "POST", _address(post.url), content=post.body, headers=post.headers, extensions=patience
            )
            return await client.send(request, stream=True)
    except TimeoutError:
        raise StreamError(failure(endpoint, "stalled", f"no answer within {limit:g} s")) from None
    except BROKEN as error:
        raise connection_trouble(endpoint, error) from error


@lru_cache(maxsize=32)
def _address(url: str) -> httpx.URL:
    """An address, taken apart once: each request of a session goes to the same."""
    return httpx.URL(url)


async def _chunks(response: httpx.Response, endpoint: Endpoint, decoder: Decoder) -> AsyncGenerator[bytes, None]:
    """The answer's bytes, for as long as they are worth waiting for. Any byte, also a comment's, is a sign of life."""
    now = asyncio.get_running_loop().time
    patience: float | None = None
    until = 0.0
    async with aclosing(_bytes(response)) as chunks:
        while True:
            if decoder.patience != patience:
                patience = decoder.patience
                until = now() + (patience or 0.0)
            try:
                async with asyncio.timeout_at(now() + endpoint.stall_timeout if patience is None else until):
                    chunk = await anext(chunks, None)
            except BROKEN as error:  # TimeoutError is one of them
                if patience is not None:
                    return  # the answer is whole: how the connection ends is no matter
                if isinstance(error, TimeoutError):
                    what = f"nothing came for {endpoint.stall_timeout:g} s in the midst of the answer"
                    raise StreamError(failure(endpoint, "stalled", what)) from None
                raise connection_trouble(endpoint, error) from error
            if chunk is None:
                return
            yield chunk


def _bytes(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    return cast("AsyncGenerator[bytes, None]", response.aiter_bytes())  # which it is, though httpx promises less


async def _body(response: httpx.Response, endpoint: Endpoint) -> bytes:
    """The body of an error, as far as it comes: the status alone has to do if it does not."""
    now = asyncio.get_running_loop().time
    body = bytearray()
    until = now() + min(_BODY_WAIT, endpoint.stall_timeout)
    try:
        async with aclosing(_bytes(response)) as chunks:
            while len(body) <= MAX_BODY:
                async with asyncio.timeout_at(until):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                body += chunk
                if _whole_json(body) is not None:
                    until = min(until, now() + END_WAIT)
    except BROKEN:
        pass
    return bytes(body)


def _read(
    events: Iterator[ServerEvent], decoder: Decoder, endpoint: Endpoint, deltas: list[StreamEvent]
) -> StreamError | None:
    """Feed events to the decoder and collect the deltas; what comes back is the error at which that ended."""
    try:
        for event in events:
            deltas += decoder.feed(event)
    except StreamError as error:
        return error
    except ServerError as error:
        return StreamError(reported(endpoint, error.error))
    except ValueError as error:
        return StreamError(failure(endpoint, "protocol", f"the answer can't be read: {error}"))
    return None


class _Reader:
    """Finds the events in an answer, or what the server sent in place of them."""

    def __init__(self, response: httpx.Response, endpoint: Endpoint, framing: Framing) -> None:
        self._type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self._endpoint = endpoint
        self._framing = framing
        self._events = framing.reader()
        self._size = 0
        self._found = False
        self._body = bytearray()

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that a chunk completes. Raises `StreamError`."""
        self._size += len(chunk)
        if self._size > MAX_ANSWER:
            raise StreamError(failure(self._endpoint, "protocol", f"the answer is longer than {MAX_ANSWER} bytes"))
        try:
            for event in self._events.feed(chunk):
                self._found = True
                yield event
        except FramingError as error:
            raise StreamError(failure(self._endpoint, "protocol", str(error))) from None
        if not self._found:
            yield from self._in_place(chunk)

    def end(self) -> Iterator[ServerEvent]:
        """The event that the answer's end completes, if there is one. One that was cut off is no event."""
        for event in self._events.end():
            if event.data == b"[DONE]" or _whole_json(event.data) is not None:
                self._found = True
                yield event

    def ended_early(self) -> Failure:
        """Why an answer that ended is not whole."""
        if self._found:
            return failure(self._endpoint, "network", "the connection was closed in the midst of the answer")
        if self._type != self._framing.media_type and self._body.strip():
            what = f"the server answered with {self._type[:80] or 'something'}, not with a stream of events"
            hint = f"check base_url and api of [providers.{self._endpoint.provider}]"
            return failure(self._endpoint, "protocol", what, hint)
        return failure(self._endpoint, "network", "the connection was closed without an answer")

    def _in_place(self, chunk: bytes) -> Iterator[ServerEvent]:
        """A body of JSON: an error, or the answer in one piece, which is taken for an event."""
        if len(self._body) <= MAX_BODY:
            self._body += chunk
            value = _whole_json(self._body)
            error = error_in(value)
            if error is not None:
                raise StreamError(reported(self._endpoint, error))
            if value is not None and self._framing.whole_body:
                self._found = True
                yield ServerEvent("", bytes(self._body))


def _whole_json(data: bytes | bytearray) -> object:
    """The JSON object or array that the data is, if it is one and all there."""
    text = data.strip()
    if text[:1] + text[-1:] not in (b"{}", b"[]"):
        return None
    try:
        return from_json(bytes(text))
    except ValueError:
        return None
