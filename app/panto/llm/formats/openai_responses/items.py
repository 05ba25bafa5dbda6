"""How ``openai-responses`` has a conversation: a flat list of items.

What a model answered goes back as it came: reasoning in its place, encrypted, and with it the ids of the items that
followed it, since the API pairs reasoning with them. A thought's ``opaque`` holds both: ``item`` is the reasoning,
``next`` says of each item up to the next reasoning what it was. It has no ``item`` where there was no reasoning, but
messages had a ``phase``, which newer models want back.
"""

import base64
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from panto.json_values import JSONObject, array_at, object_at, text_at
from panto.llm.answer import as_json_text
from panto.llm.names import ToolNames
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

ERROR = "Error: "
_KEPT = ("id", "summary", "encrypted_content")


def kept_reasoning(item: JSONObject, following: list[JSONObject]) -> JSONObject:
    """What of a reasoning item goes back, as a thought's ``opaque``; nothing if it is not encrypted.

    Nothing is stored, so the server could not find what an id alone stands for. Reasoning in clear is refused.
    """
    if not text_at(item, "encrypted_content"):
        return {}
    whole: JSONObject = {"summary": [], **{key: item[key] for key in _KEPT if item.get(key)}}
    return {"item": whole, "next": following}


def goes_back(opaque: JSONObject) -> bool:
    """Whether thinking can be sent to the model that made it."""
    return "next" in opaque


def items_of(messages: Iterable[Message], names: ToolNames) -> list[JSONObject]:
    """The items of a conversation."""
    return [item for message in messages for item in _items(message, names)]


def _items(message: Message, names: ToolNames) -> Iterable[JSONObject]:
    match message:
        case System(text):
            return [{"type": "message", "role": "system", "content": [_visible(Text(text))]}]
        case User(parts):
            return [{"type": "message", "role": "user", "content": [_visible(part) for part in parts]}]
        case Assistant(parts):
            return _answer(parts, names)
        case Tool(parts):
            return [_result(output) for output in parts]


def _answer(parts: Sequence[Text | Thinking | ToolCall], names: ToolNames) -> Iterator[JSONObject]:
    """An answer's items. Reasoning goes back with the very items that it led to, or is left out."""
    thoughts: list[Thinking] = []
    for of_thought, group in groupby(parts, lambda part: isinstance(part, Thinking)):
        run = list(group)
        if of_thought:
            thoughts = [part for part in run if isinstance(part, Thinking)]
            continue
        items = [_said(part, names) for part in run if not isinstance(part, Thinking)]
        following = array_at(thoughts[-1].opaque, "next") if thoughts else []
        if [item["type"] for item in items] != [text_at(known, "type") for known in following]:
            yield from items
            continue
        for thought in thoughts:
            if "item" in thought.opaque:
                yield {"type": "reasoning", **object_at(thought.opaque, "item")}
        for place, item in enumerate(items):
            yield _known(item, object_at(following, place))


def _said(part: Text | ToolCall, names: ToolNames) -> JSONObject:
    if isinstance(part, Text):
        return {"type": "message", "role": "assistant", "content": part.text}
    arguments = as_json_text(part.arguments)
    return {"type": "function_call", "call_id": part.id, "name": names.to_wire(part.name), "arguments": arguments}


def _known(item: JSONObject, known: JSONObject) -> JSONObject:
    """An item with its id and phase. A message that has an id is an output message, which is put in another way."""
    extra = {key: known[key] for key in ("id", "phase") if known.get(key)}
    if item["type"] == "message" and "id" in extra:
        content = {"type": "output_text", "text": item["content"], "annotations": list[object]()}
        return {**item, **extra, "status": "completed", "content": [content]}
    return {**item, **extra}


def _visible(part: Text | Image) -> JSONObject:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    data = base64.b64encode(part.data).decode("ascii")
    return {"type": "input_image", "detail": "auto", "image_url": f"data:{part.media_type};base64,{data}"}


def _result(output: ToolOutput) -> JSONObject:
    """The format has no mark for errors, so the text has to say it."""
    text = f"{ERROR}{output.text}" if output.is_error and not output.text.startswith(ERROR) else output.text
    content = [_visible(part) for part in (*([Text(text)] if text else []), *output.images)] if output.images else text
    return {"type": "function_call_output", "call_id": output.call_id, "output": content}
