"""The wire format ``bedrock``: the Converse API. Here is how a request is put."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from panto.json_values import JSONObject, object_at, text_at
from panto.llm.formats.bedrock.answer import ConverseDecoder
from panto.llm.formats.bedrock.blocks import blocks_of
from panto.llm.formats.bedrock.event_stream import EVENT_STREAM
from panto.llm.formats.bedrock.families import family_of, thinking_of
from panto.llm.formats.bedrock.hints import hint_for
from panto.llm.names import ToolNames
from panto.llm.remembered import put_history
from panto.llm.sendable import Rules
from panto.llm.turns import Turn, Turns, latest_answer, latest_two_of_the_user
from panto.llm.types import Endpoint, Request
from panto.llm.wire import Call, Post, key_headers, with_parameters
from panto.messages import Assistant

DEFAULT_MAX_TOKENS = 8192
"""The bound of an answer in which thinking is asked for, which has to be known then."""

_OURS = frozenset({"model", "modelId", "messages", "system", "toolConfig", "stream"})
_OF_THE_REQUEST = frozenset(
    {
        "additionalModelRequestFields",
        "additionalModelResponseFieldPaths",
        "guardrailConfig",
        "inferenceConfig",
        "outputConfig",
        "performanceConfig",
        "projectIdentifier",
        "requestMetadata",
        "serviceTier",
    }
)
"""Parameters that the API itself has."""
_INFERENCE = {
    "temperature": "temperature",
    "top_p": "topP",
    "topP": "topP",
    "stop_sequences": "stopSequences",
    "stopSequences": "stopSequences",
}
"""Parameters that have a place in ``inferenceConfig``. All others (``top_k``, ``thinking``) are the model's own."""
_NOT_WHILE_THINKING = frozenset({"temperature", "topP", "top_k"})
"""What a model that is asked to think does not take."""
_POINT: JSONObject = {"cachePoint": {"type": "default"}}
_MORE = "additionalModelRequestFields"
_NO_DESCRIPTION = "No description."
_THINKING = "thinking"


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``converse-stream``, with cache points where the next one will be the same so far."""
    model = f"{endpoint.provider}/{request.model}"
    config, fields = _parameters(request)
    put = _put(request, names, endpoint.provider, asked=_asks(fields))
    if _must_not_think(fields, put.turns):
        fields = {key: value for key, value in fields.items() if key != _THINKING}
        put = _put(request, names, endpoint.provider, asked=False)
    given = {key: value for key, value in request.parameters.items() if key in _OF_THE_REQUEST | _OURS}
    body = with_parameters({}, given, _OURS)
    for key, value in (("inferenceConfig", config), (_MORE, fields)):
        body.pop(key, None)
        if value:
            body[key] = value
    family = family_of(request.model)
    if put.system:
        body["system"] = [*put.system, _POINT] if family.caches else put.system
    if put.tools:
        body["toolConfig"] = {"tools": [*put.tools, _POINT] if family.caches_tools else put.tools}
    body["messages"] = put.messages
    opaque: JSONObject = {"prefix": put.prefix, **({"asked": True} if _asks(fields) else {})}
    return Call(
        f"/model/{quote(request.model, safe='')}/converse-stream",
        body,
        ConverseDecoder(names, model, opaque),
        {} if endpoint.signer else key_headers(endpoint),
        framing=EVENT_STREAM,
        sign=_signing(endpoint),
        hint=hint_for(request, endpoint),
    )


def _signing(endpoint: Endpoint) -> Callable[[Post], Post] | None:
    signer = endpoint.signer
    if signer is None:
        return None
    return lambda post: replace(post, headers={**post.headers, **signer.headers(post.url, post.body)})


def _parameters(request: Request) -> tuple[JSONObject, JSONObject]:
    """What goes into ``inferenceConfig``, and the model's own fields. What the parameters say wins."""
    given = request.parameters
    own = {key: value for key, value in given.items() if key not in _OF_THE_REQUEST | _OURS | _INFERENCE.keys()}
    bound = request.max_tokens or DEFAULT_MAX_TOKENS
    fields = {**thinking_of(request, bound), **own, **object_at(given, _MORE)}
    known = {_INFERENCE[key]: value for key, value in given.items() if key in _INFERENCE}
    if _asks(fields):
        fields, known = (
            {key: value for key, value in these.items() if key not in _NOT_WHILE_THINKING} for these in (fields, known)
        )
    limit = {"maxTokens": bound} if request.max_tokens or _asks(fields) else {}
    return {**limit, **known, **object_at(given, "inferenceConfig")}, fields


@dataclass(frozen=True)
class _Put:
    """What of a request the model reads; ``prefix`` is a digest of all of it, without cache points.

    ``turns`` are the last ones, ``messages`` all of them as they are sent.
    """

    system: list[JSONObject]
    tools: list[JSONObject]
    turns: list[Turn]
    messages: list[object]
    prefix: str


def _put(request: Request, names: ToolNames, provider: str, *, asked: bool) -> _Put:
    family = family_of(request.model)

    def goes_back(opaque: JSONObject) -> bool:
        """Thinking that was asked for may only go back where it is asked for again."""
        return ("signature" in opaque or "redacted" in opaque) and (asked or "asked" not in opaque)

    rules = Rules(goes_back=goes_back, images_in_results=family.images_in_results, sees_images=request.sees_images)
    system: list[JSONObject] = [{"text": text} for text in request.system if text.strip()]
    tools = _tools(request, names)
    fold = Turns(lambda message: blocks_of(message, names, family), {"system": system, "tools": tools})
    put = put_history(request, rules, fold, key=(fold.digest, asked, request.sees_images), provider=provider)
    turns = put.fold.feed(put.rest)
    return _Put(system, tools, turns, put.with_items(_messages(turns, caches=family.caches)), put.fold.digest)


def _asks(fields: JSONObject) -> bool:
    return text_at(fields, _THINKING, "type") in ("enabled", "adaptive")


def _must_not_think(fields: JSONObject, turns: Sequence[Turn]) -> bool:
    """Whether the model goes on, after results of tools, with an answer that it began without thinking.

    In the mode ``enabled``, that is refused.
    """
    answer = latest_answer(turns)
    return (
        text_at(fields, _THINKING, "type") == "enabled"
        and answer is not None
        and any("toolUse" in block for block in answer.blocks)
        and "reasoningContent" not in answer.blocks[0]
    )


def _tools(request: Request, names: ToolNames) -> list[JSONObject]:
    """The tools, sorted. A history with calls needs tools even if none may be called now."""
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        return [_tool(names.to_wire(tool.name), tool.description, tool.parameters) for tool in tools]
    calls = (call for message in request.messages if isinstance(message, Assistant) for call in message.calls)
    schema: JSONObject = {"type": "object", "properties": {}}
    return [_tool(name, "", schema) for name in sorted({names.to_wire(call.name) for call in calls})]


def _tool(name: str, description: str, schema: JSONObject) -> JSONObject:
    """A tool. The API takes no blank description, and of a schema only that of an object."""
    described = description if description.strip() else _NO_DESCRIPTION
    return {
        "toolSpec": {
            "name": name,
            "description": described,
            "inputSchema": {"json": {**schema, "type": "object"}},
        }
    }


def _messages(turns: Sequence[Turn], *, caches: bool) -> list[JSONObject]:
    """The turns with cache points behind the user's last two: what the last request wrote, and what this one adds."""
    marked = latest_two_of_the_user(turns) if caches else []
    return [
        Turn(turn.role, [*turn.blocks, _POINT]).json() if place in marked else turn.json()
        for place, turn in enumerate(turns)
    ]
