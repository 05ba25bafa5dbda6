"""The messages API, as Anthropic serves it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.support.llm.anthropic.messages import check_messages, prefix_of_answer
from tests.support.llm.anthropic.parameters import check_headers, check_parameters
from tests.support.llm.anthropic.signatures import seal, sign
from tests.support.llm.checks import JSONObject, RefusedError, objects
from tests.support.llm.request import Reading, Request, ToolResult
from tests.support.llm.script import Call, FailureKind, Reply, Text, Usage, joined, pieces
from tests.support.llm.wire import ErrorAnswer, Item, Stream, compact, fresh_id, sse

STOPS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens"}

KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}

FAILURES: dict[FailureKind, tuple[int, str]] = {
    "rate_limit": (429, "This request would exceed your organization's rate limit of 40,000 input tokens per minute."),
    "overloaded": (529, "Overloaded"),
    "quota": (400, "Your credit balance is too low to access the Anthropic API."),
    "context": (400, "prompt is too long: 200001 tokens > 200000 maximum"),
    "auth": (401, "invalid x-api-key"),
    "permission": (403, "Your API key does not have permission to use the specified resource."),
    "not_found": (404, "model: test-model"),
    "bad_request": (400, "Invalid request."),
    "server": (500, "Internal server error"),
}


@dataclass(frozen=True)
class Anthropic:
    """The wire format `anthropic`.

    `prefill`: take conversations that end with the assistant, as older models do. `preserved_thinking`: refuse thinking
    (that was asked for) once anything before it has changed, as newer models do.
    """

    prefill: bool = False
    preserved_thinking: bool = True
    name: str = "anthropic"
    path: str = "/v1/messages"
    base: str = ""
    media_type: str = "text/event-stream"

    def calls(self, path: str) -> bool:
        """One path for all models."""
        return path == self.path

    def streams(self, request: Request) -> bool:
        """If asked to."""
        return request.at("stream") is True

    def authorise(self, request: Request, api_key: str | None) -> None:
        """Wants `x-api-key` (or a bearer token), whatever it is if there is none to check it against."""
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if not given:
            raise RefusedError("x-api-key header is required", status=401, kind="authentication_error")
        if api_key is not None and given != api_key:
            raise RefusedError("invalid x-api-key", status=401, kind="authentication_error")

    def check(self, request: Request) -> None:
        """The API's own rules."""
        check_headers(request.headers)
        check_parameters(request.body, request.headers["anthropic-version"])
        check_messages(request.body, prefill=self.prefill, preserved_thinking=self.preserved_thinking)

    def read(self, request: Request) -> Reading:
        """Messages by role; tool results out of the user messages."""
        reading = Reading(system=_text(request.body.get("system")))
        reading.tool_names = [str(tool.get("name")) for tool in objects(request.body.get("tools"))]
        for message in objects(request.body.get("messages")):
            text = _text(message.get("content"))
            if text:
                texts = reading.user_texts if message.get("role") == "user" else reading.assistant_texts
                texts.append(text)
            reading.tool_results += [
                ToolResult(str(block.get("tool_use_id")), _text(block.get("content")), block.get("is_error") is True)
                for block in objects(message.get("content"))
                if block.get("type") == "tool_result"
            ]
        return reading

    def stream(self, reply: Reply, request: Request) -> Stream:
        """The start and the blocks; then the last block's stop, the stop reason and usage, the message's stop."""
        usage = _counts(reply, request)
        message: JSONObject = {
            "model": request.model,
            "id": fresh_id("msg_01", 22),
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**_usage(usage), "output_tokens": 1},
        }
        content: list[Item] = [self.event({"type": "message_start", "message": message})]
        closing: bytes | None = None
        for index, (block, deltas) in enumerate(_blocks(reply, request)):
            if closing is not None:
                content.append(closing)
            content.append(self.event({"type": "content_block_start", "index": index, "content_block": block}))
            if index == 0:
                content.append(self.ping())
            content += [
                self.event({"type": "content_block_delta", "index": index, "delta": delta})
                if isinstance(delta, dict)
                else delta
                for delta in deltas
            ]
            closing = self.event({"type": "content_block_stop", "index": index})
        stop: JSONObject = {"stop_reason": _stop(reply), "stop_sequence": None}
        ending = [closing] if closing is not None else []
        ending.append(self.event({"type": "message_delta", "delta": stop, "usage": _usage(usage)}))
        return Stream(content, [*ending, self.event({"type": "message_stop"})])

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """A message object."""
        blocks: list[JSONObject] = []
        if reply.thinking:
            thinking = joined(reply.thinking) if reply.thinking_shown else ""
            blocks.append({"type": "thinking", "thinking": thinking, "signature": _signature(reply, request)})
        if reply.redacted:
            blocks.append(
                {"type": "redacted_thinking", "data": seal(reply.redacted, asked=_asks_for_thinking(request))}
            )
        if joined(reply.text):
            blocks.append({"type": "text", "text": joined(reply.text)})
        for call in reply.tool_calls:
            arguments: object = json.loads(joined(_arguments(call)) or "{}")
            blocks.append({"type": "tool_use", "id": _call_id(call), "name": call.name, "input": arguments})
        return {
            "model": request.model,
            "id": fresh_id("msg_01", 22),
            "type": "message",
            "role": "assistant",
            "content": blocks,
            "stop_reason": _stop(reply),
            "stop_sequence": None,
            "usage": _usage(_counts(reply, request)),
        }

    def event(self, payload: Mapping[str, object] | str) -> bytes:
        """A named event: the name is the payload's type."""
        if isinstance(payload, str):
            return sse(payload)
        return sse(compact(payload), str(payload["type"]) if "type" in payload else None)

    def failure_event(self, kind: FailureKind, message: str | None = None) -> bytes:
        """The same body as an event."""
        return self.event(self.failure(kind, message).body)

    def ping(self) -> bytes:
        """A ping event."""
        return self.event({"type": "ping"})

    def headers(self) -> dict[str, str]:
        """The request's id."""
        return {"request-id": fresh_id("req_01", 22)}

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """Mostly told apart by status and type; an empty account and a full context by words alone."""
        status, text = FAILURES[kind]
        return self.error(status, message or text)

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """`{"type": "error", "error": {type, message}, "request_id"}`; there is no room for `param` and `code`."""
        request_id = fresh_id("req_01", 22)
        error: JSONObject = {"type": kind or KINDS.get(status, "api_error"), "message": message}
        body: JSONObject = {"type": "error", "error": error, "request_id": request_id}
        return ErrorAnswer(status, body, {"request-id": request_id})

    def models(self, names: Sequence[str]) -> JSONObject:
        """A page of model objects."""
        data = [
            {"type": "model", "id": name, "display_name": name, "created_at": "2025-01-01T00:00:00Z"} for name in names
        ]
        return {
            "data": data,
            "has_more": False,
            "first_id": names[0] if names else None,
            "last_id": names[-1] if names else None,
        }


def _asks_for_thinking(request: Request) -> bool:
    return request.at("thinking", "type") in ("enabled", "adaptive", "between_tools")


def _signature(reply: Reply, request: Request) -> str:
    shown = joined(reply.thinking) if reply.thinking_shown else ""
    return sign(shown, prefix_of_answer(request.body), asked=_asks_for_thinking(request))


def _blocks(reply: Reply, request: Request) -> Iterator[tuple[JSONObject, list[JSONObject | Item]]]:
    """Each block as it starts, and its deltas."""
    if reply.thinking:
        signature: JSONObject = {"type": "signature_delta", "signature": _signature(reply, request)}
        deltas = _deltas("thinking_delta", "thinking", reply.thinking) if reply.thinking_shown else []
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
    if reply.redacted:
        yield {"type": "redacted_thinking", "data": seal(reply.redacted, asked=_asks_for_thinking(request))}, []
    if reply.text:
        yield {"type": "text", "text": ""}, _deltas("text_delta", "text", reply.text)
    for call in reply.tool_calls:
        opening: JSONObject = {"type": "input_json_delta", "partial_json": ""}
        deltas = _deltas("input_json_delta", "partial_json", _arguments(call))
        yield {"type": "tool_use", "id": _call_id(call), "name": call.name, "input": {}}, [opening, *deltas]


def _deltas(kind: str, field: str, text: Text) -> list[JSONObject | Item]:
    return [{"type": kind, field: piece} if isinstance(piece, str) else piece for piece in pieces(text)]


def _arguments(call: Call) -> Text:
    return json.dumps(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments


def _call_id(call: Call) -> str:
    return call.id if call.id is not None else fresh_id("toolu_01", 22)


def _stop(reply: Reply) -> str:
    stop = reply.stop or ("tools" if reply.tool_calls else "end")
    return STOPS.get(stop, stop)


def _counts(reply: Reply, request: Request) -> Usage:
    return reply.usage or Usage(input=max(1, len(request.raw) // 4), output=max(1, len(pieces(reply.text))))


def _usage(usage: Usage) -> JSONObject:
    """The API counts cached tokens beside `input_tokens`, not in it."""
    return {
        "input_tokens": usage.input - usage.cached - usage.cache_write,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
        "output_tokens_details": {"thinking_tokens": usage.reasoning},
    }


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text")) for block in objects(content) if block.get("type") == "text")
