"""The wire format ``gemini``: contents made of parts. Here is how a request is put."""

from urllib.parse import quote

from panto.json_values import JSONObject, is_object
from panto.llm.formats.gemini.answer import ContentDecoder
from panto.llm.formats.gemini.contents import contents_of, wire_name
from panto.llm.formats.gemini.models import sees_results, thinking_config, wants_signatures
from panto.llm.formats.gemini.schemas import reduced
from panto.llm.formats.gemini.signatures import KIND
from panto.llm.images import ImageLimits
from panto.llm.names import ToolNames
from panto.llm.remembered import Plain, put_history
from panto.llm.sendable import Rules
from panto.llm.types import Endpoint, Request
from panto.llm.wire import Call, RequestError, with_parameters
from panto.messages import ToolSchema

_OURS = frozenset({"model", "contents", "tools", "systemInstruction", "stream"})
_BESIDE = frozenset({"cachedContent", "labels", "safetySettings", "serviceTier", "store", "toolConfig"})
"""Parameters that stand beside ``generationConfig``; all others stand in it."""
_CONFIG = "generationConfig"

_LEAST_BUDGET = 1_024
_IMAGES = ImageLimits(
    types=frozenset({"image/png", "image/jpeg", "image/webp"}),
    size=7 * 1024 * 1024,
    sides=((900, 100_000),),  # larger ones are scaled by the server
)


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``streamGenerateContent``. What changes from call to call, the contents, comes last."""
    model = f"{endpoint.provider}/{request.model}"
    body = with_parameters({}, {key: value for key, value in request.parameters.items() if key != _CONFIG}, _OURS)
    config = _config(request, {key: body.pop(key) for key in [*body] if key not in _BESIDE})
    if config:
        body[_CONFIG] = config
    system = [{"text": text} for text in request.system if text.strip()]
    if system:
        body["systemInstruction"] = {"parts": system}
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        body["tools"] = [{"functionDeclarations": [_tool(tool, names) for tool in tools]}]
    wanted = wants_signatures(request.model)
    fold = Plain(lambda messages: contents_of(messages, names, model, signatures_wanted=wanted))
    key = (request.sees_images, names.wire_names)
    put = put_history(request, _rules(request), fold, key=key, provider=endpoint.provider)
    body["contents"] = put.with_items(put.fold.json(put.rest))
    headers = {"x-goog-api-key": endpoint.api_key} if endpoint.api_key else {}
    return Call(_path(request.model, endpoint), body, ContentDecoder(names, model), headers)


def _path(model: str, endpoint: Endpoint) -> str:
    """Where the model is asked: the names of some hold the collection that they are in."""
    within = quote(model if "/" in model else f"models/{model}", safe="/")
    if any(step in ("", ".", "..") for step in within.split("/")):
        raise RequestError(f"{model!r} is no model's name")
    version = "" if "/" in endpoint.base_url.rstrip("/").partition("://")[2] else "/v1beta"
    return f"{version}/{within}:streamGenerateContent?alt=sse"


def _config(request: Request, parameters: JSONObject) -> JSONObject:
    """How to generate. What the parameters say counts more than what the request's own fields do."""
    given = request.parameters.get(_CONFIG, {})
    if not is_object(given):
        raise RequestError(f"{_CONFIG} is no table")
    config: JSONObject = {}
    if request.max_tokens is not None:
        config["maxOutputTokens"] = request.max_tokens
    thinking = thinking_config(request.model, request.thinking_style, request.thinking)
    budget = thinking.get("thinkingBudget")
    if isinstance(budget, int) and budget > 0 and request.max_tokens is not None:  # thoughts count as output
        thinking["thinkingBudget"] = min(budget, max(_LEAST_BUDGET, request.max_tokens // 2))
    if thinking:
        config["thinkingConfig"] = thinking
    return {**config, **given, **parameters}


def _rules(request: Request) -> Rules:
    return Rules(
        goes_back=lambda opaque: KIND in opaque,
        images_in_results=sees_results(request.model),
        images=_IMAGES,
        sees_images=request.sees_images,
    )


def _tool(tool: ToolSchema, names: ToolNames) -> JSONObject:
    wire: JSONObject = {"name": wire_name(names, tool.name), "description": tool.description}
    schema = reduced({"type": "object", **tool.parameters})
    if schema.keys() - {"type", "properties"} or schema.get("properties"):  # without parameters, nothing is described
        wire["parametersJsonSchema"] = schema
    return wire
