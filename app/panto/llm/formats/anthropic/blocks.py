"""The blocks of ``anthropic``: what each message is made of."""

import base64
from collections.abc import Sequence

from panto.json_values import JSONObject
from panto.llm.names import ToolNames
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

THINKING_BLOCKS = ("thinking", "redacted_thinking")


def blocks_of(message: Message, names: ToolNames) -> Sequence[JSONObject]:
    """The blocks that a message is."""
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
