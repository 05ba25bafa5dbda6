"""What the messages API takes beside the messages: headers, parameters, system, tools, cache marks."""

import re
from collections.abc import Callable, Iterator

from tests.support.llm.checks import (
    JSONObject,
    RefusedError,
    is_array,
    is_count,
    is_number,
    is_object,
    objects,
    value_at,
)
from tests.support.llm.schema import schema_fault

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
CACHE_MARKS = 4
NEWEST_VERSION = "2026-10-21"
VERSIONS = ("2023-06-01", NEWEST_VERSION)
REMOVED_PARAMETERS = ("temperature", "top_p", "top_k")
MINIMUM_THINKING = 1024

REQUIRED = ("model", "max_tokens", "messages")


def _all_texts(value: object) -> bool:
    return is_array(value) and all(isinstance(text, str) and text.strip() for text in value)


PARAMETERS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "model": ("Input should be a valid string", lambda value: isinstance(value, str) and value != ""),
    "messages": ("Input should be a valid list", is_array),
    "max_tokens": (
        "Input should be a valid integer, greater than or equal to 1",
        lambda value: is_count(value) and value >= 1,
    ),
    "system": ("Input should be a valid string or list", lambda value: isinstance(value, str) or is_array(value)),
    "stream": ("Input should be a valid boolean", lambda value: isinstance(value, bool)),
    "temperature": ("Input should be between 0 and 1", lambda value: is_number(value) and 0 <= value <= 1),
    "top_p": ("Input should be between 0 and 1", lambda value: is_number(value) and 0 <= value <= 1),
    "top_k": ("Input should be 0 or more", lambda value: is_count(value) and value >= 0),
    "stop_sequences": ("Input should be a list of strings that are not blank", _all_texts),
    "metadata": ("Input should be an object", is_object),
    "tools": ("Input should be a valid list", is_array),
    "tool_choice": (
        "Input should have a type of 'auto', 'any', 'tool' or 'none'",
        lambda value: value_at(value, "type") in ("auto", "any", "tool", "none"),
    ),
    "thinking": (
        "Input should have a type of 'enabled', 'adaptive', 'between_tools' or 'disabled'",
        lambda value: value_at(value, "type") in ("enabled", "adaptive", "between_tools", "disabled"),
    ),
    "service_tier": ("Input should be 'auto' or 'standard_only'", lambda value: value in ("auto", "standard_only")),
    "cache_control": ("Input should have a type of 'ephemeral'", lambda value: value_at(value, "type") == "ephemeral"),
    "output_config": ("Input should be an object", is_object),
    "context_management": ("Input should be an object", is_object),
    "container": ("Input should be a string or an object", lambda value: isinstance(value, str) or is_object(value)),
    "mcp_servers": ("Input should be a valid list", is_array),
    "diagnostics": ("Input should be an object", is_object),
    "speed": ("Input should be 'standard' or 'fast'", lambda value: value in ("standard", "fast")),
    "inference_geo": ("Input should be a valid string", lambda value: isinstance(value, str)),
}

TOOL_FIELDS = {
    *("name", "description", "input_schema", "type", "cache_control", "strict"),
    *("eager_input_streaming", "defer_loading", "allowed_callers", "input_examples"),
}


def check_headers(headers: dict[str, str]) -> None:
    """Raise `RefusedError` if the version is not named, or the body not said to be JSON."""
    if headers.get("anthropic-version") not in VERSIONS:
        raise RefusedError(f"anthropic-version: header is required, and must be one of {VERSIONS}")
    if not headers.get("content-type", "").startswith("application/json"):
        raise RefusedError("content-type: must be application/json")


def check_parameters(body: JSONObject, version: str) -> None:
    """Raise `RefusedError` for a top-level name or value that this version of the API would not take."""
    for name in REQUIRED:
        if name not in body:
            raise RefusedError(f"{name}: Field required")
    for name, value in body.items():
        if name not in PARAMETERS or (version == NEWEST_VERSION and name in REMOVED_PARAMETERS):
            raise RefusedError(f"{name}: Extra inputs are not permitted")
        complaint, fits = PARAMETERS[name]
        if not fits(value):
            raise RefusedError(f"{name}: {complaint}")
    _check_system(body.get("system"))
    _check_thinking(body)
    _check_tools(body)
    _check_cache_marks(body)


def _check_system(system: object) -> None:
    for position, block in enumerate(system if is_array(system) else []):
        path = f"system.{position}"
        if not is_object(block) or block.get("type") != "text":
            raise RefusedError(f"{path}.type: Input should be 'text'")
        for name in block:
            if name not in ("type", "text", "cache_control", "citations"):
                raise RefusedError(f"{path}.{name}: Extra inputs are not permitted")
        if not isinstance(block.get("text"), str):
            raise RefusedError(f"{path}.text: Field required")
        if not str(block["text"]).strip():
            raise RefusedError("system: text content blocks must contain non-whitespace text")


def _check_thinking(body: JSONObject) -> None:
    if value_at(body, "thinking", "type") != "enabled":
        return
    budget = value_at(body, "thinking", "budget_tokens")
    if not is_count(budget) or budget < MINIMUM_THINKING:
        raise RefusedError(f"thinking.enabled.budget_tokens: Input should be at least {MINIMUM_THINKING}")
    limit = body["max_tokens"]
    if is_count(limit) and limit <= budget:
        raise RefusedError("`max_tokens` must be greater than `thinking.budget_tokens`.")
    if body.get("temperature", 1) != 1:
        raise RefusedError("`temperature` may only be set to 1 when thinking is enabled.")
    if value_at(body, "tool_choice", "type") in ("any", "tool"):
        raise RefusedError("Thinking may not be enabled when tool_choice forces tool use.")


def _check_tools(body: JSONObject) -> None:
    tools = body.get("tools", [])
    names: set[object] = set()
    for position, tool in enumerate(tools if is_array(tools) else []):
        path = f"tools.{position}"
        if not is_object(tool):
            raise RefusedError(f"{path}: Input should be an object")
        if tool.get("type", "custom") == "custom":
            _check_tool(tool, f"{path}.custom")
        if tool.get("name") in names:
            raise RefusedError("tools: Tool names must be unique.")
        names.add(tool.get("name"))
    choice = body.get("tool_choice")
    if choice is not None and not names:
        raise RefusedError("tool_choice may only be specified while providing tools.")
    if value_at(choice, "type") == "tool" and value_at(choice, "name") not in names:
        raise RefusedError(f"Tool '{value_at(choice, 'name')}' not found in provided tools")


def _check_tool(tool: JSONObject, path: str) -> None:
    for name in tool:
        if name not in TOOL_FIELDS:
            raise RefusedError(f"{path}.{name}: Extra inputs are not permitted")
    if not isinstance(tool.get("name"), str):
        raise RefusedError(f"{path}.name: Field required")
    if not TOOL_NAME.fullmatch(str(tool["name"])):
        raise RefusedError(f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if not isinstance(tool.get("description", ""), str):
        raise RefusedError(f"{path}.description: Input should be a valid string")
    schema = tool.get("input_schema")
    if not is_object(schema):
        raise RefusedError(f"{path}.input_schema: Field required")
    if schema.get("type") != "object":
        raise RefusedError(f"{path}.input_schema.type: Input should be 'object'")
    if any(word in schema for word in ("oneOf", "allOf", "anyOf")):
        raise RefusedError(
            f"{path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
        )
    if fault := schema_fault(schema):
        message = f"{path}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12: {fault}"
        raise RefusedError(message)
    properties = schema.get("properties")
    if is_object(properties) and not all(PROPERTY_NAME.fullmatch(name) for name in properties):
        message = f"{path}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'"
        raise RefusedError(message)


def _check_cache_marks(body: JSONObject) -> None:
    marks = list(_cache_marks(body))
    short_seen = False
    for mark in marks:
        if value_at(mark, "type") != "ephemeral":
            raise RefusedError("cache_control.type: Input should be 'ephemeral'")
        lifetime = value_at(mark, "ttl")
        if lifetime not in (None, "5m", "1h"):
            raise RefusedError("cache_control.ephemeral.ttl: Input should be '5m' or '1h'")
        if lifetime == "1h" and short_seen:
            raise RefusedError("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
        short_seen = short_seen or lifetime != "1h"
    if len(marks) > CACHE_MARKS:
        raise RefusedError(f"A maximum of {CACHE_MARKS} blocks with cache_control may be provided. Found {len(marks)}.")


def _cache_marks(body: JSONObject) -> Iterator[object]:
    """Every cache mark in the order the prompt is put together: tools, system, messages; the automatic one last."""
    blocks = objects(body.get("tools")) + objects(body.get("system"))
    for message in objects(body.get("messages")):
        for block in objects(message.get("content")):
            blocks += [*objects(block.get("content")), block]
    yield from (block["cache_control"] for block in blocks if block.get("cache_control") is not None)
    if body.get("cache_control") is not None:
        yield body["cache_control"]
