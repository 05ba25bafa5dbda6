"""The responses API, as OpenAI serves it to those who have nothing stored."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.support.llm.checks import JSONObject, is_array, objects, value_at
from tests.support.llm.openai_chat.format import OpenAIChat
from tests.support.llm.openai_responses.items import check_input
from tests.support.llm.openai_responses.parameters import check_parameters, check_tools
from tests.support.llm.openai_responses.stream import items_of, payloads
from tests.support.llm.request import Reading, Request, ToolResult
from tests.support.llm.script import FailureKind, Reply, Usage, pieces
from tests.support.llm.wire import ErrorAnswer, Item, Stream, compact, fresh_id, sse

REASONS = {"length": "max_output_tokens", "refusal": "content_filter"}
_CHAT = OpenAIChat()
"""What the two APIs of OpenAI have in common: the key, errors, and the list of models."""


@dataclass(frozen=True)
class OpenAIResponses:
    """The wire format `openai-responses`.

    `phases`: messages say whether they are comments or the final answer, and want to say it again when they come back.
    """

    phases: bool = False
    name: str = "openai-responses"
    path: str = "/v1/responses"
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
        _CHAT.authorise(request, api_key)

    def check(self, request: Request) -> None:
        """OpenAI's own rules, and a few of the stricter servers that speak its format."""
        check_parameters(request.body)
        check_tools(request.body)
        check_input(request.body["input"], request.model, phases=self.phases)

    def read(self, request: Request) -> Reading:
        """Items by type; instructions, system and developer messages are system text."""
        reading = Reading(tool_names=[str(value_at(tool, "name")) for tool in objects(request.body.get("tools"))])
        given = request.body.get("input")
        system = [str(request.body["instructions"])] if request.body.get("instructions") else []
        if isinstance(given, str):
            reading.user_texts.append(given)
        for item in objects(given):
            text = _text(item.get("content"))
            match item.get("type", "message"), item.get("role"):
                case "message", "system" | "developer":
                    system.append(text)
                case "message", "user" if text:
                    reading.user_texts.append(text)
                case "message", "assistant" if text:
                    reading.assistant_texts.append(text)
                case "function_call_output", _:
                    found = ToolResult(str(item.get("call_id")), _text(item.get("output")), is_error=False)
                    reading.tool_results.append(found)
                case _:
                    pass
        reading.system = "\n".join(system)
        return reading

    def stream(self, reply: Reply, request: Request) -> Stream:
        """The response as it begins; each item as it opens, grows and closes; the response as a whole."""
        told = items_of(reply, request.model, encrypted=_encrypted(request), phases=self.phases)
        between, closing = payloads(told)
        head = _head(request)
        begun: JSONObject = {**head, "status": "in_progress", "output": [], "usage": None}
        response = self._finished(head, reply, request, [item.closed for item in told])
        number = 0

        def event(payload: JSONObject) -> bytes:
            nonlocal number
            number += 1
            return self.event({**payload, "sequence_number": number - 1})

        content: list[Item] = [event({"type": f"response.{kind}", "response": begun}) for kind in _BEGINNINGS]
        content += [event(item) if isinstance(item, dict) else item for item in between]
        end: JSONObject = {"type": f"response.{response['status']}", "response": response}
        return Stream(content, [event(payload) for payload in (*closing, end)])

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """A response object."""
        told = items_of(reply, request.model, encrypted=_encrypted(request), phases=self.phases)
        return self._finished(_head(request), reply, request, [item.closed for item in told])

    def event(self, payload: Mapping[str, object] | str) -> bytes:
        """A named event: the name is the payload's type."""
        if isinstance(payload, str):
            return sse(payload)
        return sse(compact(payload), str(payload["type"]) if "type" in payload else None)

    def failure_event(self, kind: FailureKind, message: str | None = None) -> bytes:
        """An event `error`, which has the error's fields beside its type."""
        error = value_at(self.failure(kind, message).body, "error")
        code = value_at(error, "code") or value_at(error, "type")
        fields: JSONObject = {"code": code, "message": value_at(error, "message"), "param": None}
        return self.event({"type": "error", **fields, "sequence_number": 0})

    def ping(self) -> bytes:
        """A sign of life."""
        return self.event({"type": "keepalive", "sequence_number": 0})

    def headers(self) -> dict[str, str]:
        """The request's id."""
        return _CHAT.headers()

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """Mostly told apart by `code`."""
        return _CHAT.failure(kind, message)

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """`{"error": {message, type, param, code}}`."""
        return _CHAT.error(status, message, kind, param, code)

    def models(self, names: Sequence[str]) -> JSONObject:
        """A list object of model objects."""
        return _CHAT.models(names)

    def _finished(self, head: JSONObject, reply: Reply, request: Request, output: list[JSONObject]) -> JSONObject:
        stop = reply.stop or "end"
        complete = stop == "end" or (stop == "tools" and bool(reply.tool_calls))
        return {
            **head,
            "status": "completed" if complete else "incomplete",
            "incomplete_details": None if complete else {"reason": REASONS.get(stop, stop)},
            "output": output,
            "usage": _usage(reply, request),
        }


_BEGINNINGS = ("created", "in_progress")


def _encrypted(request: Request) -> bool:
    include = request.at("include")
    return is_array(include) and "reasoning.encrypted_content" in include


def _head(request: Request) -> JSONObject:
    return {
        "id": fresh_id("resp_", 48).lower(),
        "object": "response",
        "created_at": int(time.time()),
        "error": None,
        "incomplete_details": None,
        "model": request.model,
        "store": request.body.get("store", True),
        "parallel_tool_calls": True,
    }


def _usage(reply: Reply, request: Request) -> JSONObject:
    usage = reply.usage or Usage(input=max(1, len(request.raw) // 4), output=max(1, len(pieces(reply.text))))
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in objects(content) if "text" in part)
