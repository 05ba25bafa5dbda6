"""A reply as items, and the events that tell of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.support.llm.checks import JSONObject
from tests.support.llm.openai_responses.sealing import seal
from tests.support.llm.script import Call, Piece, Reply, Text, joined, pieces
from tests.support.llm.wire import Item, fresh_id


@dataclass(frozen=True)
class Told:
    """An item as it is opened and closed, and what is said of it in between: payloads, and halts."""

    opened: JSONObject
    closed: JSONObject
    first: list[JSONObject] = field(default_factory=list[JSONObject])
    deltas: list[JSONObject | Item] = field(default_factory=list[JSONObject | Item])
    last: list[JSONObject] = field(default_factory=list[JSONObject])


def items_of(reply: Reply, model: str, *, encrypted: bool, phases: bool) -> list[Told]:
    """The items of a reply: reasoning, then a message, then calls."""
    told: list[Told] = []
    shared = fresh_id("", 24)
    thoughts = [(reply.thinking, reply.thinking_shown)] if reply.thinking else []
    thoughts += [(reply.redacted, False)] if reply.redacted else []
    for number, (text, shown) in enumerate(thoughts):
        identifier = f"rs_{shared}_{number}"
        sealed = seal(joined(text), identifier, model) if encrypted else None
        told.append(_reasoning(text if shown else "", identifier, sealed))
    ids = (f"{shared}_{number}" if thoughts else fresh_id("", 24) for number in range(len(reply.tool_calls) + 1))
    if reply.text or not (reply.tool_calls or thoughts):
        phase = ("commentary" if reply.tool_calls else "final_answer") if phases else None
        told.append(_message(reply.text, f"msg_{next(ids)}", phase))
    return [*told, *(_call(call, f"fc_{next(ids)}") for call in reply.tool_calls)]


def _reasoning(text: Text, identifier: str, sealed: str | None) -> Told:
    opened: JSONObject = {"id": identifier, "type": "reasoning", "summary": []}
    if sealed is not None:
        opened["encrypted_content"] = sealed[:8]  # as yet incomplete
    closed: JSONObject = {**opened, "encrypted_content": sealed} if sealed is not None else opened
    if not text:
        return Told(opened, closed)
    part: JSONObject = {"type": "summary_text", "text": joined(text)}
    where: JSONObject = {"item_id": identifier, "summary_index": 0}
    kind = "response.reasoning_summary"
    return Told(
        opened,
        {**closed, "summary": [part]},
        [{"type": f"{kind}_part.added", **where, "part": {**part, "text": ""}}],
        _deltas(f"{kind}_text.delta", where, text),
        [
            {"type": f"{kind}_text.done", **where, "text": joined(text)},
            {"type": f"{kind}_part.done", **where, "part": part},
        ],
    )


def _message(text: Text, identifier: str, phase: str | None) -> Told:
    opened: JSONObject = {
        "id": identifier,
        "type": "message",
        "status": "in_progress",
        "content": [],
        "role": "assistant",
        **({"phase": phase} if phase else {}),
    }
    part: JSONObject = {"type": "output_text", "annotations": [], "logprobs": [], "text": joined(text)}
    where: JSONObject = {"item_id": identifier, "content_index": 0}
    return Told(
        opened,
        {**opened, "status": "completed", "content": [part]},
        [{"type": "response.content_part.added", **where, "part": {**part, "text": ""}}],
        _deltas("response.output_text.delta", {**where, "logprobs": []}, text),
        [
            {"type": "response.output_text.done", **where, "text": joined(text), "logprobs": []},
            {"type": "response.content_part.done", **where, "part": part},
        ],
    )


def _call(call: Call, identifier: str) -> Told:
    text = json.dumps(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments
    opened: JSONObject = {
        "id": identifier,
        "type": "function_call",
        "status": "in_progress",
        "arguments": "",
        "call_id": call.id if call.id is not None else fresh_id("call_"),
        "name": call.name,
    }
    where: JSONObject = {"item_id": identifier}
    kind = "response.function_call_arguments"
    return Told(
        opened,
        {**opened, "status": "completed", "arguments": joined(text)},
        [],
        _deltas(f"{kind}.delta", where, text),
        [{"type": f"{kind}.done", **where, "arguments": joined(text)}],
    )


def _deltas(kind: str, where: JSONObject, text: Text) -> list[JSONObject | Item]:
    def delta(piece: Piece) -> JSONObject | Item:
        return {"type": kind, **where, "delta": piece} if isinstance(piece, str) else piece

    return [delta(piece) for piece in pieces(text)]


def payloads(told: Sequence[Told]) -> tuple[list[JSONObject | Item], list[JSONObject]]:
    """All that is said of the items up to the last delta, and what comes after that."""
    content: list[JSONObject | Item] = []
    closing: list[JSONObject] = []
    for place, item in enumerate(told):
        content += [*closing, *_placed(_beginning(item), place), *_placed(item.deltas, place)]
        closing = _events(_placed([*item.last, {"type": "response.output_item.done", "item": item.closed}], place))
    return content, closing


def _beginning(item: Told) -> list[JSONObject]:
    return [{"type": "response.output_item.added", "item": item.opened}, *item.first]


def _placed(events: Sequence[JSONObject | Item], place: int) -> Iterator[JSONObject | Item]:
    for event in events:
        yield {**event, "output_index": place} if isinstance(event, dict) else event


def _events(events: Iterator[JSONObject | Item]) -> list[JSONObject]:
    return [event for event in events if isinstance(event, dict)]
