"""One request to a model, and its answer as a stream of events that ends with exactly one `Done` or `Failed`."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from panto.llm.client import ClientError, Clients
from panto.llm.failures import StreamError, failure
from panto.llm.formats import FORMATS, wire_format
from panto.llm.json_text import to_json
from panto.llm.names import tool_names
from panto.llm.refused import refused_in
from panto.llm.types import AccessError, Done, Endpoint, Failed, Failure, Request, StreamEvent
from panto.llm.wire import Call, Post, RequestError
from panto.messages import Assistant

if TYPE_CHECKING:
    import httpx

_SHORTEST_SECRET = 8
"""Characters: what is shorter would be found by chance in the words of any error."""
_SECRET_HEADERS = ("auth", "key", "token", "secret", "cookie")


async def stream(request: Request, endpoint: Endpoint, clients: Clients) -> AsyncGenerator[StreamEvent, None]:
    """Make one request. Whatever the server does, this raises nothing and ends with one `Done` or `Failed`.

    Closing the generator, or cancelling what iterates it, closes the connection at once. Use with
    `contextlib.aclosing`.
    """
    model = f"{endpoint.provider}/{request.model}"
    call: Call | None = None
    post: Post | None = None
    try:
        endpoint = await unlocked(endpoint)
        call = _call(request, endpoint)
        post = _post(call, endpoint)
        client = await client_of(endpoint, clients)
        from panto.llm.exchange import exchange  # noqa: PLC0415 - needs httpx, which the client has loaded by now

        async with aclosing(exchange(client, post, endpoint, call)) as batches:
            async for deltas in batches:
                for delta in deltas:
                    yield delta
        end = Done(call.decoder.message())
    except StreamError as error:
        failed = redacted(error.failure, endpoint)
        hint = call.hint(failed) if call and call.hint else ""
        refused = refused_in(failed.item, post.body, request) if post and failed.item else failed.refused
        failed = replace(failed, hint=hint or failed.hint, refused=refused)
        if failed.kind == "auth" and endpoint.credentials is not None:
            endpoint.credentials.forget()
        nothing = Assistant(model=model, stop="error", error=failed.message)
        end = Failed(call.decoder.message(failed.message) if call else nothing, failed)
    yield end
    if request.memory is not None:
        request.memory.catch_up()


async def unlocked(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its key. Raises `StreamError`."""
    if endpoint.credentials is None:
        return endpoint
    try:
        access = await endpoint.credentials.get()
    except AccessError as error:
        raise StreamError(failure(endpoint, "auth", str(error), error.hint)) from None
    return replace(
        endpoint,
        api_key=access.api_key,
        headers={**endpoint.headers, **access.headers},
        base_url=access.base_url or endpoint.base_url,
        region=access.region or endpoint.region,
        signer=access.signer or endpoint.signer,
    )


def _call(request: Request, endpoint: Endpoint) -> Call:
    """The request in the endpoint's wire format."""
    if endpoint.api not in FORMATS:
        hint = f"set api of [providers.{endpoint.provider}] to one of {', '.join(FORMATS)}"
        raise StreamError(failure(endpoint, "config", f"there is no wire format {endpoint.api!r}", hint))
    try:
        return wire_format(endpoint.api)(request, endpoint, tool_names(tuple(tool.name for tool in request.tools)))
    except (RequestError, TypeError, RecursionError) as error:  # what extensions put into parameters and schemas
        raise StreamError(failure(endpoint, "config", f"the request can't be made: {error}", "")) from None


def _post(call: Call, endpoint: Endpoint) -> Post:
    """The call as bytes."""
    try:
        body = to_json(call.body)
    except (TypeError, RecursionError) as error:  # as above
        raise StreamError(failure(endpoint, "config", f"the request can't be made: {error}", "")) from None
    base = endpoint.base_url.rstrip("/")
    headers = {
        "accept": call.framing.media_type,
        "accept-encoding": "identity",
        "content-type": "application/json",
        "user-agent": "panto-py",
        **call.headers,
        **{name.lower(): value for name, value in endpoint.headers.items()},
    }
    url = base if base.endswith(call.path) else base + call.path
    if endpoint.query:
        url += ("&" if "?" in url else "?") + urlencode(endpoint.query)
    post = Post(url, body, {name: header_value(endpoint, name, value) for name, value in headers.items()})
    return _signed(call, post, endpoint)


def _signed(call: Call, post: Post, endpoint: Endpoint) -> Post:
    if call.sign is None:
        return post
    try:
        return call.sign(post)
    except RequestError as error:
        hint = f"see to the keys of [providers.{endpoint.provider}]"
        raise StreamError(failure(endpoint, "auth", f"the request can't be signed: {error}", hint)) from None


def header_value(endpoint: Endpoint, name: str, value: str) -> str:
    """A header's value, if it can be one. It may be secret, so it is not shown. Raises `StreamError`."""
    value = value.strip()
    if value.isascii() and value.isprintable():
        return value
    where = endpoint.key_source or f"the settings of [providers.{endpoint.provider}]"
    raise StreamError(failure(endpoint, "config", f"the header {name} can't hold what {where} says", "check the key"))


async def client_of(endpoint: Endpoint, clients: Clients) -> "httpx.AsyncClient":
    """The client for an endpoint. Raises `StreamError`."""
    try:
        return await clients.get(endpoint)
    except ClientError as error:
        raise StreamError(failure(endpoint, "config", str(error), error.hint)) from None


def redacted(failed: Failure, endpoint: Endpoint) -> Failure:
    """The failure without the key and other secrets, which servers and libraries may quote."""
    message = failed.message
    for secret in _secrets(endpoint):
        message = message.replace(secret, "[secret]")
    return replace(failed, message=message)


def _secrets(endpoint: Endpoint) -> Iterable[str]:
    headers = (
        value for name, value in endpoint.headers.items() if any(word in name.lower() for word in _SECRET_HEADERS)
    )
    for secret in (endpoint.api_key, *headers, *(endpoint.signer.secrets if endpoint.signer else ())):
        if len(secret.strip()) >= _SHORTEST_SECRET:
            yield secret.strip()
