"""How the answer of ``bedrock`` is read: events that fill numbered blocks."""

from panto.json_values import JSONObject, array_at, count_at, is_object, object_at, text_at
from panto.llm.answer import Answer, CallSlot, Slot, TextSlot, ThinkingSlot, as_json_text
from panto.llm.failures import error_in
from panto.llm.formats.bedrock.event_stream import EXCEPTION
from panto.llm.framing import ServerEvent
from panto.llm.json_text import from_json
from panto.llm.names import ToolNames
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, USAGE_WAIT, ServerError
from panto.messages import Assistant, StopReason, Usage

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "refused",
    "content_filtered": "refused",
}
_SENT = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")


class ConverseDecoder:
    """Reads one message. ``opaque`` is kept with its thinking."""

    def __init__(self, names: ToolNames, model: str, opaque: JSONObject) -> None:
        self._opaque = opaque
        self._answer = Answer(names, model)
        self._blocks: dict[int, Slot] = {}
        self._latest = 0
        self._stop: StopReason | None = None
        self._usage: Usage | None = None

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        if self._stop is None:
            return None
        return USAGE_WAIT if self._usage is None else END_WAIT

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        """Take an event."""
        if event.name.startswith(EXCEPTION):
            raise ServerError(_reported(event))
        data = from_json(event.data.strip() or b"{}")
        if not is_object(data):
            raise ValueError("an event is no JSON object")
        match event.name:
            case "contentBlockStart":
                return self._start(data, object_at(data, "start"))
            case "contentBlockDelta":
                return self._fill(data, object_at(data, "delta"))
            case "messageStop":
                self._stop = _STOPS.get(text_at(data, "stopReason"), "unknown")
            case "metadata":
                self._usage = _usage(object_at(data, "usage"))
            case _:
                return self._other(data)
        return []

    def message(self, broken: str = "") -> Assistant:
        """The answer so far."""
        return self._answer.message(self._stop or "end", self._usage or Usage(), broken)

    def _other(self, data: JSONObject) -> list[StreamEvent]:
        """An event that is not for us, an error, or an answer in one piece from a server that does not stream."""
        error = error_in(data)
        if error is not None or isinstance(data.get("message"), str):
            raise ServerError(error or data)
        deltas: list[StreamEvent] = []
        for place, block in enumerate(array_at(data, "output", "message", "content")):
            if is_object(block):
                deltas += self._whole({"contentBlockIndex": place}, block)
        if "output" in data:
            self._stop = _STOPS.get(text_at(data, "stopReason"), "unknown")
            self._usage = _usage(object_at(data, "usage"))
        return deltas

    def _whole(self, place: JSONObject, block: JSONObject) -> list[StreamEvent]:
        call = block.get("toolUse")
        if is_object(call):
            given: JSONObject = {"toolUse": {"input": as_json_text(call.get("input"))}}
            return [*self._start(place, block), *self._fill(place, given)]
        said = block.get("reasoningContent", {})
        if not is_object(said) or "reasoningText" not in said:
            return self._fill(place, block)
        return self._fill(place, {"reasoningContent": said["reasoningText"]})

    def _start(self, data: JSONObject, start: JSONObject) -> list[StreamEvent]:
        """A block opens. Only calls have something to say at that."""
        call = start.get("toolUse")
        place = self._place(data, self._latest + 1 if self._blocks else 0)
        if not is_object(call):
            return []
        self._blocks[place] = slot = self._answer.call(text_at(call, "toolUseId"), text_at(call, "name"))
        return self._answer.arguments(slot, "")

    def _fill(self, data: JSONObject, delta: JSONObject) -> list[StreamEvent]:
        """More of a block. Texts and thinking are opened by their first piece; a call can't do without its name."""
        place = self._place(data, self._latest)
        text, reasoning = delta.get("text"), delta.get("reasoningContent")
        if place not in self._blocks:
            if isinstance(text, str):
                self._blocks[place] = self._answer.add(TextSlot())
            elif is_object(reasoning):
                self._blocks[place] = self._answer.add(ThinkingSlot())
        slot = self._blocks.get(place)
        if isinstance(slot, TextSlot) and isinstance(text, str):
            return self._answer.text(text, slot)
        if isinstance(slot, ThinkingSlot) and is_object(reasoning):
            return self._think(slot, reasoning)
        if isinstance(slot, CallSlot):
            return self._answer.arguments(slot, text_at(delta, "toolUse", "input"))
        return []

    def _think(self, slot: ThinkingSlot, piece: JSONObject) -> list[StreamEvent]:
        for key, kept in (("signature", "signature"), ("redactedContent", "redacted")):
            more = text_at(piece, key)
            if more:
                slot.opaque = {**self._opaque, **slot.opaque, kept: text_at(slot.opaque, kept) + more}
                slot.bound = True
        return self._answer.thinking(text_at(piece, "text"), {}, slot)

    def _place(self, data: JSONObject, otherwise: int) -> int:
        index = count_at(data, "contentBlockIndex")
        self._latest = otherwise if index is None else index
        return self._latest


def _reported(event: ServerEvent) -> JSONObject:
    """The error that an event says there is, with the kind of it as its code."""
    try:
        said = from_json(event.data.strip() or b"{}")
    except ValueError:
        said = None
    kind = event.name.removeprefix(EXCEPTION)
    message = text_at(said, "message") or text_at(said, "Message") or kind
    return {"message": message, "code": kind[:1].upper() + kind[1:]}


def _usage(usage: JSONObject) -> Usage:
    """The parts of the request that came from the cache, and went into it, are counted apart from the rest."""
    sent = sum(count_at(usage, key) or 0 for key in _SENT)
    return Usage(
        input=sent or None,
        output=count_at(usage, "outputTokens"),
        cached=count_at(usage, "cacheReadInputTokens") if sent else None,
        cache_written=count_at(usage, "cacheWriteInputTokens") if sent else None,
    )
