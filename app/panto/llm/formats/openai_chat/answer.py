"""How the answer of ``openai-chat`` is read: chunks of a chat completion, from servers that agree on little."""

from collections.abc import Iterable

from panto.json_values import JSONObject, array_at, count_at, is_array, is_object, object_at, text_at
from panto.llm.answer import Answer, CallSlot, ThinkingSlot, as_json_text
from panto.llm.failures import error_in
from panto.llm.formats.openai_chat.thinking import ReasoningDetails
from panto.llm.json_text import from_json
from panto.llm.names import ToolNames
from panto.llm.sse import ServerEvent
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, USAGE_WAIT, ServerError
from panto.messages import Assistant, StopReason, Usage

_STOPS: dict[str, StopReason] = {
    "stop": "end",
    "eos": "end",
    "end_turn": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refused",
}
_REASONING_FIELDS = ("reasoning_content", "reasoning")


class ChatDecoder:
    """Reads one chat completion."""

    def __init__(self, names: ToolNames, model: str) -> None:
        self._answer = Answer(names, model)
        self._first = self._answer.add(ThinkingSlot())  # thinking that must go back stands before what it led to
        self._details = ReasoningDetails()
        self._by_index: dict[int, CallSlot] = {}
        self._stop: StopReason | None = None
        self._refused = False
        self._said = False
        self._ended = False
        self._usage = Usage()

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        if self._ended:
            return END_WAIT
        if self._stop is None:
            return None
        return USAGE_WAIT if self._usage.output is None else END_WAIT

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        """Take a chunk."""
        if event.data == b"[DONE]":
            self._ended = True
            return []
        if not event.data or event.data.isspace():
            return []
        chunk = from_json(event.data)
        if not is_object(chunk):
            raise ValueError("a chunk is no JSON object")
        choices = chunk.get("choices")
        choice = choices[0] if is_array(choices) and choices else None
        if choice is None or "error" in chunk:
            error = error_in(chunk)
            if error is not None:
                raise ServerError(error)
        usage = chunk.get("usage") or object_at(chunk, "x_groq").get("usage")
        if not is_object(choice):
            self._count(usage)
            return []
        self._count(usage or choice.get("usage"))
        return self._choice(choice)

    def message(self, broken: str = "") -> Assistant:
        """The answer so far."""
        stop = "refused" if self._refused else self._stop or "end"
        if self._details.blocks:
            self._first.opaque = {**self._first.opaque, "details": self._details.blocks}
            self._first.bound = True
        return self._answer.message(stop, self._usage, broken)

    def _choice(self, choice: JSONObject) -> list[StreamEvent]:
        delta = choice.get("delta") or choice.get("message")
        deltas = self._delta(delta) if is_object(delta) else []
        reason = choice.get("finish_reason")
        if reason == "error":
            raise ServerError(object_at(choice, "error"))
        if isinstance(reason, str) and reason:
            self._stop = _STOPS.get(reason, "unknown")
        return deltas

    def _delta(self, delta: JSONObject) -> list[StreamEvent]:
        deltas = self._reasoning(delta)
        thoughts = len(deltas)
        content = delta.get("content")
        if isinstance(content, str):
            if content:
                deltas += self._answer.text(content)
        elif is_array(content):
            deltas += self._blocks(content)
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refused = True
            deltas += self._answer.text(refusal)
        self._said = self._said or len(deltas) > thoughts
        calls = delta.get("tool_calls")
        for call in calls if is_array(calls) else ():
            if is_object(call) and call:
                deltas += self._call(call)
        return deltas

    def _reasoning(self, delta: JSONObject) -> list[StreamEvent]:
        details = self._details.add(array_at(delta, "reasoning_details"))
        field = next((field for field in _REASONING_FIELDS if text_at(delta, field)), "")
        thought = text_at(delta, field) if field else details
        if not thought:
            return []
        if self._said or self._answer.calls:
            return self._answer.thinking(thought, {"field": field} if field else {})
        self._first.opaque = {"field": field} if field else {}
        return self._answer.thinking(thought, {}, self._first)

    def _blocks(self, blocks: Iterable[object]) -> list[StreamEvent]:
        """Content as a list of blocks, as some servers send it."""
        deltas: list[StreamEvent] = []
        for block in blocks:
            deltas += self._answer.text(text_at(block, "text"))
            for thought in array_at(block, "thinking"):
                deltas += self._answer.thinking(text_at(thought, "text"), {})
        return deltas

    def _call(self, call: JSONObject) -> list[StreamEvent]:
        function = object_at(call, "function")
        slot = self._slot(count_at(call, "index"), text_at(call, "id"), text_at(function, "name"))
        slot.id = slot.id or text_at(call, "id")
        slot.name = slot.name or text_at(function, "name")
        arguments = function.get("arguments")
        piece = arguments if isinstance(arguments, str) else "" if arguments is None else as_json_text(arguments)
        return self._answer.arguments(slot, piece)

    def _slot(self, index: int | None, id_: str, name: str) -> CallSlot:
        """The call that a delta belongs to: by index, else by id, else the latest, unless it names a tool anew.

        Some servers send index 0 for all calls, so that an index with another id and a name is another call.
        """
        known = self._by_index.get(index) if index is not None else self._without_index(id_, name)
        if known is not None and not (id_ and name and known.id and id_ != known.id):
            return known
        slot = self._answer.call(id_, name)
        if index is not None:
            self._by_index[index] = slot
        return slot

    def _without_index(self, id_: str, name: str) -> CallSlot | None:
        calls = self._answer.calls
        if id_:
            return next((slot for slot in calls if slot.id == id_), None)
        return calls[-1] if calls and not name else None

    def _count(self, usage: object) -> None:
        if is_object(usage) and usage:
            self._usage = _usage(usage, self._usage)


def _usage(usage: JSONObject, known: Usage) -> Usage:
    """What is counted here, and for the rest what was known. A request of no tokens was not counted at all."""
    sent = count_at(usage, "prompt_tokens") or None
    answered = count_at(usage, "completion_tokens")
    cached = count_at(usage, "prompt_tokens_details", "cached_tokens")
    if cached is None:
        cached = count_at(usage, "prompt_cache_hit_tokens")
    reasoning = count_at(usage, "completion_tokens_details", "reasoning_tokens")
    return Usage(
        input=known.input if sent is None else sent,
        output=known.output if answered is None or (sent is None and not answered) else answered,
        cached=known.cached if cached is None else cached,
        cache_written=known.cache_written,
        reasoning=known.reasoning if reasoning is None else reasoning,
    )
