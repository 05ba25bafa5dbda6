"""How the answer of ``anthropic`` is read: events that open, fill and close numbered blocks."""

from panto.json_values import JSONObject, array_at, count_at, is_object, object_at, text_at
from panto.llm.answer import Answer, CallSlot, Slot, TextSlot, ThinkingSlot, as_json_text
from panto.llm.failures import error_in
from panto.llm.json_text import from_json
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, USAGE_WAIT, ServerError
from panto.messages import Assistant, StopReason, Usage

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}

_SENT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class MessageDecoder:
    """Reads one message. ``opaque`` is kept with its thinking."""

    def __init__(self, names: ToolNames, model: str, opaque: JSONObject) -> None:
        self._opaque = opaque
        self._answer = Answer(names, model)
        self._blocks: dict[int, Slot | None] = {}  # None: a block of a kind that is not for us
        self._latest = 0
        self._stop: StopReason | None = None
        self._ended = False
        self._counts: dict[str, int] = {}

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        if self._ended:
            return END_WAIT
        return None if self._stop is None else USAGE_WAIT

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        """Take an event."""
        if not event.data or event.data.isspace():
            return []
        data = from_json(event.data)
        if not is_object(data):
            raise ValueError("an event is no JSON object")
        match data.get("type") or event.name:
            case "content_block_delta":
                return self._delta(data)
            case "content_block_start":
                return self._start(data)
            case "message_start":
                self._count(object_at(data, "message", "usage"), _SENT)
            case "message_delta":
                self._finish(data)
            case "message_stop":
                self._ended = True
            case "message":
                return self._whole(data)
            case _:
                error = error_in(data)
                if error is not None:
                    raise ServerError(error)
        return []

    def message(self, broken: str = "") -> Assistant:
        """The answer so far."""
        return self._answer.message(self._stop or "end", self._usage(), broken)

    def _whole(self, data: JSONObject) -> list[StreamEvent]:
        """An answer in one piece, from a server that does not stream."""
        deltas: list[StreamEvent] = []
        for place, block in enumerate(array_at(data, "content")):
            deltas += self._start({"index": place, "content_block": block})
        self._finish({"delta": data, "usage": data.get("usage")})
        self._ended = True
        return deltas

    def _start(self, data: JSONObject) -> list[StreamEvent]:
        self._latest = place = self._place(data, self._latest + 1 if self._blocks else 0)
        block = object_at(data, "content_block")
        match text_at(block, "type"):
            case "text":
                self._blocks[place] = slot = self._answer.add(TextSlot())
                return self._answer.text(text_at(block, "text"), slot)
            case "thinking":
                self._blocks[place] = thought = self._answer.add(ThinkingSlot())
                self._sign(thought, text_at(block, "signature"))
                return self._answer.thinking(text_at(block, "thinking"), {}, thought)
            case "redacted_thinking":
                opaque: JSONObject = {"redacted": text_at(block, "data"), **self._opaque}
                self._blocks[place] = self._answer.add(ThinkingSlot(opaque=opaque, bound=True))
            case "tool_use":
                self._blocks[place] = call = self._answer.call(text_at(block, "id"), text_at(block, "name"))
                whole = block.get("input")  # usually empty, and filled by deltas
                call.whole = as_json_text(whole) if whole else ""
                return self._answer.arguments(call, "")
            case _:
                self._blocks[place] = None
        return []

    def _delta(self, data: JSONObject) -> list[StreamEvent]:
        place = self._place(data, self._latest)
        delta = data.get("delta")
        if not is_object(delta):
            return []
        kind = delta.get("type")
        if place not in self._blocks:
            self._blocks[place] = self._unannounced(kind)
        slot = self._blocks[place]
        if isinstance(slot, TextSlot) and kind == "text_delta":
            return self._answer.text(text_at(delta, "text"), slot)
        if isinstance(slot, CallSlot) and kind == "input_json_delta":
            return self._answer.arguments(slot, text_at(delta, "partial_json"))
        if isinstance(slot, ThinkingSlot) and kind == "thinking_delta":
            return self._answer.thinking(text_at(delta, "thinking"), {}, slot)
        if isinstance(slot, ThinkingSlot) and kind == "signature_delta":
            self._sign(slot, text_at(delta, "signature"))
        return []

    def _unannounced(self, kind: object) -> Slot | None:
        """A block for a delta whose block was never opened. A call can't do without its name."""
        match kind:
            case "text_delta":
                return self._answer.add(TextSlot())
            case "thinking_delta":
                return self._answer.add(ThinkingSlot())
            case _:
                return None

    def _sign(self, slot: ThinkingSlot, piece: str) -> None:
        if piece:
            slot.opaque = {**self._opaque, "signature": text_at(slot.opaque, "signature") + piece}
            slot.bound = True

    @staticmethod
    def _place(data: JSONObject, otherwise: int) -> int:
        index = count_at(data, "index")
        return otherwise if index is None else index

    def _finish(self, data: JSONObject) -> None:
        reason = text_at(data, "delta", "stop_reason")
        if reason:
            self._stop = _STOPS.get(reason, "unknown")
        self._count(object_at(data, "usage"), (*_SENT, "output_tokens"))

    def _count(self, usage: JSONObject, keys: tuple[str, ...]) -> None:
        """Note counts. Later ones are meant to hold all that earlier ones held; one that fell to 0 doesn't count."""
        for key in keys:
            count = count_at(usage, key)
            if count is not None and (count or key not in self._counts):
                self._counts[key] = count

    def _usage(self) -> Usage:
        """The parts of the request that came from the cache, and went into it, are counted apart from the rest."""
        sent = sum(self._counts.get(key, 0) for key in _SENT)
        return Usage(
            input=sent or None,
            output=self._counts.get("output_tokens") or None,
            cached=self._counts.get("cache_read_input_tokens") if sent else None,
            cache_written=self._counts.get("cache_creation_input_tokens") if sent else None,
        )
