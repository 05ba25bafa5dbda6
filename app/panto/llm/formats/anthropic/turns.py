"""How ``anthropic`` has a conversation: turns of user and model, made of blocks.

Newer models refuse thinking that stands behind anything else than it was made behind: system, tools and all turns so
far. So thinking is kept with a digest of all that, and left out where it no longer is the same.
"""

import base64
import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from panto.json_values import JSONObject
from panto.llm.json_text import to_json
from panto.llm.names import ToolNames
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

THINKING_BLOCKS = ("thinking", "redacted_thinking")
_DIGEST = 12
"""Bytes: enough to tell the prefixes of one conversation apart."""


@dataclass(frozen=True)
class Turn:
    """What one side said: ``role`` is ``user`` or ``assistant``."""

    role: str
    blocks: list[JSONObject]

    def json(self) -> JSONObject:
        """It as it is sent."""
        return {"role": self.role, "content": self.blocks}

    def has(self, kind: str) -> bool:
        """Whether there is a block of this type."""
        return any(block["type"] == kind for block in self.blocks)


class Turns:
    """Puts messages into turns. Results of tools, and what the user says after them, are one turn.

    ``head`` is what comes before the turns.
    """

    def __init__(self, names: ToolNames, head: JSONObject) -> None:
        self._names = names
        self._digest = hashlib.blake2b(to_json(head), digest_size=_DIGEST)

    @property
    def digest(self) -> str:
        """The digest of all that an answer to what was fed so far stands behind."""
        return self._digest.hexdigest()

    def feed(self, messages: Sequence[Message]) -> list[Turn]:
        """The turns of these messages, of which no turn began before."""
        turns: list[Turn] = []
        for of_model, group in groupby(messages, lambda message: isinstance(message, Assistant)):
            prefix = self.digest
            blocks = [block for message in group for block in _blocks(message, self._names, prefix)]
            turns.append(Turn("assistant" if of_model else "user", blocks))
            self._digest.update(to_json(blocks))
        return turns

    def json(self, messages: Sequence[Message]) -> list[JSONObject]:
        """The same, as JSON."""
        return [turn.json() for turn in self.feed(messages)]

    def fork(self) -> "Turns":
        """Another with the same turns behind it."""
        other = copy.copy(self)
        other._digest = self._digest.copy()
        return other


def _blocks(message: Message, names: ToolNames, prefix: str) -> Sequence[JSONObject]:
    match message:
        case System(text):
            return [{"type": "text", "text": text}]
        case User(parts):
            return [_visible(part) for part in parts]
        case Assistant(parts):
            return [_said(part, names) for part in _without_strange_thinking(parts, prefix)]
        case Tool(parts):
            return [_result(output) for output in parts]


def _without_strange_thinking(
    parts: Sequence[Text | Thinking | ToolCall], prefix: str
) -> Sequence[Text | Thinking | ToolCall]:
    thoughts = [part for part in parts if isinstance(part, Thinking)]
    if all(thought.opaque.get("prefix", prefix) == prefix for thought in thoughts):
        return parts
    return [part for part in parts if not isinstance(part, Thinking)]


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
