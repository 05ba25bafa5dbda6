"""The Converse API of Amazon Bedrock, in its streaming form."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from tests.support.llm.bedrock.checks import check_body
from tests.support.llm.bedrock.frames import event, exception
from tests.support.llm.bedrock.signatures import Keys, check_signature
from tests.support.llm.checks import JSONObject, RefusedError, is_object, objects, value_at
from tests.support.llm.request import Reading, Request, ToolResult
from tests.support.llm.script import Call, FailureKind, Reply, Text, Usage, joined, pieces
from tests.support.llm.wire import ErrorAnswer, Item, Stream, compact, fresh_id

PATH = re.compile(r"/model/([^/]+)/converse-stream")
STOPS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "content_filtered"}
EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")

FAILURES: dict[FailureKind, tuple[int, str, str]] = {
    "rate_limit": (429, "ThrottlingException", "Too many requests, please wait before trying again."),
    "overloaded": (503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
    "quota": (400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."),
    "context": (400, "ValidationException", "Input is too long for requested model."),
    "auth": (403, "UnrecognizedClientException", "The security token included in the request is invalid."),
    "permission": (403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
    "not_found": (404, "ResourceNotFoundException", "The model is not found."),
    "bad_request": (400, "ValidationException", "The provided request is not valid."),
    "server": (500, "InternalServerException", "The system encountered an unexpected error. Try your request again."),
}


@dataclass(frozen=True)
class Bedrock:
    """The wire format `bedrock`. With `keys`, requests must be signed with them; else a bearer's key is wanted."""

    keys: Keys | None = None
    name: str = "bedrock"
    base: str = ""
    media_type: str = "application/vnd.amazon.eventstream"

    def calls(self, path: str) -> bool:
        """A path for each model."""
        return PATH.fullmatch(path) is not None

    def streams(self, request: Request) -> bool:
        """Always: the other form has a path of its own."""
        return True

    def authorise(self, request: Request, api_key: str | None) -> None:
        """Wants a signature, or a bearer's key."""
        if self.keys is not None:
            check_signature(request, self.keys)
        elif api_key is not None and request.headers.get("authorization") != f"Bearer {api_key}":
            raise RefusedError("Invalid API Key format", status=403, kind="AccessDeniedException")

    def check(self, request: Request) -> None:
        """AWS's own model, and the rules beside it."""
        if request.headers.get("content-type") != "application/json":
            raise RefusedError("The content type is not application/json", status=415)
        check_body(_model(request), request.body)

    def read(self, request: Request) -> Reading:
        """Blocks by role."""
        tools = objects(value_at(request.body, "toolConfig", "tools"))
        reading = Reading(
            system="\n".join(str(part["text"]) for part in objects(request.body.get("system")) if "text" in part),
            tool_names=[str(value_at(tool, "toolSpec", "name")) for tool in tools if "toolSpec" in tool],
            model=_model(request),
        )
        for message in objects(request.body.get("messages")):
            content = objects(message.get("content"))
            text = "\n".join(str(block["text"]) for block in content if "text" in block)
            if text:
                (reading.user_texts if message.get("role") == "user" else reading.assistant_texts).append(text)
            results = (block["toolResult"] for block in content if is_object(block.get("toolResult")))
            reading.tool_results += [_result(result) for result in results]
        return reading

    def stream(self, reply: Reply, request: Request) -> Stream:
        """A message of blocks; then why it stopped, and the counts."""
        content: list[Item] = [self.event({"messageStart": {"role": "assistant"}})]
        blocks = [*_thinking(reply), *_texts(reply), *map(_call, reply.tool_calls)]
        for place, (start, deltas) in enumerate(blocks):
            if start is not None:
                content.append(self.event({"contentBlockStart": {"start": start, "contentBlockIndex": place}}))
            for delta in deltas:
                payload = {"contentBlockDelta": {"delta": delta, "contentBlockIndex": place}}
                content.append(self.event(payload) if isinstance(delta, dict) else delta)
            content.append(self.event({"contentBlockStop": {"contentBlockIndex": place}}))
        stop = self.event({"messageStop": {"stopReason": _stop(reply)}})
        return Stream(content, [stop, self.event({"metadata": _metadata(reply, request)})])

    def whole(self, reply: Reply, request: Request) -> JSONObject:
        """A message in one piece, as the other path has it."""
        content: list[JSONObject] = []
        for start, deltas in (*_texts(reply), *map(_call, reply.tool_calls)):
            if start is None:
                content.append({"text": joined(reply.text)})
            else:
                made = "".join(str(value_at(delta, "toolUse", "input")) for delta in deltas if isinstance(delta, dict))
                content.append({"toolUse": {**_object(start["toolUse"]), "input": json.loads(made or "{}")}})
        message = {"role": "assistant", "content": content}
        return {"output": {"message": message}, "stopReason": _stop(reply), **_metadata(reply, request)}

    def event(self, payload: Mapping[str, object] | str) -> bytes:
        """A frame: of the type that the payload's only key names, or of a type that nobody knows."""
        if isinstance(payload, str):
            kind, separator, data = payload.partition(" ")
            return event(kind, data.encode()) if separator and kind in EVENTS else event(EVENTS[2], payload.encode())
        if len(payload) == 1:
            ((kind, data),) = payload.items()
            if kind in EVENTS and is_object(data):
                return event(kind, compact({**data, "p": "abcdef"}).encode())
        return event("somethingNew", compact(payload).encode())

    def failure_event(self, kind: FailureKind, message: str | None = None) -> bytes:
        """An exception."""
        _, name, text = FAILURES[kind]
        return exception(name[:1].lower() + name[1:], compact({"message": message or text}).encode())

    def ping(self) -> bytes:
        """An event of a type that nobody knows."""
        return event("somethingNew", b"{}")

    def headers(self) -> dict[str, str]:
        """The request's id."""
        return {"x-amzn-requestid": fresh_id("", 32).lower()}

    def failure(self, kind: FailureKind, message: str | None = None) -> ErrorAnswer:
        """Named in a header."""
        status, name, text = FAILURES[kind]
        return self.error(status, message or text, name)

    def error(
        self, status: int, message: str, kind: str | None = None, param: str | None = None, code: str | None = None
    ) -> ErrorAnswer:
        """`{"message": ...}`, and the kind of error in a header."""
        usual = "InternalServerException" if status >= 500 else "ValidationException"
        named = usual if kind in (None, "invalid_request_error") else kind
        headers = {"x-amzn-errortype": f"{named}:http://internal.amazon.com/coral/com.amazon.bedrock/"}
        return ErrorAnswer(status, {"message": message}, headers)

    def models(self, names: Sequence[str]) -> JSONObject:
        """The models that there are."""
        return {"modelSummaries": [{"modelId": name} for name in names]}


def _model(request: Request) -> str:
    found = PATH.fullmatch(request.path.partition("?")[0])
    return unquote(found[1]) if found else ""


def _object(value: object) -> JSONObject:
    return value if is_object(value) else {}


def _result(result: object) -> ToolResult:
    text = "\n".join(str(part["text"]) for part in objects(value_at(result, "content")) if "text" in part)
    return ToolResult(str(value_at(result, "toolUseId")), text, value_at(result, "status") == "error")


Block = tuple[JSONObject | None, list[JSONObject | Item]]


def _thinking(reply: Reply) -> list[Block]:
    blocks: list[Block] = []
    if joined(reply.thinking):
        shown = reply.thinking if reply.thinking_shown else ""
        texts: list[JSONObject | Item] = [_reasoning("text", piece) for piece in pieces(shown)]
        blocks.append((None, [*texts, {"reasoningContent": {"signature": fresh_id("sig")}}]))
    if reply.redacted:
        sealed = base64.b64encode(reply.redacted.encode()).decode()
        blocks.append((None, [{"reasoningContent": {"redactedContent": sealed}}]))
    return blocks


def _reasoning(key: str, piece: object) -> JSONObject | Item:
    return {"reasoningContent": {key: piece}} if isinstance(piece, str) else piece  # pyright: ignore[reportReturnType]


def _texts(reply: Reply) -> list[Block]:
    found: list[JSONObject | Item] = [
        {"text": piece} if isinstance(piece, str) else piece for piece in pieces(reply.text)
    ]
    return [(None, found)] if found else []


def _call(call: Call) -> Block:
    identifier = call.id if call.id is not None else fresh_id("tooluse_", 22)
    start: JSONObject = {"toolUse": {"toolUseId": identifier, "name": call.name}}
    arguments: Text = json.dumps(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments
    deltas: list[JSONObject | Item] = [
        {"toolUse": {"input": piece}} if isinstance(piece, str) else piece for piece in pieces(arguments)
    ]
    return start, deltas


def _stop(reply: Reply) -> str:
    stop = reply.stop or ("tools" if reply.tool_calls else "end")
    return STOPS.get(stop, stop)


def _metadata(reply: Reply, request: Request) -> JSONObject:
    usage = reply.usage or Usage(input=max(1, len(request.raw) // 4), output=max(1, len(pieces(reply.text))))
    counts: JSONObject = {
        "inputTokens": usage.input - usage.cached - usage.cache_write,
        "outputTokens": usage.output,
        "totalTokens": usage.input + usage.output,
        "cacheReadInputTokens": usage.cached,
        "cacheWriteInputTokens": usage.cache_write,
    }
    return {"usage": counts, "metrics": {"latencyMs": 551}}
