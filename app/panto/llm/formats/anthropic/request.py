"""The wire format ``anthropic``: messages made of blocks. Here is how a request is put."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from panto.json_values import JSONObject, text_at
from panto.llm.formats.anthropic.answer import MessageDecoder
from panto.llm.formats.anthropic.turns import THINKING_BLOCKS, Turn, turns_of
from panto.llm.names import ToolNames
from panto.llm.sendable import Rules, sendable
from panto.llm.types import Endpoint, Request
from panto.llm.wire import Call, with_parameters
from panto.messages import Assistant, Message

DEFAULT_MAX_TOKENS = 8192
"""This API wants a bound. This one is taken by every model that is still served."""

_VERSION = "2023-06-01"
_OURS = frozenset({"model", "messages", "tools", "system", "stream"})
_KEY = "thinking"
_CACHE: JSONObject = {"type": "ephemeral"}


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``/v1/messages``, with cache marks where the next one will be the same so far."""
    model = f"{endpoint.provider}/{request.model}"
    asked = asks_for_thinking(request)
    put = _put(request, names, model, asked=asked)
    if asked and _must_not_think(request, put.turns):
        request = replace(request, parameters={key: value for key, value in request.parameters.items() if key != _KEY})
        asked = False
        put = _put(request, names, model, asked=asked)
    body: JSONObject = {
        "model": request.model,
        "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
        "stream": True,
    }
    body = with_parameters(body, request.parameters, _OURS)
    if put.system:
        body["system"] = _marked(put.system)
    if put.tools:
        body["tools"] = _marked(put.tools)
    if put.tools and not request.tools:
        body["tool_choice"] = {"type": "none"}
    body["messages"] = _messages(put.turns)
    headers = {"anthropic-version": _VERSION}
    if endpoint.api_key:
        headers["x-api-key"] = endpoint.api_key
    path = "/messages" if endpoint.base_url.rstrip("/").endswith("/v1") else "/v1/messages"
    opaque: JSONObject = {"prefix": put.prefix, **({"asked": True} if asked else {})}
    return Call(path, body, MessageDecoder(names, model, opaque), headers)


@dataclass(frozen=True)
class _Put:
    """What of a request the model reads, without cache marks; ``prefix`` is a digest of all of it."""

    system: list[JSONObject]
    tools: list[JSONObject]
    turns: list[Turn]
    prefix: str


def _put(request: Request, names: ToolNames, model: str, *, asked: bool) -> _Put:
    messages = sendable(request.messages, _rules(asked=asked), model)
    system: list[JSONObject] = [{"type": "text", "text": text} for text in request.system if text.strip()]
    tools = _tools(request, messages, names)
    turns, prefix = turns_of(messages, names, {"system": system, "tools": tools})
    return _Put(system, tools, turns, prefix)


def asks_for_thinking(request: Request) -> bool:
    """Whether thinking is asked for. Models may think all the same."""
    return text_at(request.parameters, _KEY, "type") in ("enabled", "adaptive")


def _must_not_think(request: Request, turns: Sequence[Turn]) -> bool:
    """Whether the model goes on, after results of tools, with an answer that it began without thinking.

    In the mode ``enabled``, the API refuses that.
    """
    answer = next((turn for turn in reversed(turns) if turn.role == "assistant"), None)
    return (
        text_at(request.parameters, _KEY, "type") == "enabled"
        and answer is not None
        and answer.has("tool_use")
        and answer.blocks[0]["type"] not in THINKING_BLOCKS
    )


def _rules(*, asked: bool) -> Rules:
    """Thinking that was asked for may only go back where it is asked for again."""

    def goes_back(opaque: JSONObject) -> bool:
        return ("signature" in opaque or "redacted" in opaque) and (asked or "asked" not in opaque)

    return Rules(goes_back=goes_back, images_in_results=True, call_id=r"[a-zA-Z0-9_-]{1,64}")


def _tools(request: Request, messages: Iterable[Message], names: ToolNames) -> list[JSONObject]:
    """The tools, sorted. A history with calls needs tools even if none may be called now."""
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        return [_tool(names.to_wire(tool.name), tool.description, tool.parameters) for tool in tools]
    calls = (call for message in messages if isinstance(message, Assistant) for call in message.calls)
    schema: JSONObject = {"type": "object", "properties": {}}
    return [_tool(name, "", schema) for name in sorted({names.to_wire(call.name) for call in calls})]


def _tool(name: str, description: str, schema: JSONObject) -> JSONObject:
    return {"name": name, "description": description, "input_schema": {"type": "object", **schema}}


def _marked(blocks: Sequence[JSONObject]) -> list[JSONObject]:
    """The blocks with a cache mark on the last."""
    return [*blocks[:-1], {**blocks[-1], "cache_control": _CACHE}]


def _messages(turns: Sequence[Turn]) -> list[JSONObject]:
    """The turns with cache marks on the user's last two: on what the last request wrote, and on what this one adds."""
    marked = [place for place, turn in enumerate(turns) if turn.role == "user"][-2:]
    return [
        {"role": turn.role, "content": _marked(turn.blocks) if place in marked else turn.blocks}
        for place, turn in enumerate(turns)
    ]
