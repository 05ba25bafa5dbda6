"""An answer as it grows: text, thinking and tool calls in the order in which they came, whatever the wire format."""

from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import msgspec

from panto.json_values import JSONObject, is_object
from panto.llm.json_text import to_json, valid_text
from panto.llm.names import ToolNames
from panto.llm.types import CallDelta, StreamEvent, TextDelta, ThinkingDelta
from panto.messages import Assistant, StopReason, Text, Thinking, ToolCall, Usage, new_id

CUT_BY_LENGTH = "its arguments were cut off by the length limit"
CUT_BY_PROVIDER = "its arguments were cut off by the provider"
CUT_BY_BREAK = "the answer broke off before the call was complete"
_CUTS: dict[StopReason, str] = {"length": CUT_BY_LENGTH, "refused": CUT_BY_PROVIDER}


@dataclass
class _Strand:
    """Pieces of one text. The first half of a surrogate pair waits for the second."""

    pieces: list[str] = field(default_factory=list[str])
    half: str = ""

    def add(self, piece: str) -> str:
        """Take a piece; what comes back is what can be shown of it."""
        if self.half or not piece.isascii():
            piece = self.half + piece
            self.half = piece[-1] if "\ud800" <= piece[-1:] <= "\udbff" else ""
            piece = valid_text(piece[: len(piece) - len(self.half)])
        self.pieces.append(piece)
        return piece

    @property
    def text(self) -> str:
        return "".join(self.pieces) + ("\ufffd" if self.half else "")


@dataclass
class TextSlot:
    """Text that grows."""

    strand: _Strand = field(default_factory=_Strand)


@dataclass
class ThinkingSlot:
    """Thinking that grows, with what must go back with it. ``bound``: only behind all that it stands behind now."""

    strand: _Strand = field(default_factory=_Strand)
    opaque: JSONObject = field(default_factory=dict[str, object])
    bound: bool = False


@dataclass
class CallSlot:
    """A call that grows.

    ``index`` is its place among the calls, ``name`` is as the model wrote it, and ``whole`` are arguments that came in
    one piece, in case that no others come. ``opaque`` is what must go back with the call.
    """

    index: int
    id: str = ""
    name: str = ""
    whole: str = ""
    announced: bool = False
    strand: _Strand = field(default_factory=_Strand)
    opaque: JSONObject = field(default_factory=dict[str, object])

    @property
    def raw(self) -> str:
        """The arguments as they came."""
        text = self.strand.text
        return text if text.strip() else self.whole


Slot: TypeAlias = TextSlot | ThinkingSlot | CallSlot
NewSlot = TypeVar("NewSlot", bound=Slot)


class Answer:
    """Collects one answer."""

    def __init__(self, names: ToolNames, model: str) -> None:
        self._names = names
        self._model = model
        self._slots: list[Slot] = []
        self.calls: list[CallSlot] = []

    def text(self, piece: str, slot: TextSlot | None = None) -> list[StreamEvent]:
        """More text, in the given slot or the present one."""
        if slot is None:
            last = self._slots[-1] if self._slots else None
            slot = last if isinstance(last, TextSlot) else self.add(TextSlot())
        shown = slot.strand.add(piece)
        return [TextDelta(shown)] if shown else []

    def thinking(self, piece: str, opaque: JSONObject, slot: ThinkingSlot | None = None) -> list[StreamEvent]:
        """More thinking, in the given slot or the present one if that has the same ``opaque``."""
        if slot is None:
            last = self._slots[-1] if self._slots else None
            if isinstance(last, ThinkingSlot) and last.opaque == opaque:
                slot = last
            else:
                slot = self.add(ThinkingSlot(opaque=opaque))
        shown = slot.strand.add(piece)
        return [ThinkingDelta(shown)] if shown else []

    def call(self, id_: str, name: str) -> CallSlot:
        """A new call."""
        slot = CallSlot(len(self.calls), id_, name)
        self.calls.append(slot)
        self._slots.append(slot)
        return slot

    def arguments(self, slot: CallSlot, piece: str) -> list[StreamEvent]:
        """More of a call's arguments; the first time, with a name, the call is announced."""
        deltas: list[StreamEvent] = []
        name = self._names.to_tool(slot.name)
        if slot.name and not slot.announced:
            slot.announced = True
            deltas.append(CallDelta(slot.index, name))
        shown = slot.strand.add(piece)
        if shown:
            deltas.append(CallDelta(slot.index, name, shown))
        return deltas

    def message(self, stop: StopReason, usage: Usage, error: str = "") -> Assistant:
        """The answer as a message. If there is an ``error``, none of its calls may be run."""
        seen: set[str] = set()
        parts: list[Text | Thinking | ToolCall] = []
        bound = [place for place, slot in enumerate(self._slots) if isinstance(slot, ThinkingSlot) and slot.bound]
        needed = bound[-1] if bound else 0  # blank texts too, before this place
        for place, slot in enumerate(self._slots):
            if isinstance(slot, CallSlot):
                if slot.name or slot.raw:  # some servers open a call and say nothing of it
                    parts.append(self._tool_call(slot, seen, _cut(slot, self.calls, stop, error)))
            elif isinstance(slot, ThinkingSlot):
                if slot.bound or slot.strand.text.strip():
                    parts.append(Thinking(slot.strand.text, slot.opaque))
            elif slot.strand.text.strip() or place < needed:
                parts.append(Text(slot.strand.text))
        if not error:
            stop = _trusted(stop, any(isinstance(part, ToolCall) for part in parts))
        return Assistant(tuple(parts), self._model, "error" if error else stop, usage, error)

    def add(self, slot: NewSlot) -> NewSlot:
        """A new slot, after those there are."""
        self._slots.append(slot)
        return slot

    def _tool_call(self, slot: CallSlot, seen: set[str], cut: str) -> ToolCall:
        id_ = slot.id if slot.id and slot.id not in seen else f"call_{new_id()}"
        seen.add(id_)
        raw = slot.raw
        name = self._names.to_tool(valid_text(slot.name))
        problem, arguments = _read_arguments(raw)
        if cut == CUT_BY_BREAK or (cut and (problem or not raw.strip())):
            problem = cut
        if problem:
            return ToolCall(valid_text(id_), name, opaque=slot.opaque, problem=problem, raw=raw)
        return ToolCall(valid_text(id_), name, arguments, slot.opaque)


def _cut(slot: CallSlot, calls: list[CallSlot], stop: StopReason, error: str) -> str:
    """What may have kept this call from being complete; empty if nothing has."""
    if error:
        return CUT_BY_BREAK
    return _CUTS.get(stop, "") if slot is calls[-1] else ""


def _trusted(stop: StopReason, has_calls: bool) -> StopReason:
    """Why the model stopped. Servers err about it: the calls say more than the reason, except when it was cut."""
    if has_calls:
        return stop if stop in _CUTS else "tool_calls"
    return "unknown" if stop == "tool_calls" else stop


def _read_arguments(raw: str) -> tuple[str, JSONObject]:
    """What is wrong with a call's arguments (empty: nothing), and the arguments."""
    if not raw.strip():
        return "", {}
    try:
        value: object = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        return f"its arguments are not valid JSON ({error})", {}
    if value is None:
        return "", {}
    return ("", value) if is_object(value) else ("its arguments are not a JSON object", {})


def as_json_text(value: object) -> str:
    """Arguments that a server sent decoded, as the text they should have been."""
    return to_json(value).decode()
