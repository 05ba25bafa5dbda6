"""History as a server takes it: the pass that every request goes through, so that nothing in it can block a session.

What comes out: each call has exactly one result, right behind its message and in the order of the calls; no blank text
and no empty message; ids and strings are legal; thinking goes only to the model that made it, all of a message's or
none; images are within bounds; a user's message comes first, and no answer stands last.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from panto.json_values import object_at
from panto.llm.call_ids import CallIds
from panto.llm.json_text import valid_strings, valid_text
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

INTERRUPTED = "interrupted: this call has no result; it may have run in part, or not at all"
NO_OUTPUT = "(no output)"
CONTINUE = User((Text("Go on."),))
BEGINNING = User((Text("(The conversation's beginning is not shown.)"),))
UNDERSTOOD = Assistant((Text("Understood."),))


@dataclass(frozen=True)
class Rules:
    """What a format, or a server, takes.

    ``thinking`` names the keys of `Thinking.opaque` of which one must be there for it to go back. ``late_system``:
    system messages may stand among the others; else they become a user's. ``merge_users``: two user messages in a row
    become one. ``assistant_after_tools``: no user message may follow a tool's result. ``call_id`` is a regular
    expression. ``max_image`` counts characters of base64.
    """

    thinking: frozenset[str] = frozenset()
    late_system: bool = False
    merge_users: bool = True
    assistant_after_tools: bool = False
    call_id: str = r"[a-zA-Z0-9_-]{1,64}"
    image_types: frozenset[str] = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
    max_image: int = 5 * 1024 * 1024


def sendable(messages: Sequence[Message], rules: Rules, model: str) -> list[Message]:
    """The messages as they can be sent to ``model`` (``provider/model``). Nothing given is changed."""
    clean = _Clean(rules, model)
    cleaned = (clean.message(message) for message in _paired(messages))
    return _in_turn((message for message in cleaned if message is not None), rules)


def _paired(messages: Sequence[Message]) -> list[Message]:
    """Each message with calls is followed by one `Tool` with a result for each; other results are dropped."""
    results: list[list[ToolOutput | None] | None] = [
        [None] * len(message.calls) if isinstance(message, Assistant) else None for message in messages
    ]
    owner: dict[str, int] = {}
    for place, message in enumerate(messages):
        if isinstance(message, Assistant):
            owner.update((call.id, place) for call in message.calls)
        elif isinstance(message, Tool):
            for output in message.parts:
                _file(output, messages, results, owner)
    paired: list[Message] = []
    for message, outputs in zip(messages, results, strict=True):
        if isinstance(message, Tool):
            continue
        paired.append(message)
        if isinstance(message, Assistant) and outputs:
            calls = zip(message.calls, outputs, strict=True)
            paired.append(Tool(tuple(output or _interrupted(call) for call, output in calls)))
    return paired


def _file(
    output: ToolOutput,
    messages: Sequence[Message],
    results: list[list[ToolOutput | None] | None],
    owner: dict[str, int],
) -> None:
    """Put a result with the first unanswered call of its id, in the latest message that has such calls."""
    place = owner.get(output.call_id)
    message = messages[place] if place is not None else None
    outputs = results[place] if place is not None else None
    if not isinstance(message, Assistant) or outputs is None:
        return
    for position, call in enumerate(message.calls):
        if call.id == output.call_id and outputs[position] is None:
            outputs[position] = output
            return


def _interrupted(call: ToolCall) -> ToolOutput:
    return ToolOutput(call.id, call.name, INTERRUPTED, is_error=True)


class _Clean:
    """Makes messages legal one by one; ids are kept distinct over all of them."""

    def __init__(self, rules: Rules, model: str) -> None:
        self._rules = rules
        self._model = model
        self._ids = CallIds(rules.call_id)
        self._results: list[str] = []  # the new ids of the latest message's calls

    def message(self, message: Message) -> Message | None:
        """The message as it can be sent; None if nothing of it is left."""
        match message:
            case System():
                return self._system(message)
            case User():
                parts = tuple(self._visible(message.parts))
                return User(parts) if parts else None
            case Assistant():
                return self._assistant(message)
            case Tool():
                return Tool(tuple(map(self._output, message.parts, self._results)))

    def _system(self, message: System) -> Message | None:
        text = valid_text(message.text)
        if not text.strip():
            return None
        return System(text) if self._rules.late_system else User((Text(f"<system>\n{text}\n</system>"),))

    def _assistant(self, message: Assistant) -> Message | None:
        keep_thinking = self._thinking_goes_back(message)
        self._results = []
        parts: list[Text | Thinking | ToolCall] = []
        for part in message.parts:
            if isinstance(part, ToolCall):
                self._results.append(self._ids.new(part.id))
                parts.append(self._call(part, self._results[-1]))
            elif isinstance(part, Thinking):
                parts.extend([part] if keep_thinking else [])
            elif part.text.strip():
                parts.append(Text(valid_text(part.text)))
        if all(isinstance(part, Thinking) for part in parts):
            return None
        return msgspec.structs.replace(message, parts=tuple(parts))

    def _thinking_goes_back(self, message: Assistant) -> bool:
        """Signed thinking is never edited: either all of a message's goes back as it came, or none does."""
        pieces = [part for part in message.parts if isinstance(part, Thinking)]
        said = [part for part in message.parts if not isinstance(part, Text) or part.text.strip()]
        return (
            message.model == self._model
            and bool(pieces)
            and not isinstance(said[-1], Thinking)  # no API takes thinking that nothing follows
            and all(self._rules.thinking & piece.opaque.keys() for piece in pieces)
            and all(valid_text(piece.text) == piece.text for piece in pieces)
        )

    def _call(self, call: ToolCall, id_: str) -> ToolCall:
        arguments = {} if call.problem else object_at(valid_strings(call.arguments))
        return ToolCall(id_, valid_text(call.name), arguments, call.opaque)

    def _output(self, output: ToolOutput, id_: str) -> ToolOutput:
        seen = list(self._visible(output.images))
        notes = [part.text for part in seen if isinstance(part, Text)]
        images = tuple(part for part in seen if isinstance(part, Image))
        text = "\n".join([valid_text(output.text), *notes])
        if not text.strip():
            text = "" if images else NO_OUTPUT
        return ToolOutput(id_, output.name, text, images, output.is_error)

    def _visible(self, parts: Iterable[Text | Image]) -> Iterable[Text | Image]:
        for part in parts:
            if isinstance(part, Image):
                yield self._image(part)
            elif part.text.strip():
                yield Text(valid_text(part.text))

    def _image(self, image: Image) -> Image | Text:
        media_type = _media_type(image)
        size = (len(image.data) + 2) // 3 * 4
        if media_type not in self._rules.image_types or not image.data:
            return Text(f"[an image was left out: {valid_text(media_type) or 'no type'} can't be sent]")
        if size > self._rules.max_image:
            return Text(f"[an image was left out: {size} bytes as base64, {self._rules.max_image} can be sent]")
        return image if media_type == image.media_type else Image(media_type, image.data)


_MAGIC = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
)


def _media_type(image: Image) -> str:
    """What the bytes say the image is; servers refuse one whose name says otherwise."""
    return next((media_type for magic, media_type in _MAGIC if magic.match(image.data)), image.media_type)


def _in_turn(messages: Iterable[Message], rules: Rules) -> list[Message]:
    """User and model take turns: what is missing is put in, what may not stand apart is joined."""
    turns: list[Message] = []
    begun = False
    for message in messages:
        last = turns[-1] if turns else None
        if isinstance(message, Assistant):
            if not begun:
                turns.append(BEGINNING)
            elif isinstance(last, Assistant):
                turns.append(CONTINUE)
        elif isinstance(message, User):
            if isinstance(last, Tool) and rules.assistant_after_tools:
                turns.append(UNDERSTOOD)
            elif isinstance(last, User) and rules.merge_users:
                turns[-1] = User(last.parts + message.parts)
                continue
        begun = begun or not isinstance(message, System)
        turns.append(message)
    if not begun:
        turns.append(BEGINNING)
    elif isinstance(turns[-1], Assistant):
        turns.append(CONTINUE)
    return turns
