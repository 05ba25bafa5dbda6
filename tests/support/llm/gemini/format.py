"""The Gemini API, as Google serves it to holders of a key."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.support.llm.checks import JSONObject, RefusedError, objects, value_at
from tests.support.llm.gemini.contents import check_contents
from tests.support.llm.gemini.models import checks_signatures, model_of
from tests.support.llm.gemini.parameters import check_parameters
from tests.support.llm.gemini.signatures import sign
from tests.support.llm.request import Reading, Request, ToolResult
from tests.support.llm.script import Call, FailureKind, Reply, Text, Usage, joined, pieces
from tests.support.llm.wire import ErrorAnswer, Item, Stream, compact, fresh_id, sse

PATH = re.compile(r"/v1beta/models/[^/:]+:(?:streamGenerateContent|generateContent)")
STOPS = {"end": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
NO_WORD_FOR_TOOLS = "OTHER"

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
INVALID_KEY = "API_KEY_INVALID"
TYPE = "type.googleapis.com/google.rpc."
DETAILS: dict[str, list[JSONObject]] = {
    INVALID_KEY: [{"@type": f"{TYPE}ErrorInfo", "reason": INVALID_KEY, "domain": "googleapis.com"}],
    "quota": [
        {
            "@type": f"{TYPE}QuotaFailure",
            "violations": [
                {
                    "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                    "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
                    "quotaValue": "20",
                }
            ],
        },
        {"@type": f"{TYPE}RetryInfo", "retryDelay": "36s"},
    ],
}

FAILURES: dict[FailureKind, tuple[int, str, str | None]] = {
    "rate_limit": (429, "Resource has been exhausted (e.g. check quota).", None),
    "overloaded": (503, "The model is overloaded. Please try again later.", None),
    "quota": (429, "You exceeded your current quota, please check your plan and billing details.", "quota"),
    "context": (
        400,
        "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        None,
    ),
    "auth": (400, "API key not valid. Please pass a valid API key.", INVALID_KEY),
    "permission": (403, "The caller does not have permission", None),
    "not_found": (404, "models/test-model is not found for API version v1beta, or is not supported.", None),
    "bad_request": (400, "Request contains an invalid argument.", None),
    "server": (500, "An internal error has occurred. Please retry or report.", None),
}


@dataclass(frozen=True)
class Gemini:
    """The wire format `gemini`.

    Newer models sign their first call, or the end of an answer without calls, and want calls signed; older ones sign
    what they thought about.
    """

    name: str = "gemini"
    base: str = "/v1beta"
    media_type: str = "text/event-stream"

    def calls(self, path: str) -> bool:
        """A path for each model, and for each way to be answered."""
        return PATH.fullmatch(path) is not None

    def streams(self, request: Request) -> bool:
        """The path says it."""
        return ":streamGenerateContent" in request.path

    def authorise(self, request: Request, api_key: str | None) -> None:
        """Wants `x-goog-api-key`, whatever it is if there is none to check it against."""
        given = request.headers.get("x-goog-api-key")
        if not given:
            message = "Method doesn't allow unregistered callers (callers without established identity)."
            raise RefusedError(message, status=403, kind="PERMISSION_DENIED")
        if api_key is not None and given != api_key:
            raise RefusedError(FAILURES["auth"][1], status=401, code=INVALID_KEY)

    def check(self, request: Request) -> None:
        """The API's own rules. Streams are served as events alone."""
        if not request.headers.get("content-type", "").startswith("application/json"):
            raise RefusedError("Invalid content type: must be application/json")
        if self.streams(request) and not request.path.endswith("?alt=sse"):
            raise RefusedError("alt: a stream is served with alt=sse alone")
        model = model_of(request.path)
        check_parameters(request.body, model)
        check_contents(request.body.get("contents"), model)

    def read(self, request: Request) -> Reading:
        """Contents by role; results out of the user's contents."""
        reading = Reading(system=_text(request.body.get("systemInstruction")), model=model_of(request.path))
        for tool in objects(request.body.get("tools")):
            reading.tool_names += [str(one.get("name")) for one in objects(tool.get("functionDeclarations"))]
        for content in objects(request.body.get("contents")):
            text = _text(content)
            if text:
                (reading.assistant_texts if content.get("role") == "model" else reading.user_texts).append(text)
            for part in objects(content.get("parts")):
                if "functionResponse" in part:
                    reading.tool_results.append(_result(part["functionResponse"]))
        return reading

    def stream(self, reply: Reply, request: Request) -> Stream:
        """A chunk for each part or piece of one; then the reason for the end, with usage."""
        counts = _counts(reply, request)
        head: JSONObject = {"modelVersion": model_of(request.path), "responseId": fresh_id("", 22)}

        def chunk(parts: list[JSONObject], usage: JSONObject, **more: object) -> bytes:
            candidate: JSONObject = {"content": {"parts": parts, "role": "model"}, **more, "index": 0}
            return self.event({"candidates": [candidate], "usageMetadata": usage, **head})

        sent: JSONObject = {"promptTokenCount": counts.input, "totalTokenCount": counts.input}
        content = [
            chunk([part], sent) if isinstance(part, dict) else part for part in _parts(reply, model_of(request.path))
        ]
        last = _last_part(reply, model_of(request.path))
        return Stream(content, [chunk([last], _usage(counts), finishReason=_stop(reply))])

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """A response with all parts."""
        model = model_of(request.path)
        parts = [part for part in _parts(reply, model) if isinstance(part, dict)]
        content: JSONObject = {"parts": [*parts, _last_part(reply, model)], "role": "model"}
        return {
            "candidates": [{"content": content, "finishReason": _stop(reply), "index": 0}],
            "usageMetadata": _usage(_counts(reply, request)),
            "modelVersion": model,
        }

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
        """What Google's front end says it is."""
        return {"server": "scaffolding on HTTPServer2"}

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """Told apart by `status` and `details`."""
        status, text, details = FAILURES[kind]
        return self.error(status, message or text, code=details)

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """`{"error": {code, message, status, details}}`; `code` picks the details. A wrong key is a bad argument."""
        del param
        status = 400 if code == INVALID_KEY else status
        words = STATUSES.get(status, kind if kind in STATUSES.values() else "UNKNOWN")
        error: JSONObject = {"code": status, "message": message, "status": words}
        if code in DETAILS:
            error["details"] = DETAILS[code]
        return ErrorAnswer(status, {"error": error}, {})

    def models(self, names: Sequence[str]) -> JSONObject:
        """A list of model objects."""
        methods = ["generateContent", "countTokens"]
        return {"models": [{"name": f"models/{name}", "supportedGenerationMethods": methods} for name in names]}


def _signs(reply: Reply, model: str) -> bool:
    return checks_signatures(model) or bool(joined(reply.thinking))


def _parts(reply: Reply, model: str) -> Iterator[JSONObject | Item]:
    """Thoughts, text and calls, the first of them signed."""
    for text, mark in ((reply.thinking if reply.thinking_shown else "", {"thought": True}), (reply.text, {})):
        for piece in pieces(text):
            yield {"text": piece, **mark} if isinstance(piece, str) else piece
    for place, call in enumerate(reply.tool_calls):
        if not isinstance(call.arguments, Mapping | str):
            yield from (piece for piece in call.arguments if not isinstance(piece, str))
        part: JSONObject = {"functionCall": _call(call, model)}
        yield {**part, "thoughtSignature": sign(part)} if place == 0 and _signs(reply, model) else part


def _last_part(reply: Reply, model: str) -> JSONObject:
    """An empty text, which bears the signature of an answer without calls."""
    last: JSONObject = {"text": ""}
    return {**last, "thoughtSignature": sign(last)} if _signs(reply, model) and not reply.tool_calls else last


def _call(call: Call, model: str) -> JSONObject:
    wire: JSONObject = {"name": call.name}
    identifier = call.id or (fresh_id("", 8).lower() if checks_signatures(model) else None)
    if identifier:
        wire["id"] = identifier
    arguments = dict(call.arguments) if isinstance(call.arguments, Mapping) else _arguments(call.arguments)
    return wire if arguments == "" else {**wire, "args": arguments}


def _arguments(text: Text) -> object:
    """Arguments given as text: the JSON that it is, or, as servers do that bridge to other models, a string."""
    try:
        return json.loads(joined(text))
    except (json.JSONDecodeError, RecursionError):
        return joined(text)


def _stop(reply: Reply) -> str:
    if reply.stop == "tools" and not reply.tool_calls:
        return NO_WORD_FOR_TOOLS
    return STOPS.get(reply.stop or "end", reply.stop or "end")


def _counts(reply: Reply, request: Request) -> Usage:
    return reply.usage or Usage(input=max(1, len(request.raw) // 4), output=max(1, len(pieces(reply.text))))


def _usage(usage: Usage) -> JSONObject:
    counts: JSONObject = {
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "totalTokenCount": usage.input + usage.output,
    }
    if usage.cached:
        counts["cachedContentTokenCount"] = usage.cached
    if usage.reasoning:
        counts["thoughtsTokenCount"] = usage.reasoning
    return counts


def _text(content: object) -> str:
    parts = [part for part in objects(value_at(content, "parts")) if "text" in part and not part.get("thought")]
    return "\n".join(str(part["text"]) for part in parts if part["text"])


def _result(response: object) -> ToolResult:
    failed = value_at(response, "response", "error")
    text = failed if failed is not None else value_at(response, "response", "output")
    return ToolResult(str(value_at(response, "id")), str(text), failed is not None)
