"""How ``bedrock`` has a conversation: turns of user and model, made of blocks.

Newer models refuse thinking that stands behind anything else than it was made behind. So thinking is kept with a digest
of all that, and left out where it no longer is the same.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from panto.json_values import JSONObject
from panto.llm.formats.bedrock.families import Family
from panto.llm.json_text import to_json
from panto.llm.names import ToolNames
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

_DIGEST = 12
"""Bytes: enough to tell the prefixes of one conversation apart."""


@dataclass(frozen=True)
class Turn:
    """What one side said: ``role`` is ``user`` or ``assistant``."""

    role: str
    blocks: list[JSONObject]

    def has(self, kind: str) -> bool:
        """Whether there is a block of this kind."""
        return any(kind in block for block in self.blocks)


def turns_of(messages: Iterable[Message], names: ToolNames, head: JSONObject, family: Family) -> tuple[list[Turn], str]:
    """The turns, and the digest of all that an answer to them stands behind; ``head`` is what comes before the turns.

    Results of tools, and what the user says after them, are one turn.
    """
    digest = hashlib.blake2b(to_json(head), digest_size=_DIGEST)
    turns: list[Turn] = []
    for of_model, group in groupby(messages, lambda message: isinstance(message, Assistant)):
        prefix = digest.hexdigest()
        blocks = [block for message in group for block in _blocks(message, names, prefix, family)]
        turns.append(Turn("assistant" if of_model else "user", blocks))
        digest.update(to_json(blocks))
    return turns, digest.hexdigest()


def _blocks(message: Message, names: ToolNames, prefix: str, family: Family) -> Sequence[JSONObject]:
    match message:
        case System(text):
            return [{"text": text}]
        case User(parts):
            return [_visible(part) for part in parts]
        case Assistant(parts):
            return [_said(part, names) for part in _without_strange_thinking(parts, prefix)]
        case Tool(parts):
            return [_result(output, family) for output in parts]


def _without_strange_thinking(
    parts: Sequence[Text | Thinking | ToolCall], prefix: str
) -> Sequence[Text | Thinking | ToolCall]:
    thoughts = [part for part in parts if isinstance(part, Thinking)]
    if all(thought.opaque.get("prefix", prefix) == prefix for thought in thoughts):
        return parts
    return [part for part in parts if not isinstance(part, Thinking)]


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
