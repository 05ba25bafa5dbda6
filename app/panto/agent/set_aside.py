"""What a server would not take of a conversation is left out of what is sent to it, so that the session can go on.

The history keeps it all. What is left out is remembered for as long as the program runs, for each model.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from panto.llm.images import left_out
from panto.llm.types import Refusable, Refused, Request
from panto.messages import Assistant, Image, Message, Thinking, Tool, ToolOutput, User, images_of

IMAGE = left_out("the server does not take it")
OUTPUT = "[The output was left out: the server does not take it.]"

_WORDS: dict[type[Refusable], tuple[str, str]] = {
    Image: ("an image", "images"),
    Thinking: ("a thought", "thoughts"),
    ToolOutput: ("a tool's output", "outputs of tools"),
}


@dataclass
class _LeftOut:
    """What one model's server does not take. ``made`` holds messages with what is sent in their stead."""

    parts: list[Refusable] = field(default_factory=list[Refusable])
    tools: set[str] = field(default_factory=set[str])
    made: dict[int, tuple[Message, Message]] = field(default_factory=dict[int, tuple[Message, Message]])


class SetAside:
    """What the servers of a session's models do not take."""

    def __init__(self) -> None:
        self._models: defaultdict[str, _LeftOut] = defaultdict(_LeftOut)

    def apply(self, model: str, request: Request) -> Request:
        """The request without what the model's server does not take."""
        if model not in self._models:
            return request
        left_out = self._models[model]
        return replace(
            request,
            messages=tuple(_sent_for(message, left_out) for message in request.messages),
            tools=tuple(tool for tool in request.tools if tool.name not in left_out.tools),
        )

    def leave_out(self, model: str, refused: Refused) -> None:
        """Leave something out of what is sent to a model's server from now on."""
        left_out = self._models[model]
        left_out.parts += refused.parts
        left_out.tools.update(refused.tools)
        left_out.made.clear()

    def take_back(self, model: str, refused: Refused) -> None:
        """Send it again: leaving it out was no help."""
        left_out = self._models[model]
        left_out.parts = [part for part in left_out.parts if part not in refused.parts]
        left_out.tools -= set(refused.tools)
        left_out.made.clear()


def suspects(messages: Sequence[Message], model: str) -> Refused:
    """What a request was likely refused for, where the server names nothing: images that it has never taken."""
    found: list[Image] = []
    for message in reversed(messages):
        if isinstance(message, Assistant) and message.model == model and not message.error:
            break
        found += images_of(message)
    return Refused(parts=tuple(found))


def described(refused: Refused) -> str:
    """What was refused, in a few words."""
    counted = [(kind, sum(isinstance(part, kind) for part in refused.parts)) for kind in _WORDS]
    parts = [_WORDS[kind][0] if count == 1 else f"{count} {_WORDS[kind][1]}" for kind, count in counted if count]
    return " and ".join([*parts, *(f"the tool {name}" for name in refused.tools)])


def _sent_for(message: Message, left_out: _LeftOut) -> Message:
    """What is sent for a message: the same one each time, since what was sent is remembered by it."""
    known = left_out.made.get(id(message))
    if known is None:
        known = left_out.made[id(message)] = (message, _without(message, left_out.parts))
    return known[1]


def _without(message: Message, refused: Sequence[Refusable]) -> Message:
    """The message without these parts; itself if it has none of them."""
    match message:
        case User(parts) if any(part in refused for part in parts):
            return msgspec.structs.replace(message, parts=tuple(IMAGE if part in refused else part for part in parts))
        case Assistant(parts) if any(part in refused for part in parts):  # thinking goes back whole, or not at all
            kept = tuple(part for part in parts if not isinstance(part, Thinking))
            return msgspec.structs.replace(message, parts=kept)
        case Tool(outputs):
            made = tuple(_output_without(output, refused) for output in outputs)
            return message if made == outputs else Tool(made)
        case _:
            return message


def _output_without(output: ToolOutput, refused: Sequence[Refusable]) -> ToolOutput:
    if output in refused:
        output = msgspec.structs.replace(output, text=OUTPUT)
    images = tuple(image for image in output.images if image not in refused)
    missing = len(output.images) - len(images)
    if not missing:
        return output
    return msgspec.structs.replace(output, text="\n".join([output.text, *[IMAGE.text] * missing]), images=images)
