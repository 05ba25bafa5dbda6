"""From a step of the script to what happens on the socket."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from tests.support.llm.gate import Gate
from tests.support.llm.request import Request
from tests.support.llm.script import (
    Cut,
    Delay,
    Events,
    Failure,
    Framing,
    Hold,
    Pause,
    Raw,
    Reply,
    Status,
    Step,
    Stop,
    StreamError,
    as_reply,
)
from tests.support.llm.wire import ErrorAnswer, Item, Stream, WireFormat, divided, framed

End: TypeAlias = Literal["finish", "reset", "close"]

JSON_HEADERS = {"content-type": "application/json"}


@dataclass(frozen=True)
class Answer:
    """A response to play. `before`: halts ahead of the status line; `whole`: one body with a length, not chunks."""

    status: int
    headers: Mapping[str, str]
    body: Sequence[Item]
    end: End = "finish"
    before: Sequence[Gate | Pause] = field(default_factory=tuple[Gate | Pause, ...])
    whole: bool = False


def answer(step: Step | str, request: Request, wire: WireFormat) -> Answer:
    """The answer to a request as a step of the script wants it."""
    match step:
        case str() | Reply():
            return _reply(as_reply(step), request, wire)
        case Events(events, framing):
            items = [event if isinstance(event, Gate | Pause) else wire.event(event) for event in events]
            return _streamed(items, framing, wire)
        case Raw(body, status, headers):
            items = [body] if isinstance(body, bytes) else list(body)
            return Answer(status, {**_stream_headers(wire), **headers}, items)
        case Status() | Failure():
            return _error(step, wire)
        case StreamError() | Cut() | Hold():
            return _disturbed(step, request, wire)
        case Delay(until, then):
            late = answer(then, request, wire)
            halt = until if isinstance(until, Gate) else Pause(until)
            return replace(late, before=[halt, *late.before])


def refusal(error: ErrorAnswer, headers: Mapping[str, str] | None = None) -> Answer:
    """An error as one JSON body."""
    return whole_json(error.status, error.body, {**error.headers, **(headers or {})})


def whole_json(status: int, body: Mapping[str, object], headers: Mapping[str, str]) -> Answer:
    """Any JSON as one body."""
    return Answer(status, {**JSON_HEADERS, **headers}, [json.dumps(body, ensure_ascii=False).encode()], whole=True)


def _reply(reply: Reply, request: Request, wire: WireFormat) -> Answer:
    stream = wire.stream(reply, request)
    if wire.streams(request):
        return _streamed([*stream.content, *stream.ending], reply.framing, wire)
    halts = [item for item in stream.content if isinstance(item, Gate | Pause)]
    return replace(whole_json(200, wire.whole(reply, request), wire.headers()), before=halts)


def _streamed(items: Sequence[Item], framing: Framing, wire: WireFormat) -> Answer:
    lines = replace(framing, crlf=framing.crlf and "eventstream" not in wire.media_type)  # frames have no lines
    return Answer(200, _stream_headers(wire), framed(items, lines, wire.ping()))


def _stream_headers(wire: WireFormat) -> dict[str, str]:
    charset = "; charset=utf-8" if wire.media_type.startswith("text/") else ""
    return {"content-type": wire.media_type + charset, "cache-control": "no-cache", **wire.headers()}


def _error(step: Status | Failure, wire: WireFormat) -> Answer:
    if isinstance(step, Failure):
        headers = {} if step.retry_after is None else {"retry-after": f"{step.retry_after:g}"}
        return refusal(wire.failure(step.kind, step.message), headers)
    if step.body is None:
        return refusal(wire.error(step.status, f"The server answers {step.status}."), step.headers)
    data = step.body.encode() if isinstance(step.body, str) else step.body
    kind = "application/json" if data.lstrip()[:1] in (b"{", b"[") else "text/plain; charset=utf-8"
    return Answer(step.status, {"content-type": kind, **wire.headers(), **step.headers}, [data], whole=True)


def _disturbed(step: StreamError | Cut | Hold, request: Request, wire: WireFormat) -> Answer:
    reply = as_reply(step.after)
    stream = wire.stream(reply, request)
    if isinstance(step, StreamError):
        error = wire.failure_event(step.kind, step.message)
        return _streamed([*stream.content, error], reply.framing, wire)
    head, rest = _broken(stream, step.at)
    if isinstance(step, Cut):
        return replace(_streamed(head, reply.framing, wire), end=step.how)
    return _streamed([*head, step.gate, *rest], reply.framing, wire)


def _broken(stream: Stream, at: Stop) -> tuple[list[Item], list[Item]]:
    """The events before the break, and the others."""
    whole: list[Item] = [*stream.content, *stream.ending]
    match at:
        case "content":
            return stream.content, list(stream.ending)
        case "whole":
            return whole, []
        case int():
            return divided(whole, at)
