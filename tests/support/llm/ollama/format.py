"""The chat API of ollama: lines of JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from tests.support.llm.checks import JSONObject, RefusedError, is_object, objects
from tests.support.llm.ollama.checks import check_body
from tests.support.llm.request import Reading, Request, ToolResult
from tests.support.llm.script import Call, FailureKind, Reply, Usage, joined, pieces
from tests.support.llm.wire import ErrorAnswer, Item, Stream, compact, fresh_id

STOPS = {"end": "stop", "length": "length", "refusal": "stop"}

FAILURES: dict[FailureKind, tuple[int, str]] = {
    "rate_limit": (429, "too many requests, please try again later"),
    "overloaded": (503, "server busy, please try again.  maximum pending requests exceeded"),
    "quota": (402, "you have nothing left to spend"),
    "context": (400, "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"),
    "auth": (401, "unauthorized"),
    "permission": (403, "this model requires a subscription, upgrade for access"),
    "not_found": (404, "model 'test-model' not found"),
    "bad_request": (400, "invalid options: num_ctx"),
    "server": (500, "llama runner process has terminated: exit status 2"),
}


@dataclass(frozen=True)
class Ollama:
    """The wire format `ollama`. `calls_with_ids`: calls have ids, as those of newer servers have."""

    calls_with_ids: bool = False
    name: str = "ollama"
    path: str = "/api/chat"
    base: str = ""
    media_type: str = "application/x-ndjson"

    def calls(self, path: str) -> bool:
        """One path for all models."""
        return path == self.path

    def streams(self, request: Request) -> bool:
        """Unless told not to."""
        return request.at("stream") is not False

    def authorise(self, request: Request, api_key: str | None) -> None:
        """Wants a key only where one stands guard."""
        if api_key is not None and request.headers.get("authorization") != f"Bearer {api_key}":
            raise RefusedError("unauthorized", status=401)

    def check(self, request: Request) -> None:
        """Ollama's types, and what templates of models want."""
        check_body(request.body)

    def read(self, request: Request) -> Reading:
        """Messages by role."""
        tools = (tool.get("function") for tool in objects(request.body.get("tools")))
        reading = Reading(tool_names=[str(function.get("name")) for function in tools if is_object(function)])
        system: list[str] = []
        for message in objects(request.body.get("messages")):
            text = str(message.get("content") or "")
            match message.get("role"):
                case "system":
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
        """Thinking, text, then the calls, each whole in a line of its own; the last line has the counts."""
        head = _head(request)

        def line(message: JSONObject) -> bytes:
            return self.event({**head, "message": {"role": "assistant", "content": "", **message}, "done": False})

        content: list[Item] = [] if reply.text or reply.thinking or reply.tool_calls else [line({})]
        for field, text in (("thinking", reply.thinking if reply.thinking_shown else ""), ("content", reply.text)):
            content += [line({field: piece}) if isinstance(piece, str) else piece for piece in pieces(text)]
        for place, call in enumerate(reply.tool_calls):
            halts = [] if isinstance(call.arguments, Mapping) else pieces(call.arguments)
            content += [halt for halt in halts if not isinstance(halt, str)]
            content.append(line({"tool_calls": [self._call(place, call)]}))
        last = {**head, "message": {"role": "assistant", "content": ""}, **_ending(reply, request)}
        return Stream(content, [self.event(last)])

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """All of it in one line."""
        message: JSONObject = {"role": "assistant", "content": joined(reply.text)}
        if joined(reply.thinking) and reply.thinking_shown:
            message["thinking"] = joined(reply.thinking)
        if reply.tool_calls:
            message["tool_calls"] = [self._call(place, call) for place, call in enumerate(reply.tool_calls)]
        return {**_head(request), "message": message, **_ending(reply, request)}

    def event(self, payload: Mapping[str, object] | str) -> bytes:
        """One line."""
        return (payload if isinstance(payload, str) else compact(payload)).encode() + b"\n"

    def failure_event(self, kind: FailureKind, message: str | None = None) -> bytes:
        """An error as it is passed on from a server behind this one: its status stands beside it."""
        status, text = FAILURES[kind]
        named = f"{status} {HTTPStatus(status).phrase}"
        return self.event({"StatusCode": status, "Status": named, "error": message or text})

    def ping(self) -> bytes:
        """A blank line."""
        return b"\n"

    def headers(self) -> dict[str, str]:
        """None of its own."""
        return {}

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """Told apart by status and words."""
        status, text = FAILURES[kind]
        return self.error(status, message or text)

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """`{"error": "..."}`."""
        return ErrorAnswer(status, {"error": message}, {})

    def models(self, names: Sequence[str]) -> JSONObject:
        """The models that are there."""
        return {"models": [{"name": name, "model": name, "size": 1} for name in names]}

    def _call(self, place: int, call: Call) -> JSONObject:
        arguments: object = call.arguments if isinstance(call.arguments, Mapping) else joined(call.arguments)
        if isinstance(arguments, str):
            arguments = _decoded(arguments)
        function: JSONObject = {"index": place, "name": call.name, "arguments": arguments}
        return {**({"id": fresh_id("call_", 8)} if self.calls_with_ids else {}), "function": function}


def _decoded(arguments: str) -> object:
    """The object that a text is; a text that is none goes out as it is, which ollama itself would not do."""
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return value if is_object(value) else arguments


def _head(request: Request) -> JSONObject:
    return {"model": request.model, "created_at": "2026-03-01T12:00:00.000000Z"}


def _ending(reply: Reply, request: Request) -> JSONObject:
    usage = reply.usage or Usage(input=max(1, len(request.raw) // 4), output=max(1, len(pieces(reply.text))))
    stop = reply.stop or "end"  # also with calls
    return {
        "done": True,
        "done_reason": STOPS.get(stop, stop),
        "total_duration": 5_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_count": usage.input,
        "prompt_eval_duration": 2_000_000,
        "eval_count": usage.output,
        "eval_duration": 2_000_000,
    }
