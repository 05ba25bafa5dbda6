"""History as a server takes it: the pass that every request goes through, so that nothing in it can block a session.

What comes out: each call has exactly one result, right behind its message and in the order of the calls; no blank text
and no empty message; ids and strings are legal; thinking goes only to the model that made it, all of a message's or
none; images are within bounds; a user's message comes first, and no answer stands last.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from panto.json_values import JSONObject, object_at
from panto.llm.call_ids import CallIds
from panto.llm.images import ImageLimits, bounded, left_out
from panto.llm.json_text import valid_strings, valid_text
from panto.llm.pairing import paired
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User

NO_OUTPUT = "(no output)"
SEE_BELOW = "(see the image below)"
IMAGES_OF_RESULTS = "The images of the tool results above:"
CONTINUE = User((Text("Go on."),))
BEGINNING = User((Text("(The conversation's beginning is not shown.)"),))
UNDERSTOOD = Assistant((Text("Understood."),))


Part: TypeAlias = Text | Thinking | ToolCall


def _never(_opaque: JSONObject) -> bool:
    return False


@dataclass(frozen=True)
class Rules:
    """What a format, or a server, takes.

    ``goes_back`` says of a piece of thinking, by its ``opaque``, whether it can be sent to the model that made it.
    ``late_system``: system messages may stand among the others; else they become a user's. ``merge_users``: two user
    messages in a row become one. ``assistant_after_tools``: no user message may follow a tool's result.
    ``images_in_results``: results may hold images, if they are no errors; else they follow as a user's message.
    ``call_id`` is a regular expression.
    """

    goes_back: Callable[[JSONObject], bool] = _never
    late_system: bool = False
    merge_users: bool = True
    assistant_after_tools: bool = False
    images_in_results: bool = False
    call_id: str = r"[a-zA-Z0-9_-]{1,64}"
    images: ImageLimits = field(default_factory=ImageLimits)


def sendable(messages: Sequence[Message], rules: Rules, model: str) -> list[Message]:
    """The messages as they can be sent to ``model`` (``provider/model``). Nothing given is changed."""
    legal = _Legal(rules, model, sum(map(_count_images, messages)))
    return _in_turn((item for message in paired(messages) for item in legal.made_of(message)), rules)


def _count_images(message: Message) -> int:
    match message:
        case User(parts):
            return sum(isinstance(part, Image) for part in parts)
        case Tool(outputs):
            return sum(len(output.images) for output in outputs)
        case _:
            return 0


class _Legal:
    """Makes messages legal one by one. Ids are kept distinct, and images counted, over all of them."""

    def __init__(self, rules: Rules, model: str, images: int) -> None:
        self._rules = rules
        self._model = model
        self._ids = CallIds(rules.call_id)
        self._given: list[str] = []  # the ids of the latest message's calls
        self._side = rules.images.side(images)
        self._too_many = images - rules.images.count

    def made_of(self, message: Message) -> Sequence[Message]:
        """The messages to send for one of the history: usually one."""
        match message:
            case System(text):
                return self._system(valid_text(text))
            case User(parts):
                visible = tuple(self._visible(parts))
                return [User(visible)] if visible else []
            case Assistant():
                return self._assistant(message)
            case Tool(outputs):
                return self._tool(outputs)

    def _system(self, text: str) -> Sequence[Message]:
        if not text.strip():
            return []
        return [System(text) if self._rules.late_system else User((Text(f"<system>\n{text}\n</system>"),))]

    def _assistant(self, message: Assistant) -> Sequence[Message]:
        self._given = [self._ids.new(call.id) for call in message.calls]
        ids = iter(self._given)
        parts = [(part, _clean(part, ids)) for part in message.parts]
        if not self._thinking_goes_back(message, parts):
            parts = [(part, clean) for part, clean in parts if not isinstance(part, Thinking)]
        kept = tuple(clean for _, clean in parts if clean is not None)
        if all(isinstance(part, Thinking) for part in kept):
            return []
        return [msgspec.structs.replace(message, parts=kept)]

    def _thinking_goes_back(self, message: Assistant, parts: Sequence[tuple[Part, Part | None]]) -> bool:
        """Signed thinking is never edited: all of a message's goes back, behind what it stood behind, or none does."""
        thoughts = [(place, part) for place, (part, _) in enumerate(parts) if isinstance(part, Thinking)]
        if not thoughts or message.model != self._model:
            return False
        end = thoughts[-1][0] + 1
        followed = any(clean is not None for _, clean in parts[end:])  # no API takes thinking at the end
        unedited = all(part == clean for part, clean in parts[:end])
        return followed and unedited and all(self._rules.goes_back(thought.opaque) for _, thought in thoughts)

    def _tool(self, outputs: Sequence[ToolOutput]) -> Sequence[Message]:
        results: list[ToolOutput] = []
        images: list[Image] = []
        for output, id_ in zip(outputs, self._given, strict=True):
            visible = list(self._visible(output.images))
            own = tuple(part for part in visible if isinstance(part, Image))
            inside = self._rules.images_in_results and not output.is_error
            images += [] if inside else own
            notes = [part.text for part in visible if isinstance(part, Text)]
            text = "\n".join(filter(str.strip, [valid_text(output.text), *notes]))
            if not text and not (own and inside):
                text = SEE_BELOW if own else NO_OUTPUT
            results.append(ToolOutput(id_, output.name, text, own if inside else (), output.is_error))
        follow = [User((Text(IMAGES_OF_RESULTS), *images))] if images else []
        return [Tool(tuple(results)), *follow]

    def _visible(self, parts: Iterable[Text | Image]) -> Iterable[Text | Image]:
        for part in parts:
            if isinstance(part, Text):
                if part.text.strip():
                    yield Text(valid_text(part.text))
                continue
            self._too_many -= 1
            if self._too_many >= 0:  # of too many, the oldest go
                yield left_out(f"the conversation has more than the {self._rules.images.count} that can be sent")
            else:
                yield bounded(part, self._rules.images, self._side)


def _clean(part: Part, ids: Iterator[str]) -> Part | None:
    """A part of an answer as it can be sent, the calls with the next of these ids; None for a blank text."""
    match part:
        case Text(text):
            return Text(valid_text(text)) if text.strip() else None
        case Thinking(text, opaque):
            return Thinking(valid_text(text), opaque)
        case ToolCall():
            arguments = {} if part.problem else object_at(valid_strings(part.arguments))
            return ToolCall(next(ids), valid_text(part.name), arguments, part.opaque)


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
