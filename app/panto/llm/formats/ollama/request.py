"""The wire format ``ollama``: chat as ollama itself speaks it. Here is how a request is put.

Left to itself, ollama drops the beginning of a conversation that does not fit, without a word. So it is told not to,
and says that it does not fit. Servers too old to know of that take no notice.
"""

import base64
from collections.abc import Iterable, Sequence

from panto.json_values import JSONObject, object_at
from panto.llm.formats.ollama.answer import ChatDecoder
from panto.llm.formats.ollama.hints import hint_for
from panto.llm.formats.ollama.schema import readable
from panto.llm.images import ImageLimits
from panto.llm.names import ToolNames
from panto.llm.ndjson import NDJSON
from panto.llm.remembered import Plain, put_history
from panto.llm.sendable import Rules
from panto.llm.types import Endpoint, Request, ThinkingLevel, ThinkingStyle
from panto.llm.wire import Call, key_headers, with_parameters
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

ERROR = "Error: "
_OURS = frozenset({"model", "messages", "tools", "stream", "truncate", "shift"})
_OF_THE_REQUEST = frozenset({"format", "keep_alive", "think", "logprobs", "top_logprobs", "options"})
"""Parameters beside the options. All others (``temperature``, ``seed``) are options of the model."""
_IMAGES = ImageLimits(types=frozenset({"image/png", "image/jpeg", "image/webp"}))
_SWITCH: dict[ThinkingLevel, bool | str] = {"off": False, "low": True, "medium": True, "high": True}
_WORDS: dict[ThinkingLevel, bool | str] = {"off": False, "low": "low", "medium": "medium", "high": "high"}
_THINK: dict[ThinkingStyle, dict[ThinkingLevel, bool | str]] = {
    "switch": _SWITCH,
    "budget": _SWITCH,
    "effort": _WORDS,
    "adaptive": _WORDS,
}
"""What ``think`` is, by style and level; styles that are not here ask for nothing."""


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``/api/chat``. What changes from call to call, the messages, comes last."""
    body: JSONObject = {"model": request.model, "stream": True, "truncate": False, "shift": False}
    think = _THINK.get(request.thinking_style, {}).get(request.thinking) if request.thinking else None
    if think is not None:
        body["think"] = think
    parameters = {key: value for key, value in request.parameters.items() if key in _OF_THE_REQUEST | _OURS}
    body = with_parameters(body, parameters, _OURS)
    options = _options(request, endpoint)
    if options:
        body["options"] = options
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": names.to_wire(tool.name),
                    "description": tool.description,
                    "parameters": readable(tool.parameters),
                },
            }
            for tool in tools
        ]
    model = f"{endpoint.provider}/{request.model}"
    rules = Rules(goes_back=_goes_back, images=_IMAGES, sees_images=request.sees_images)
    fold = Plain(lambda messages: [item for message in messages for item in _message(message, names)])
    key = (request.sees_images, names.wire_names)
    put = put_history(request, rules, fold, key=key, provider=endpoint.provider)
    body["messages"] = [*_system(request.system), *put.with_items(put.fold.json(put.rest))]
    path = "/chat" if endpoint.base_url.rstrip("/").endswith("/api") else "/api/chat"
    decoder, headers = ChatDecoder(names, model), key_headers(endpoint)
    return Call(path, body, decoder, headers, framing=NDJSON, hint=hint_for(request, endpoint))


def _goes_back(opaque: JSONObject) -> bool:
    return opaque.get("field") == "thinking"


def _options(request: Request, endpoint: Endpoint) -> JSONObject:
    """The model's options: the room it has, the length of the answer, and what the parameters say."""
    given = {"num_ctx": endpoint.num_ctx, "num_predict": request.max_tokens}
    plain = {key: value for key, value in request.parameters.items() if key not in _OF_THE_REQUEST | _OURS}
    ours = {key: value for key, value in given.items() if value is not None}
    return {**ours, **plain, **object_at(request.parameters, "options")}


def _system(texts: Iterable[str]) -> list[JSONObject]:
    """One message: many models' templates take no more."""
    text = "\n\n".join(text for text in texts if text.strip())
    return [{"role": "system", "content": text}] if text else []


def _message(message: Message, names: ToolNames) -> Sequence[JSONObject]:
    match message:
        case System(text):
            return [{"role": "system", "content": text}]
        case User(parts):
            return [_user(parts)]
        case Assistant():
            return [_assistant(message, names)]
        case Tool(parts):
            return [_result(output, names) for output in parts]


def _user(parts: Sequence[Text | Image]) -> JSONObject:
    wire: JSONObject = {"role": "user", "content": "\n\n".join(part.text for part in parts if isinstance(part, Text))}
    images = [base64.b64encode(part.data).decode("ascii") for part in parts if isinstance(part, Image)]
    return {**wire, "images": images} if images else wire


def _assistant(message: Assistant, names: ToolNames) -> JSONObject:
    wire: JSONObject = {"role": "assistant", "content": message.text}
    thought = "".join(part.text for part in message.parts if isinstance(part, Thinking))
    if thought:
        wire["thinking"] = thought
    if message.calls:
        wire["tool_calls"] = [_call(call, names) for call in message.calls]
    return wire


def _call(call: ToolCall, names: ToolNames) -> JSONObject:
    return {"id": call.id, "function": {"name": names.to_wire(call.name), "arguments": call.arguments}}


def _result(output: ToolOutput, names: ToolNames) -> JSONObject:
    """A result says whose it is by name and by id: which of them counts is up to the model's template.

    The format has no mark for errors, so the text has to say it.
    """
    content = f"{ERROR}{output.text}" if output.is_error and not output.text.startswith(ERROR) else output.text
    named = {"tool_name": names.to_wire(output.name), "tool_call_id": output.call_id}
    return {"role": "tool", "content": content, **named}
