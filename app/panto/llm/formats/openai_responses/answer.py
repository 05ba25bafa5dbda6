"""How the answer of ``openai-responses`` is read: events that open, fill and close items, and the response at the end.

The end repeats all that came. What is not known yet is taken from there: some servers send no deltas, or encrypt
reasoning only at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from panto.json_values import JSONObject, array_at, count_at, is_object, object_at, text_at
from panto.llm.answer import Answer, CallSlot, Slot, TextSlot, ThinkingSlot, as_json_text
from panto.llm.failures import error_in
from panto.llm.formats.openai_responses.items import kept_reasoning
from panto.llm.json_text import from_json
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, ServerError
from panto.messages import Assistant, StopReason, Usage

_STOPS: dict[str, StopReason] = {"max_output_tokens": "length", "max_tokens": "length", "content_filter": "refused"}
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done")
_BREAK = "\n\n"
"""Between the parts of a summary."""


@dataclass
class _Item:
    """An item and where its content goes. ``part`` is the one of a thought's parts that came last.

    ``following``: what is known of the items behind a thought; of another item, of those behind the thought before it,
    of which ``known`` is this one. ``heard``: something of the content came in deltas. ``open``: it was said to begin,
    and not yet to be whole.
    """

    slot: Slot | None  # None: an item of a kind that is not for us
    kind: str = ""
    part: tuple[str, int] | None = None
    following: list[JSONObject] = field(default_factory=list[JSONObject])
    known: JSONObject = field(default_factory=dict[str, object])
    heard: bool = False
    open: bool = False


class ResponseDecoder:
    """Reads one response."""

    def __init__(self, names: ToolNames, model: str) -> None:
        self._answer = Answer(names, model)
        self._by_place: dict[int, _Item] = {}
        self._by_id: dict[str, _Item] = {}
        self._latest = _Item(None)
        self._opened: list[_Item] = []
        self._following: list[JSONObject] | None = None
        self._stop: StopReason | None = None
        self._refused = False
        self._ended = False
        self._usage = Usage()
        self._readers: dict[str, Callable[[JSONObject], list[StreamEvent]]] = {
            "response.output_item.added": self._open,
            "response.output_item.done": self._close,
            "response.output_text.delta": self._text,
            "response.refusal.delta": self._refusal,
            "response.reasoning_summary_text.delta": partial(self._thought, "summary"),
            "response.reasoning_text.delta": partial(self._thought, "content"),
            "response.function_call_arguments.delta": self._arguments,
            "response.function_call_arguments.done": self._arguments_done,
        }

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        return END_WAIT if self._ended else None

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        """Take an event."""
        if event.data == b"[DONE]":  # a proxy says so, too, when the server behind it broke off
            self._ended = self._ended or not any(item.open for item in self._opened)
            return []
        if not event.data or event.data.isspace():
            return []
        data = from_json(event.data)
        if not is_object(data):
            raise ValueError("an event is no JSON object")
        if data.get("object") == "response":  # an answer in one piece, from a server that does not stream
            return self._end(data)
        return self._event(text_at(data, "type") or event.name, data)

    def message(self, broken: str = "") -> Assistant:
        """The answer so far."""
        stop = "refused" if self._refused else self._stop or "end"
        return self._answer.message(stop, self._usage, broken)

    def _event(self, kind: str, data: JSONObject) -> list[StreamEvent]:
        read = self._readers.get(kind)
        if read is not None:
            return read(data)
        if kind in _ENDS:
            return self._end(object_at(data, "response"), kind.removeprefix("response."))
        error = None if kind.startswith("response.") else error_in(data)
        if error is not None or kind == "error":
            raise ServerError(error or data)
        return []

    def _open(self, data: JSONObject) -> list[StreamEvent]:
        """An item begins. Its content is told by deltas, or at its end."""
        id_, place = _where(data)
        known = self._by_id.get(id_) if id_ or place is None else self._by_place.get(place)
        item = known or self._file(data, self._new(object_at(data, "item")))
        item.open = True
        self._opened.append(item)
        return self._answer.arguments(item.slot, "") if isinstance(item.slot, CallSlot) else []

    def _file(self, data: JSONObject, item: _Item) -> _Item:
        id_, place = _where(data)
        if place is not None:
            self._by_place[place] = item
        if id_:
            self._by_id[id_] = item
        self._latest = item
        return item

    def _new(self, item: JSONObject) -> _Item:
        kind = text_at(item, "type")
        match kind:
            case "reasoning":
                new = _Item(self._answer.add(ThinkingSlot()), kind)
                self._following = new.following
                return new
            case "message":
                following, known = self._follows(item)
                return _Item(self._answer.add(TextSlot()), kind, following=following, known=known)
            case "function_call":
                self._follows(item)
                return _Item(self._answer.call(text_at(item, "call_id"), text_at(item, "name")), kind)
            case _:
                return _Item(None, kind)

    def _follows(self, item: JSONObject) -> tuple[list[JSONObject], JSONObject]:
        """Keep what must go back with an item, at the thought before it, or at an empty one if it has a phase."""
        known: JSONObject = {key: item[key] for key in ("type", "id", "phase") if item.get(key)}
        if self._following is None and "phase" in known:
            self._following = []
            self._answer.add(ThinkingSlot(opaque={"next": self._following}, bound=True))
        following = [] if self._following is None else self._following
        following.append(known)
        return following, known

    def _item(self, data: JSONObject, kind: str) -> _Item:
        """The item that an event is about. One that was never opened is opened: it is of this kind.

        Some servers give all items the same place, others give each event another id; so the place counts if the id is
        not known.
        """
        id_, place = _where(data)
        if not id_ and place is None and kind == self._latest.kind:
            return self._latest
        known = self._by_id.get(id_) or (None if place is None else self._by_place.get(place))
        return known or self._file(data, self._new({"type": kind, **object_at(data, "item")}))

    def _text(self, data: JSONObject) -> list[StreamEvent]:
        item = self._item(data, "message")
        if not isinstance(item.slot, TextSlot):
            return []
        item.heard = True
        return self._answer.text(text_at(data, "delta"), item.slot)

    def _refusal(self, data: JSONObject) -> list[StreamEvent]:
        self._refused = True
        return self._text(data)

    def _thought(self, kind: str, data: JSONObject) -> list[StreamEvent]:
        """More of a thought: its summary, or the thought itself; of an item that has both, what came first."""
        item = self._item(data, "reasoning")
        if not isinstance(item.slot, ThinkingSlot) or (item.part and item.part[0] != kind):
            return []
        piece = text_at(data, "delta")
        part = (kind, count_at(data, f"{kind}_index") or 0)
        if item.part is not None and item.part != part:
            piece = _BREAK + piece
        item.part = part
        item.heard = True
        return self._answer.thinking(piece, {}, item.slot)

    def _arguments(self, data: JSONObject) -> list[StreamEvent]:
        slot = self._item(data, "function_call").slot
        return self._answer.arguments(slot, text_at(data, "delta")) if isinstance(slot, CallSlot) else []

    def _arguments_done(self, data: JSONObject) -> list[StreamEvent]:
        slot = self._item(data, "function_call").slot
        if isinstance(slot, CallSlot):
            slot.whole = text_at(data, "arguments") or slot.whole
        return []

    def _close(self, data: JSONObject) -> list[StreamEvent]:
        """An item is whole: what of it had not come yet."""
        whole = object_at(data, "item")
        item = self._item(data, text_at(whole, "type"))
        item.open = False
        slot = item.slot
        if isinstance(slot, CallSlot):
            slot.id = slot.id or text_at(whole, "call_id")
            slot.name = slot.name or text_at(whole, "name")
            arguments = whole.get("arguments")
            text = arguments if isinstance(arguments, str) else as_json_text(arguments) if arguments else ""
            slot.whole = text or slot.whole
            return self._answer.arguments(slot, "")
        if isinstance(slot, TextSlot):
            return self._close_text(array_at(whole, "content"), item, slot)
        if isinstance(slot, ThinkingSlot):
            return self._close_thought(whole, item, slot)
        return []

    def _close_text(self, parts: list[object], item: _Item, slot: TextSlot) -> list[StreamEvent]:
        self._refused = self._refused or any(text_at(part, "refusal") for part in parts)
        deltas: list[StreamEvent] = []
        if not item.heard:
            item.heard = True
            text = "".join(text_at(part, "text") or text_at(part, "refusal") for part in parts)
            deltas = self._answer.text(text, slot)
        if not slot.strand.text.strip() and item.known in item.following:
            item.following.remove(item.known)  # a blank message is none, and can't go back
        return deltas

    def _close_thought(self, whole: JSONObject, item: _Item, slot: ThinkingSlot) -> list[StreamEvent]:
        kept = kept_reasoning(whole, item.following)
        if kept:
            slot.opaque, slot.bound = kept, True
        if item.heard:
            return []
        item.heard = True
        parts = array_at(whole, "summary") or array_at(whole, "content")
        return self._answer.thinking(_BREAK.join(text_at(part, "text") for part in parts), {}, slot)

    def _end(self, response: JSONObject, kind: str = "") -> list[StreamEvent]:
        """The response as a whole, with why it ended and what it took."""
        self._count(object_at(response, "usage"))
        deltas: list[StreamEvent] = []
        for place, item in enumerate(array_at(response, "output")):
            deltas += self._close({"output_index": place, "item": item})
        status = text_at(response, "status") or kind
        error = error_in(response)
        if error is not None or status in ("failed", "cancelled"):
            raise ServerError(error or {"message": f"the response was {status}, and no reason given"})
        if status == "incomplete":
            self._stop = _STOPS.get(text_at(response, "incomplete_details", "reason"), "unknown")
        self._ended = True
        return deltas

    def _count(self, usage: JSONObject) -> None:
        sent = count_at(usage, "input_tokens") or None
        self._usage = Usage(
            input=sent,
            output=count_at(usage, "output_tokens"),
            cached=count_at(usage, "input_tokens_details", "cached_tokens"),
            cache_written=count_at(usage, "input_tokens_details", "cache_write_tokens"),
            reasoning=count_at(usage, "output_tokens_details", "reasoning_tokens"),
        )


def _where(data: JSONObject) -> tuple[str, int | None]:
    """The id of the item that an event is about, and its place."""
    return text_at(data, "item_id") or text_at(data, "item", "id"), count_at(data, "output_index")
