"""The wire format ``openai-chat``: chat completions, which most servers speak. Here is how a request is put."""

import base64
from collections.abc import Iterable, Sequence

from panto.json_values import JSONObject, array_at
from panto.llm.answer import as_json_text
from panto.llm.formats.openai_chat.answer import ChatDecoder
from panto.llm.formats.openai_chat.thinking import thinking_parameters
from panto.llm.names import ToolNames
from panto.llm.remembered import Plain, put_history
from panto.llm.sendable import Rules
from panto.llm.types import Endpoint, Quirks, Request
from panto.llm.wire import Call, key_headers, with_parameters
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

ERROR = "Error: "
LONGEST_CACHE_KEY = 64
"""Characters that the API takes."""
_OURS = frozenset({"model", "messages", "tools", "stream"})


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``/chat/completions``. What changes from call to call, the messages, comes last."""
    quirks = endpoint.quirks
    body: JSONObject = {"model": request.model, "stream": True}
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    if request.max_tokens is not None:
        body[quirks.max_tokens_field] = request.max_tokens
    if quirks.cache_key and request.session:
        body["prompt_cache_key"] = request.session[:LONGEST_CACHE_KEY]
    body.update(thinking_parameters(request, quirks))
    body = with_parameters(body, request.parameters, _OURS)
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": names.to_wire(tool.name),
                    "description": tool.description,
                    "parameters": {"type": "object", **tool.parameters},
                },
            }
            for tool in tools
        ]
    body["messages"] = [*_system(request.system), *_history(request, endpoint, names)]
    decoder = ChatDecoder(names, f"{endpoint.provider}/{request.model}")
    return Call("/chat/completions", body, decoder, key_headers(endpoint))


def _history(request: Request, endpoint: Endpoint, names: ToolNames) -> list[object]:
    rules = _rules(endpoint.quirks, sees_images=request.sees_images)
    fold = Plain(lambda messages: [item for message in messages for item in _message(message, names)])
    key = (endpoint.quirks, request.sees_images, names.wire_names)
    put = put_history(request, rules, fold, key=key, provider=endpoint.provider)
    return put.with_items(put.fold.json(put.rest))


def _rules(quirks: Quirks, *, sees_images: bool) -> Rules:
    return Rules(
        goes_back=lambda opaque: quirks.replay_reasoning and ("field" in opaque or "details" in opaque),
        late_system=quirks.late_system,
        merge_users=quirks.merge_users,
        assistant_after_tools=quirks.assistant_after_tools,
        call_id=quirks.call_id,
        sees_images=sees_images,
    )


def _system(texts: Iterable[str]) -> list[JSONObject]:
    """One message: several servers' templates take no more."""
    text = "\n\n".join(text for text in texts if text.strip())
    return [{"role": "system", "content": text}] if text else []


def _message(message: Message, names: ToolNames) -> Sequence[JSONObject]:
    match message:
        case System(text):
            return [{"role": "system", "content": text}]
        case User(parts):
            return [{"role": "user", "content": _content(parts)}]
        case Assistant():
            return [_assistant(message, names)]
        case Tool(parts):
            return [_result(output) for output in parts]


def _content(parts: Sequence[Text | Image]) -> object:
    if all(isinstance(part, Text) for part in parts):
        return "\n\n".join(part.text for part in parts if isinstance(part, Text))
    return [_part(part) for part in parts]


def _part(part: Text | Image) -> JSONObject:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    data = base64.b64encode(part.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def _assistant(message: Assistant, names: ToolNames) -> JSONObject:
    calls = message.calls
    wire: JSONObject = {"role": "assistant", "content": message.text or None}
    thoughts = [part for part in message.parts if isinstance(part, Thinking)]
    details = [block for thought in thoughts for block in array_at(thought.opaque, "details")]
    field = thoughts[0].opaque.get("field") if thoughts else None
    if details:
        wire["reasoning_details"] = details
    elif calls and isinstance(field, str):
        wire[field] = "".join(thought.text for thought in thoughts)
    if calls:
        wire["tool_calls"] = [_call(call, names) for call in calls]
    return wire


def _call(call: ToolCall, names: ToolNames) -> JSONObject:
    function = {"name": names.to_wire(call.name), "arguments": as_json_text(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _result(output: ToolOutput) -> JSONObject:
    """The format has no mark for errors, so the text has to say it."""
    content = f"{ERROR}{output.text}" if output.is_error and not output.text.startswith(ERROR) else output.text
    return {"role": "tool", "tool_call_id": output.call_id, "content": content}
