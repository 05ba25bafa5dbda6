"""The blocks of ``bedrock``: what each message is made of."""

import base64
from collections.abc import Sequence

from panto.json_values import JSONObject
from panto.llm.formats.bedrock.families import Family
from panto.llm.names import ToolNames
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User


def blocks_of(message: Message, names: ToolNames, family: Family) -> Sequence[JSONObject]:
    """The blocks that a message is."""
    match message:
        case System(text):
            return [{"text": text}]
        case User(parts):
            return [_visible(part) for part in parts]
        case Assistant(parts):
            return [_said(part, names) for part in parts]
        case Tool(parts):
            return [_result(output, family) for output in parts]


def _visible(part: Text | Image) -> JSONObject:
    if isinstance(part, Text):
        return {"text": part.text}
    data = base64.b64encode(part.data).decode("ascii")
    return {"image": {"format": part.media_type.removeprefix("image/"), "source": {"bytes": data}}}


def _said(part: Text | Thinking | ToolCall, names: ToolNames) -> JSONObject:
    match part:
        case Text(text):
            return {"text": text}
        case ToolCall(id_, name, arguments):
            return {"toolUse": {"toolUseId": id_, "name": names.to_wire(name), "input": arguments}}
        case Thinking(text, opaque) if "redacted" in opaque:
            return {"reasoningContent": {"redactedContent": opaque["redacted"]}}
        case Thinking(text, opaque):
            return {"reasoningContent": {"reasoningText": {"text": text, "signature": opaque["signature"]}}}


def _result(output: ToolOutput, family: Family) -> JSONObject:
    text = [Text(output.text)] if output.text else []
    content = [_visible(part) for part in (*text, *output.images)]
    wire: JSONObject = {"toolUseId": output.call_id, "content": content}
    if family.status:
        wire["status"] = "error" if output.is_error else "success"
    elif output.is_error:
        wire["content"] = [{"text": output.text if output.text.startswith("Error: ") else f"Error: {output.text}"}]
    return {"toolResult": wire}
