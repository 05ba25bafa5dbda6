"""The wire format ``anthropic``: messages made of blocks. Here is how a request is put."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from panto.json_values import JSONObject, object_at, text_at
from panto.llm.formats.anthropic.answer import MessageDecoder
from panto.llm.formats.anthropic.blocks import THINKING_BLOCKS, blocks_of
from panto.llm.formats.anthropic.thinking import INTERLEAVED, KEY, thinking_parameters
from panto.llm.names import ToolNames
from panto.llm.remembered import put_history
from panto.llm.sendable import Rules
from panto.llm.turns import Turn, Turns, latest_answer, latest_two_of_the_user
from panto.llm.types import Endpoint, Request
from panto.llm.wire import Call, with_parameters
from panto.messages import Assistant

DEFAULT_MAX_TOKENS = 8192
"""This API wants a bound. This one is taken by every model that is still served."""

_VERSION = "2023-06-01"
_OURS = frozenset({"model", "messages", "tools", "system", "stream"})
_NOT_WHILE_THINKING = frozenset({"temperature", "top_k", "top_p"})
"""What this API refuses of a request that asks for thinking."""
_CACHE: JSONObject = {"type": "ephemeral"}


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``/v1/messages``, with cache marks where the next one will be the same so far."""
    model = f"{endpoint.provider}/{request.model}"
    max_tokens = request.max_tokens or DEFAULT_MAX_TOKENS
    request = replace(request, parameters=_with_thinking(request, max_tokens))
    asked = asks_for_thinking(request)
    put = _put(request, names, endpoint.provider, asked=asked)
    if asked and _must_not_think(request, put.turns):
        request = replace(request, parameters={key: value for key, value in request.parameters.items() if key != KEY})
        asked = False
        put = _put(request, names, endpoint.provider, asked=asked)
    body: JSONObject = {"model": request.model, "max_tokens": max_tokens, "stream": True}
    given = {key: value for key, value in request.parameters.items() if not (asked and key in _NOT_WHILE_THINKING)}
    body = with_parameters(body, given, _OURS)
    if put.system:
        body["system"] = _marked(put.system)
    if put.tools:
        body["tools"] = _marked(put.tools)
    if put.tools and not request.tools:
        body["tool_choice"] = {"type": "none"}
    body["messages"] = put.messages
    headers = {"anthropic-version": _VERSION}
    if put.tools and text_at(request.parameters, KEY, "type") == "enabled":
        headers["anthropic-beta"] = INTERLEAVED
    if endpoint.api_key:
        headers["x-api-key"] = endpoint.api_key
    path = "/messages" if endpoint.base_url.rstrip("/").endswith("/v1") else "/v1/messages"
    opaque: JSONObject = {"prefix": put.prefix, **({"asked": True} if asked else {})}
    return Call(path, body, MessageDecoder(names, model, opaque), headers)


def _with_thinking(request: Request, max_tokens: int) -> JSONObject:
    """The parameters with what asks for thinking. What they say of it themselves counts more."""
    if KEY in request.parameters:
        return request.parameters
    asked = thinking_parameters(request, max_tokens)
    both = {key: {**object_at(asked, key), **object_at(request.parameters, key)} for key in asked}
    return {**request.parameters, **both}


@dataclass(frozen=True)
class _Put:
    """What of a request the model reads; ``prefix`` is a digest of all of it, without cache marks.

    ``turns`` are the last ones, ``messages`` all of them as they are sent.
    """

    system: list[JSONObject]
    tools: list[JSONObject]
    turns: list[Turn]
    messages: list[object]
    prefix: str


def _put(request: Request, names: ToolNames, provider: str, *, asked: bool) -> _Put:
    system: list[JSONObject] = [{"type": "text", "text": text} for text in request.system if text.strip()]
    tools = _tools(request, names)
    fold = Turns(lambda message: blocks_of(message, names), {"system": system, "tools": tools})
    rules = _rules(asked=asked, sees_images=request.sees_images)
    put = put_history(request, rules, fold, key=(fold.digest, asked, request.sees_images), provider=provider)
    turns = put.fold.feed(put.rest)
    return _Put(system, tools, turns, put.with_items(_messages(turns)), put.fold.digest)


def asks_for_thinking(request: Request) -> bool:
    """Whether thinking is asked for. Models may think all the same."""
    return text_at(request.parameters, KEY, "type") in ("enabled", "adaptive")


def _must_not_think(request: Request, turns: Sequence[Turn]) -> bool:
    """Whether the model goes on, after results of tools, with an answer that it began without thinking.

    In the mode ``enabled``, the API refuses that.
    """
    answer = latest_answer(turns)
    return (
        text_at(request.parameters, KEY, "type") == "enabled"
        and answer is not None
        and any(block["type"] == "tool_use" for block in answer.blocks)
        and answer.blocks[0]["type"] not in THINKING_BLOCKS
    )


def _rules(*, asked: bool, sees_images: bool) -> Rules:
    """Thinking that was asked for may only go back where it is asked for again."""

    def goes_back(opaque: JSONObject) -> bool:
        return ("signature" in opaque or "redacted" in opaque) and (asked or "asked" not in opaque)

    return Rules(goes_back=goes_back, images_in_results=True, call_id=r"[a-zA-Z0-9_-]{1,64}", sees_images=sees_images)


def _tools(request: Request, names: ToolNames) -> list[JSONObject]:
    """The tools, sorted. A history with calls needs tools even if none may be called now."""
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        return [_tool(names.to_wire(tool.name), tool.description, tool.parameters) for tool in tools]
    calls = (call for message in request.messages if isinstance(message, Assistant) for call in message.calls)
    schema: JSONObject = {"type": "object", "properties": {}}
    return [_tool(name, "", schema) for name in sorted({names.to_wire(call.name) for call in calls})]


def _tool(name: str, description: str, schema: JSONObject) -> JSONObject:
    return {"name": name, "description": description, "input_schema": {"type": "object", **schema}}


def _marked(blocks: Sequence[JSONObject]) -> list[JSONObject]:
    """The blocks with a cache mark on the last."""
    return [*blocks[:-1], {**blocks[-1], "cache_control": _CACHE}]


def _messages(turns: Sequence[Turn]) -> list[JSONObject]:
    """The turns with cache marks on the user's last two: on what the last request wrote, and on what this one adds."""
    marked = latest_two_of_the_user(turns)
    return [
        Turn(turn.role, _marked(turn.blocks)).json() if place in marked else turn.json()
        for place, turn in enumerate(turns)
    ]
