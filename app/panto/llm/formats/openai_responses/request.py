"""The wire format ``openai-responses``: a conversation as a list of items. Here is how a request is put.

Nothing is stored on the server: each request holds the whole conversation, and reasoning comes and goes encrypted.
"""

from panto.json_values import JSONObject
from panto.llm.effort import least_effort
from panto.llm.formats.openai_responses.answer import ResponseDecoder
from panto.llm.formats.openai_responses.items import goes_back, items_of
from panto.llm.names import ToolNames
from panto.llm.remembered import Plain, put_history
from panto.llm.sendable import Rules
from panto.llm.types import Endpoint, Quirks, Request
from panto.llm.wire import Call, key_headers, with_parameters
from panto.messages import ToolSchema

LONGEST_CACHE_KEY = 64
"""Characters that the API takes."""
_OURS = frozenset({"model", "input", "instructions", "tools", "stream", "store"})
_STYLES = frozenset({"effort", "budget", "adaptive"})
_THOUGHTLESS = ("gpt-3.5", "gpt-4", "chatgpt-", "gpt-5-chat")
"""How names begin whose models refuse to be asked for reasoning of any kind."""


def encode(request: Request, endpoint: Endpoint, names: ToolNames) -> Call:
    """The request as a call of ``/responses``. What changes from call to call, the input, comes last."""
    body: JSONObject = {"model": request.model, "stream": True, "store": False}
    if _may_think(request):
        body["include"] = ["reasoning.encrypted_content"]
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    if request.session:
        body["prompt_cache_key"] = request.session[:LONGEST_CACHE_KEY]
    reasoning = _reasoning(request)
    if reasoning:
        body["reasoning"] = reasoning
    body = with_parameters(body, request.parameters, _OURS)
    system = "\n\n".join(text for text in request.system if text.strip())
    if system:
        body["instructions"] = system
    if request.tools:
        tools = sorted(request.tools, key=lambda tool: tool.name)
        body["tools"] = [_tool(tool, names) for tool in tools]
        body.setdefault("parallel_tool_calls", True)
    model = f"{endpoint.provider}/{request.model}"
    rules = _rules(endpoint.quirks, sees_images=request.sees_images)
    fold = Plain(lambda messages: items_of(messages, names))
    key = (endpoint.quirks, request.sees_images, names.wire_names)
    put = put_history(request, rules, fold, key=key, provider=endpoint.provider)
    body["input"] = put.with_items(put.fold.json(put.rest))
    return Call("/responses", body, ResponseDecoder(names, model), key_headers(endpoint))


def _may_think(request: Request) -> bool:
    """Whether reasoning may come. A model that does not reason refuses to be asked for it."""
    if request.thinking_style != "unknown":
        return request.thinking_style != "none"
    return not request.model.rpartition("/")[2].startswith(_THOUGHTLESS)


def _reasoning(request: Request) -> JSONObject:
    """How hard the model is to think, with a summary to read; empty: as it does by itself."""
    if request.thinking is None or request.thinking_style not in _STYLES:
        return {}
    if request.thinking == "off":
        return {"effort": least_effort(request.model)}
    return {"effort": request.thinking, "summary": "auto"}


def _rules(quirks: Quirks, *, sees_images: bool) -> Rules:
    return Rules(
        goes_back=goes_back,
        late_system=quirks.late_system,
        merge_users=quirks.merge_users,
        images_in_results=True,
        sees_images=sees_images,
    )


def _tool(tool: ToolSchema, names: ToolNames) -> JSONObject:
    """A tool. Not strict: that would want every property to be required."""
    return {
        "type": "function",
        "name": names.to_wire(tool.name),
        "description": tool.description,
        "parameters": {"type": "object", **tool.parameters},
        "strict": False,
    }
