"""The wire format ``anthropic``: messages made of blocks. Here is how a request is put."""

import base64
from collections.abc import Iterable, Sequence
from itertools import groupby

from panto.json_values import JSONObject
from panto.llm.anthropic_stream import MessageDecoder
from panto.llm.names import ToolNames
from panto.llm.sendable import Rules, sendable
from panto.llm.types import Endpoint, Request
from panto.llm.wire import Call, WireFormat, with_parameters
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

DEFAULT_MAX_TOKENS = 8192
"""This API wants a bound. This one is taken by every model that is still served."""

_VERSION = "2023-06-01"
_RULES = Rules(thinking=frozenset({"signature", "redacted"}), call_id=r"[a-zA-Z0-9_-]{1,64}")
_OURS = frozenset({"model", "messages", "tools", "system", "stream"})
_CACHE: JSONObject = {"type": "ephemeral"}


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``/v1/messages``, with cache marks where the next one will be the same so far."""
    messages = sendable(request.messages, _RULES, f"{endpoint.provider}/{request.model}")
    body: JSONObject = {
        "model": request.model,
        "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
        "stream": True,
    }
    body = with_parameters(body, request.parameters, _OURS)
    system = [{"type": "text", "text": text} for text in request.system if text.strip()]
    if system:
        body["system"] = _marked(system)
    body.update(_tools(request, messages, names))
    body["messages"] = _turns(messages, names)
    headers = {"anthropic-version": _VERSION}
    if endpoint.api_key:
        headers["x-api-key"] = endpoint.api_key
    return Call("/messages" if endpoint.base_url.rstrip("/").endswith("/v1") else "/v1/messages", body, headers)


def _tools(request: Request, messages: Iterable[Message], names: ToolNames) -> JSONObject:
    """The tools, sorted. A history with calls needs tools even if none may be called now."""
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        return {"tools": _marked([_tool(names.to_wire(tool.name), tool.description, tool.parameters) for tool in tools])}
    called = {names.to_wire(call.name) for message in messages if isinstance(message, Assistant) for call in message.calls}
    if not called:
        return {}
    schema: JSONObject = {"type": "object", "properties": {}}
    return {"tools": [_tool(name, "", schema) for name in sorted(called)], "tool_choice": {"type": "none"}}


def _tool(name: str, description: str, schema: JSONObject) -> JSONObject:
    return {"name": name, "description": description, "input_schema": {"type": "object", **schema}}


def _turns(messages: Iterable[Message], names: ToolNames) -> list[JSONObject]:
    """The messages as turns of user and model. Results of tools and what the user says after them are one turn.

    There are cache marks on the last two turns of the user: on what the last request wrote, and on what this one adds.
    """
    turns = [
        ("assistant" if of_model else "user", [block for message in group for block in _blocks(message, names)])
        for of_model, group in groupby(messages, lambda message: isinstance(message, Assistant))
    ]
    marked = [place for place, (role, _) in enumerate(turns) if role == "user"][-2:]
    return [
        {"role": role, "content": _marked(blocks) if place in marked else blocks}
        for place, (role, blocks) in enumerate(turns)
    ]


def _blocks(message: Message, names: ToolNames) -> Sequence[JSONObject]:
    match message:
        case System(text):
            return [{"type": "text", "text": text}]
        case User(parts):
            return [_visible(part) for part in parts]
        case Assistant(parts):
            return [_said(part, names) for part in parts]
        case Tool(parts):
            return [_result(output) for output in parts]


def _visible(part: Text | Image) -> JSONObject:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    data = base64.b64encode(part.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": data}}


def _said(part: Text | Thinking | ToolCall, names: ToolNames) -> JSONObject:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case ToolCall(id_, name, arguments):
            return {"type": "tool_use", "id": id_, "name": names.to_wire(name), "input": arguments}
        case Thinking(text, opaque) if "redacted" in opaque:
            return {"type": "redacted_thinking", "data": opaque["redacted"]}
        case Thinking(text, opaque):
            return {"type": "thinking", "thinking": text, "signature": opaque["signature"]}


def _result(output: ToolOutput) -> JSONObject:
    text = [Text(output.text)] if output.text else []
    content = [_visible(part) for part in (*text, *output.images)]
    wire: JSONObject = {"type": "tool_result", "tool_use_id": output.call_id, "content": content}
    if output.is_error:
        wire["is_error"] = True
    return wire


def _marked(blocks: Sequence[JSONObject]) -> list[JSONObject]:
    """The blocks with a cache mark on the last."""
    return [*blocks[:-1], {**blocks[-1], "cache_control": _CACHE}]


FORMAT = WireFormat(encode, MessageDecoder)
