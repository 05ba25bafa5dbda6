"""How the answer of ``gemini`` is read: chunks, each with parts that are whole, or more of the text before.

There is no end mark: an answer is whole when a reason for its end has come.
"""

from panto.json_values import JSONObject, array_at, count_at, is_array, is_object, object_at, text_at, value_at
from panto.llm.answer import Answer, CallSlot, TextSlot, ThinkingSlot, as_json_text
from panto.llm.failures import error_in
from panto.llm.formats.gemini.contents import answered_name
from panto.llm.formats.gemini.signatures import BEHIND, KIND, SIGNATURE, SIGNED
from panto.llm.json_text import from_json
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import StreamEvent, TextDelta, ThinkingDelta
from panto.llm.wire import END_WAIT, USAGE_WAIT, ServerError
from panto.messages import Assistant, StopReason, Usage

_STOPS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "LANGUAGE": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "IMAGE_SAFETY": "refused",
    "IMAGE_PROHIBITED_CONTENT": "refused",
    "IMAGE_RECITATION": "refused",
    "ESCALATION": "refused",
    "PUP_LIMITED_DISABLED": "refused",
    "MODEL_ARMOR": "refused",
}
_FAULTS: dict[str, str] = {
    "MALFORMED_FUNCTION_CALL": "the model made a tool call that can't be read",
    "UNEXPECTED_TOOL_CALL": "the model called a tool that it was not offered",
    "TOO_MANY_TOOL_CALLS": "the model made too many tool calls",
    "MALFORMED_RESPONSE": "the model's answer can't be read",
    "MISSING_THOUGHT_SIGNATURE": "the server misses a signature in the conversation",
}
"""Ends that are none: there is no answer to go on with, and nothing of it may be run."""
_NO_REASON = ("", "FINISH_REASON_UNSPECIFIED")
_EMPTY = {"text", "thought", SIGNATURE}
"""What a part has that is nothing but a signature."""
_COUNTS = (
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
)


class ContentDecoder:
    """Reads one answer."""

    def __init__(self, names: ToolNames, model: str) -> None:
        self._answer = Answer(names, model)
        self._text = _Text(self._answer)
        self._stop: StopReason | None = None
        self._counts: dict[str, int] = {}
        self._counted = False

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        if self._stop is None:
            return None
        return END_WAIT if self._counted else USAGE_WAIT

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        """Take a chunk, or, from a server that does not stream events, a list of all."""
        if not event.data or event.data.isspace():
            return []
        data = from_json(event.data)
        deltas: list[StreamEvent] = []
        for chunk in data if is_array(data) else [data]:
            if not is_object(chunk):
                raise ValueError("a chunk is no JSON object")
            deltas += self._chunk(chunk)
        return deltas

    def message(self, broken: str = "") -> Assistant:
        """The answer so far."""
        return self._answer.message(self._stop or "end", self._usage(), broken)

    def _chunk(self, chunk: JSONObject) -> list[StreamEvent]:
        candidate = value_at(chunk, "candidates", 0)
        if candidate is None or "error" in chunk:
            error = error_in(chunk)
            if error is not None:
                raise ServerError(error)
        usage = object_at(chunk, "usageMetadata")
        self._count(usage)
        if text_at(chunk, "promptFeedback", "blockReason"):
            self._stop = "refused"
        deltas: list[StreamEvent] = []
        for part in array_at(candidate, "content", "parts"):
            if is_object(part):
                deltas += self._part(part)
        self._finish(text_at(candidate, "finishReason"), text_at(candidate, "finishMessage"))
        self._counted = self._counted or (self._stop is not None and bool(usage))
        return deltas

    def _part(self, part: JSONObject) -> list[StreamEvent]:
        """A part: mostly text, or a call; both, from servers that err."""
        text, call, signature = text_at(part, "text"), object_at(part, "functionCall"), text_at(part, SIGNATURE)
        deltas: list[StreamEvent] = []
        if text or not part.keys() - _EMPTY:
            deltas += self._text.add(text, thought=part.get("thought") is True, signature="" if call else signature)
        if call:
            deltas += self._call(call, signature)
        return deltas

    def _call(self, call: JSONObject, signature: str) -> list[StreamEvent]:
        slot = self._answer.call(text_at(call, "id"), answered_name(text_at(call, "name")))
        if signature:
            slot.opaque[SIGNATURE] = signature
        self._text.end(slot)
        arguments = call.get("args")
        piece = arguments if isinstance(arguments, str) else "" if arguments is None else as_json_text(arguments)
        return self._answer.arguments(slot, piece)

    def _finish(self, reason: str, words: str) -> None:
        if reason in _FAULTS:
            what = f"{_FAULTS[reason]} ({reason})"
            raise ServerError({"message": f"{what}: {words}" if words else what, "status": reason})
        if reason not in _NO_REASON:
            self._stop = _STOPS.get(reason, "unknown")

    def _count(self, usage: JSONObject) -> None:
        """Note counts: each holds all that the ones before it held."""
        for key in _COUNTS:
            count = count_at(usage, key)
            if count is not None:
                self._counts[key] = count

    def _usage(self) -> Usage:
        """Thoughts, and what went to tools of the server's own, are counted apart from the rest."""
        sent = self._counts.get("promptTokenCount", 0) + self._counts.get("toolUsePromptTokenCount", 0)
        thoughts = self._counts.get("thoughtsTokenCount")
        answered = self._counts.get("candidatesTokenCount")
        output = None if answered is None and thoughts is None else (answered or 0) + (thoughts or 0)
        return Usage(
            input=sent or None,
            output=output,
            cached=self._counts.get("cachedContentTokenCount"),
            reasoning=thoughts,
        )


class _Text:
    """The text or thought that grows, with a note of what of it is signed."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._slot: TextSlot | ThinkingSlot | None = None
        self._note = ThinkingSlot()
        self._length = 0
        self._call: CallSlot | None = None

    def add(self, text: str, *, thought: bool, signature: str) -> list[StreamEvent]:
        """More of it, or the beginning of another."""
        if not text and not signature:
            return []
        if not text and self._slot is None and self._call is not None:
            behind = self._call.opaque.setdefault(BEHIND, [])
            if is_array(behind):
                behind.append(signature)
            return []
        slot = self._slot
        if slot is None or isinstance(slot, ThinkingSlot) != thought:
            slot = self._begin(thought=thought)
        start = self._length
        is_text = isinstance(slot, TextSlot)
        deltas = self._answer.text(text, slot) if is_text else self._answer.thinking(text, {}, slot)
        self._length += sum(len(delta.text) for delta in deltas if isinstance(delta, TextDelta | ThinkingDelta))
        if signature:
            self._sign(start, signature)
        return deltas

    def end(self, call: CallSlot) -> None:
        """A call came: what text comes next is another."""
        self._slot = None
        self._call = call

    def _begin(self, *, thought: bool) -> TextSlot | ThinkingSlot:
        self._note = self._answer.add(ThinkingSlot(opaque={KIND: "thought" if thought else "text"}))
        self._slot = slot = self._note if thought else self._answer.add(TextSlot())
        self._length = 0
        return slot

    def _sign(self, start: int, signature: str) -> None:
        pieces = self._note.opaque.setdefault(SIGNED, [])
        if is_array(pieces):
            pieces.append([start, self._length, signature])
        self._note.bound = True
