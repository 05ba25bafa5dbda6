"""What the chat API of ollama takes: all that its own types can be read from, and no more.

Ollama passes over names that it does not know, and leaves it to each model's template what to make of a conversation.
So this is stricter: names are known ones, and results of tools stand behind their calls.
"""

import base64
import binascii
from collections.abc import Callable, Mapping

from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_count, is_number, is_object, name_of_type
from tests.support.llm.images import picture_of

Test = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _truth(value: object) -> bool:
    return isinstance(value, bool)


def _texts(value: object) -> bool:
    return is_array(value) and all(isinstance(item, str) for item in value)


PARAMETERS: dict[str, Test] = {
    "model": lambda value: isinstance(value, str) and value != "",
    "messages": is_array,
    "tools": is_array,
    "stream": _truth,
    "truncate": _truth,
    "shift": _truth,
    "think": lambda value: isinstance(value, bool) or value in ("low", "medium", "high", "max"),
    "format": lambda value: value == "json" or is_object(value),
    "keep_alive": lambda value: isinstance(value, str) or is_number(value),
    "options": is_object,
    "logprobs": _truth,
    "top_logprobs": lambda value: is_count(value) and 0 <= value <= 20,
}

OPTIONS: dict[str, Test] = {
    **dict.fromkeys(("num_ctx", "num_keep", "num_batch", "num_gpu", "num_thread"), is_count),
    **dict.fromkeys(("seed", "num_predict", "top_k", "repeat_last_n", "main_gpu"), is_count),
    **dict.fromkeys(("temperature", "top_p", "min_p", "typical_p"), is_number),
    **dict.fromkeys(("repeat_penalty", "presence_penalty", "frequency_penalty"), is_number),
    "use_mmap": _truth,
    "stop": _texts,
}

FIELDS: dict[str, dict[str, Test]] = {
    "system": {"role": _text, "content": _text},
    "user": {"role": _text, "content": _text, "images": is_array},
    "assistant": {"role": _text, "content": _text, "thinking": _text, "tool_calls": is_array},
    "tool": {"role": _text, "content": _text, "tool_name": _text, "tool_call_id": _text},
}

PROPERTY: dict[str, Test] = {
    "type": lambda value: isinstance(value, str) or _texts(value),
    "description": _text,
    "enum": is_array,
    "required": _texts,
}


def check_body(body: JSONObject) -> None:
    """Raise `RefusedError` for what ollama, or one of the models' templates, would not take."""
    for name in ("model", "messages"):
        if name not in body:
            raise RefusedError(f"{name} is required")
    _check_fields(body, PARAMETERS, "ChatRequest")
    options = body.get("options")
    if is_object(options):
        _check_fields(options, OPTIONS, "ChatRequest.options")
    messages = body["messages"]
    if not is_array(messages) or not messages:
        raise RefusedError("messages must not be empty: the model would only be loaded")
    _check_conversation([_message(message, place) for place, message in enumerate(messages)])
    tools = body.get("tools")
    for place, tool in enumerate(tools if is_array(tools) else []):
        _check_tool(tool, f"ChatRequest.tools.{place}")


def _check_fields(given: JSONObject, known: Mapping[str, Test], path: str) -> None:
    for name, value in given.items():
        if name not in known:
            raise RefusedError(f"{path} has no field {name}")
        if not known[name](value):
            raise RefusedError(f"json: cannot unmarshal {name_of_type(value)} into Go struct field {path}.{name}")


def _message(message: object, place: int) -> JSONObject:
    path = f"ChatRequest.messages.{place}"
    if not is_object(message) or message.get("role") not in FIELDS:
        raise RefusedError(f"{path}: no message of a role that there is")
    role = str(message["role"])
    _check_fields(message, FIELDS[role], path)
    if not isinstance(message.get("content"), str):
        raise RefusedError(f"{path}.content is required")
    if not str(message["content"]).strip() and not (message.get("images") or message.get("tool_calls")):
        raise RefusedError(f"{path}.content must not be blank")
    images = message.get("images")
    for image in images if is_array(images) else []:
        _check_image(image, f"{path}.images")
    calls = message.get("tool_calls")
    for call in calls if is_array(calls) else []:
        _check_call(call, f"{path}.tool_calls")
    return message


def _check_image(image: object, path: str) -> None:
    if not isinstance(image, str):
        raise RefusedError(f"json: cannot unmarshal {name_of_type(image)} into Go struct field {path} of type []uint8")
    try:
        base64.b64decode(image, validate=True)
    except binascii.Error:
        raise RefusedError(f"illegal base64 data in {path}") from None
    picture = picture_of(image)
    if picture is None or picture.media_type == "image/gif":
        raise RefusedError("Failed to load image or audio file")


def _check_call(call: object, path: str) -> None:
    function = call.get("function") if is_object(call) else None
    if not is_object(call) or not is_object(function):
        raise RefusedError(f"{path}: a call has a function")
    _check_fields(call, {"id": _text, "type": _text, "function": is_object}, path)
    _check_fields(function, {"name": _text, "index": is_count, "arguments": is_object}, f"{path}.function")
    if not function.get("name") or "arguments" not in function:
        raise RefusedError(f"{path}.function: a call has a name and arguments")


def _check_conversation(messages: list[JSONObject]) -> None:
    """Results stand behind the message with their calls, in their order, one for each; system text comes first."""
    waiting: list[tuple[object, object]] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "system" and place:
            raise RefusedError(f"messages.{place}: system message must be at the beginning")
        if role == "tool":
            if not waiting or (message.get("tool_call_id"), message.get("tool_name")) != waiting.pop(0):
                raise RefusedError(f"messages.{place}: a tool message must answer the next call before it")
            continue
        if waiting:
            raise RefusedError(f"messages.{place}: {len(waiting)} calls have no result")
        calls = message.get("tool_calls")
        waiting = [_identity(call) for call in calls] if is_array(calls) else []
    if waiting or messages[-1]["role"] == "assistant":
        raise RefusedError("messages: the last one must be a user's, or a tool's")


def _identity(call: object) -> tuple[object, object]:
    function = call.get("function") if is_object(call) else None
    return (call.get("id") if is_object(call) else None, function.get("name") if is_object(function) else None)


def _check_tool(tool: object, path: str) -> None:
    function = tool.get("function") if is_object(tool) else None
    if not is_object(tool) or tool.get("type") != "function" or not is_object(function):
        raise RefusedError(f"{path}: a tool is a function")
    _check_fields(function, {"name": _text, "description": _text, "parameters": is_object}, f"{path}.function")
    parameters = function.get("parameters")
    if not function.get("name") or not is_object(parameters):
        raise RefusedError(f"{path}.function: a function has a name and parameters")
    if parameters.get("type") != "object" or not is_object(parameters.get("properties")):
        raise RefusedError(f"{path}.function.parameters must be an object with properties")
    _check_property(parameters, f"{path}.function.parameters")


def _check_property(schema: object, path: str) -> None:
    """A schema as ollama reads it. What it does not know, it passes over."""
    if not is_object(schema):
        raise RefusedError(f"json: cannot unmarshal {name_of_type(schema)} into Go struct field {path}")
    _check_fields({name: value for name, value in schema.items() if name in PROPERTY}, PROPERTY, path)
    properties, branches = schema.get("properties", {}), schema.get("anyOf", [])
    if not is_object(properties) or not is_array(branches):
        raise RefusedError(f"{path}: properties are an object, and anyOf is an array")
    for name, inner in properties.items():
        _check_property(inner, f"{path}.{name}")
    for branch in branches:
        _check_property(branch, f"{path}.anyOf")
