"""The chat completions API, as OpenAI serves it and many others after it."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.support.llm.checks import JSONObject, RefusedError, objects, value_at
from tests.support.llm.openai_chat.messages import check_messages, check_reasoning
from tests.support.llm.openai_chat.parameters import check_parameters, check_tools
from tests.support.llm.request import Reading, Request, ToolResult
from tests.support.llm.script import Call, FailureKind, Reply, Text, Usage, joined, pieces
from tests.support.llm.wire import ErrorAnswer, Item, Stream, compact, fresh_id, sse

STOPS = {"end": "stop", "tools": "tool_calls", "length": "length", "refusal": "content_filter"}

FAILURES: dict[FailureKind, tuple[int, str, str | None, str]] = {
    "rate_limit": (429, "tokens", "rate_limit_exceeded", "Rate limit reached for test-model on tokens per min (TPM)."),
    "overloaded": (
        503,
        "service_unavailable_error",
        None,
        "The engine is currently overloaded, please try again later.",
    ),
    "quota": (
        429,
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota, please check your plan.",
    ),
    "context": (
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    "auth": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    "permission": (
        403,
        "invalid_request_error",
        "model_not_allowed",
        "Project does not have access to model `test-model`.",
    ),
    "not_found": (404, "invalid_request_error", "model_not_found", "The model `test-model` does not exist."),
    "bad_request": (400, "invalid_request_error", None, "Invalid request."),
    "server": (500, "server_error", None, "The server had an error while processing your request. Sorry about that!"),
}


@dataclass(frozen=True)
class OpenAIChat:
    """The wire format `openai-chat`.

    `reasoning_field`: where a compatible server puts thinking. `require_reasoning`: refuse tool calls that come back
    without theirs, as some do. `extra`: names to take beside OpenAI's own, at the top level and in content parts.
    """

    reasoning_field: str = "reasoning_content"
    require_reasoning: bool = False
    extra: frozenset[str] = frozenset()
    name: str = "openai-chat"
    path: str = "/v1/chat/completions"
    base: str = "/v1"
    media_type: str = "text/event-stream"

    def calls(self, path: str) -> bool:
        """One path for all models."""
        return path == self.path

    def streams(self, request: Request) -> bool:
        """If asked to."""
        return request.at("stream") is True

    def authorise(self, request: Request, api_key: str | None) -> None:
        """Wants `Authorization: Bearer KEY`, if there is a key to want."""
        given = request.headers.get("authorization", "")
        if api_key is None or given == f"Bearer {api_key}":
            return
        if not given:
            message = "You didn't provide an API key. Provide it in an Authorization header using Bearer auth."
            raise RefusedError(message, status=401)
        raise RefusedError("Incorrect API key provided.", status=401, code="invalid_api_key")

    def check(self, request: Request) -> None:
        """OpenAI's own rules, and a few of the stricter servers that speak its format."""
        check_parameters(request.body, self.extra)
        check_tools(request.body)
        check_messages(request.body["messages"], self.extra)
        if self.require_reasoning:
            check_reasoning(request.body, self.reasoning_field)

    def read(self, request: Request) -> Reading:
        """Messages by role; developer messages are system text."""
        reading = Reading(
            tool_names=[str(value_at(tool, "function", "name")) for tool in objects(request.body.get("tools"))]
        )
        system: list[str] = []
        for message in objects(request.body.get("messages")):
            text = _text(message.get("content"))
            match message.get("role"):
                case "system" | "developer":
                    system.append(text)
                case "user" if text:
                    reading.user_texts.append(text)
                case "assistant" if text:
                    reading.assistant_texts.append(text)
                case "tool":
                    reading.tool_results.append(ToolResult(str(message.get("tool_call_id")), text, is_error=False))
                case _:
                    pass
        reading.system = "\n".join(system)
        return reading

    def stream(self, reply: Reply, request: Request) -> Stream:
        """Role, thinking, text, calls; then the finish reason, usage if asked for, and the end mark."""
        with_usage = request.at("stream_options", "include_usage") is True
        head = _head("chat.completion.chunk", request)
        tail: JSONObject = {"usage": None} if with_usage else {}

        def chunk(delta: JSONObject, finish: str | None = None) -> bytes:
            choice: JSONObject = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return self.event({**head, "choices": [choice], **tail})

        opening = "" if joined(reply.text) or not reply.tool_calls else None
        content: list[Item] = [chunk({"role": "assistant", "content": opening, "refusal": None})]
        shown = reply.thinking if reply.thinking_shown else ""
        for field, text in ((self.reasoning_field, shown), ("content", reply.text)):
            content += [chunk({field: piece}) if isinstance(piece, str) else piece for piece in pieces(text)]
        for index, call in enumerate(reply.tool_calls):
            for item in _call_deltas(index, call):
                content.append(chunk(item) if isinstance(item, dict) else item)
        ending = [chunk({}, _finish(reply))]
        if with_usage:
            ending.append(self.event({**head, "choices": [], "usage": _usage(reply, request)}))
        return Stream(content, [*ending, self.event("[DONE]")])

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """A chat completion object."""
        message: JSONObject = {
            "role": "assistant",
            "content": joined(reply.text) or None,
            "refusal": None,
            "annotations": [],
        }
        if joined(reply.thinking) and reply.thinking_shown:
            message[self.reasoning_field] = joined(reply.thinking)
        if reply.tool_calls:
            message["tool_calls"] = [
                {
                    "id": _call_id(call),
                    "type": "function",
                    "function": {"name": call.name, "arguments": joined(_arguments(call))},
                }
                for call in reply.tool_calls
            ]
        choice: JSONObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        return {**_head("chat.completion", request), "choices": [choice], "usage": _usage(reply, request)}

    def event(self, payload: Mapping[str, object] | str) -> bytes:
        """Data alone: this API does not name its events."""
        return sse(payload if isinstance(payload, str) else compact(payload))

    def failure_event(self, kind: FailureKind, message: str | None = None) -> bytes:
        """The same body as an event."""
        return self.event(self.failure(kind, message).body)

    def ping(self) -> bytes:
        """A comment line, as routers in front of slow models send."""
        return b": keep-alive\n\n"

    def headers(self) -> dict[str, str]:
        """The request's id."""
        return {"x-request-id": fresh_id("req_", 32).lower()}

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """Mostly told apart by `code`."""
        status, error_type, code, text = FAILURES[kind]
        return self.error(status, message or text, error_type, code=code)

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """`{"error": {message, type, param, code}}`."""
        kind = kind or ("server_error" if status >= 500 else "invalid_request_error")
        body: JSONObject = {"error": {"message": message, "type": kind, "param": param, "code": code}}
        return ErrorAnswer(status, body, {})

    def models(self, names: Sequence[str]) -> JSONObject:
        """A list object of model objects."""
        models = [{"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "system"} for name in names]
        return {"object": "list", "data": models}


def _head(kind: str, request: Request) -> JSONObject:
    head: JSONObject = {
        "id": fresh_id("chatcmpl-", 29),
        "object": kind,
        "created": int(time.time()),
        "model": request.model,
    }
    return {**head, "service_tier": "default", "system_fingerprint": "fp_a288987b44"}


def _finish(reply: Reply) -> str:
    stop = reply.stop or ("tools" if reply.tool_calls else "end")
    return STOPS.get(stop, stop)


def _call_id(call: Call) -> str:
    return call.id if call.id is not None else fresh_id("call_")


def _arguments(call: Call) -> Text:
    return json.dumps(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments


def _call_deltas(index: int, call: Call) -> Iterator[JSONObject | Item]:
    """A call's deltas: id and name first, with empty arguments; then the arguments, by index alone."""
    function: JSONObject = {"name": call.name, "arguments": ""}
    yield {"tool_calls": [{"index": index, "id": _call_id(call), "type": "function", "function": function}]}
    for piece in pieces(_arguments(call)):
        if isinstance(piece, str):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
        else:
            yield piece


def _usage(reply: Reply, request: Request) -> JSONObject:
    usage = reply.usage or Usage(input=max(1, len(request.raw) // 4), output=max(1, len(pieces(reply.text))))
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning, "audio_tokens": 0},
    }


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text")) for part in objects(content) if part.get("type") == "text")
