"""History as a server takes it: the pass that every request goes through, so that nothing in it can block a session.

What comes out: each call has exactly one result, right behind its message and in the order of the calls; no blank text
and no empty message; ids and strings are legal; thinking goes only to the model that made it, all of a message's or
none; images are within bounds; a user's message comes first, and no answer stands last.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from panto.json_values import JSONObject, object_at
from panto.llm.call_ids import CallIds
from panto.llm.images import ImageLimits, bounded, left_out
from panto.llm.json_text import valid_strings, valid_text
from panto.llm.pairing import paired
from panto.messages import (
    Assistant,
    Image,
    Message,
    System,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolOutput,
    User,
    images_of,
)

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
    ``call_id`` is a regular expression. ``sees_images``: the model can be shown images.
    """

    goes_back: Callable[[JSONObject], bool] = _never
    late_system: bool = False
    merge_users: bool = True
    assistant_after_tools: bool = False
    images_in_results: bool = False
    call_id: str = r"[a-zA-Z0-9_-]{1,64}"
    images: ImageLimits = field(default_factory=ImageLimits)
    sees_images: bool = True


def sendable(messages: Sequence[Message], rules: Rules, model: str) -> list[Message]:
    """The messages as they can be sent to ``model`` (``provider/model``). Nothing given is changed."""
    way = Pass(rules, model, count_images(messages))
    return [*way.feed(messages), *way.close()]


def count_images(messages: Iterable[Message]) -> int:
    """How many images there are."""
    return sum(len(images_of(message)) for message in messages)


class Pass:
    """The pass, made in one go or in several: what is fed may end where a user's message follows a whole answer.

    ``images`` counts those of all that will be fed.
    """

    def __init__(self, rules: Rules, model: str, images: int) -> None:
        self._rules = rules
        self._legal = _Legal(rules, model, images)
        self._last: Message | None = None
        self._begun = False

    def fork(self) -> "Pass":
        """Another that has come as far, to go on with something else."""
        other = copy.copy(self)
        other._legal = self._legal.fork()
        return other

    def feed(self, messages: Sequence[Message]) -> list[Message]:
        """The messages to send for these."""
        made = (item for message in paired(messages) for item in self._legal.made_of(message))
        turns = self._in_turn(made)
        self._last = turns[-1] if turns else self._last
        return turns

    def close(self) -> list[Message]:
        """What has to follow so that all of it can be answered."""
        if not self._begun:
            return [BEGINNING]
        return [CONTINUE] if isinstance(self._last, Assistant) else []

    def _in_turn(self, messages: Iterable[Message]) -> list[Message]:
        """User and model take turns: what is missing is put in, what may not stand apart is joined."""
        turns: list[Message] = []
        for message in messages:
            last = turns[-1] if turns else self._last
            if isinstance(message, Assistant):
                if not self._begun:
                    turns.append(BEGINNING)
                elif isinstance(last, Assistant):
                    turns.append(CONTINUE)
            elif isinstance(message, User):
                if isinstance(last, Tool) and self._rules.assistant_after_tools:
                    turns.append(UNDERSTOOD)
                elif isinstance(last, User) and self._rules.merge_users and turns:
                    turns[-1] = User(last.parts + message.parts)
                    continue
            self._begun = self._begun or not isinstance(message, System)
            turns.append(message)
        return turns


class _Legal:
    """Makes messages legal one by one. Ids are kept distinct, and images counted, over all of them."""

    def __init__(self, rules: Rules, model: str, images: int) -> None:
        self._rules = rules
        self._model = model
        self._ids = CallIds(rules.call_id)
        self._given: list[tuple[str, str]] = []  # ids and names of the latest message's calls
        self._side = rules.images.side(images)
        self._too_many = images - rules.images.count

    def fork(self) -> "_Legal":
        """Another with the same behind it."""
        other = copy.copy(self)
        other._ids = self._ids.fork()
        return other

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
        self._given = [(self._ids.new(call.id), valid_text(call.name)) for call in message.calls]
        ids = iter([id_ for id_, _ in self._given])
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
        for output, (id_, name) in zip(outputs, self._given, strict=True):
            visible = list(self._visible(output.images))
            own = tuple(part for part in visible if isinstance(part, Image))
            inside = self._rules.images_in_results and not output.is_error
            images += [] if inside else own
            notes = [part.text for part in visible if isinstance(part, Text)]
            text = "\n".join(filter(str.strip, [valid_text(output.text), *notes]))
            if not text and not (own and inside):
                text = SEE_BELOW if own else NO_OUTPUT
            results.append(ToolOutput(id_, name, text, own if inside else (), output.is_error))
        follow = [User((Text(IMAGES_OF_RESULTS), *images))] if images else []
        return [Tool(tuple(results)), *follow]

    def _visible(self, parts: Iterable[Text | Image]) -> Iterable[Text | Image]:
        for part in parts:
            if isinstance(part, Text):
                if part.text.strip():
                    yield Text(valid_text(part.text))
                continue
            if not self._rules.sees_images:
                yield left_out("the model can't see images")
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
