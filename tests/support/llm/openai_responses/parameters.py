"""What the responses API takes beside the input: parameters and tools."""

from collections.abc import Callable

from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_count, is_number, is_object, value_at
from tests.support.llm.openai_chat.parameters import TOOLS_LIMIT, check_schema
from tests.support.llm.openai_chat.refusals import check_known, check_name, missing, refused, wrong_type

EFFORTS = (None, "none", "minimal", "low", "medium", "high", "xhigh", "max")
INCLUDABLE = ("reasoning.encrypted_content", "message.output_text.logprobs", "file_search_call.results")
TOOL_FIELDS = ("type", "name", "description", "parameters", "strict")
CACHE_KEY_LIMIT = 64

PARAMETERS: dict[str, Callable[[object], bool]] = {
    "model": lambda value: isinstance(value, str) and value != "",
    "input": lambda value: isinstance(value, str) or is_array(value),
    "instructions": lambda value: value is None or isinstance(value, str),
    "stream": lambda value: value is None or isinstance(value, bool),
    "stream_options": lambda value: value is None or is_object(value),
    "store": lambda value: value is None or isinstance(value, bool),
    "include": lambda value: value is None or (is_array(value) and all(name in INCLUDABLE for name in value)),
    "max_output_tokens": lambda value: value is None or (is_count(value) and value >= 16),
    "max_tool_calls": lambda value: value is None or is_count(value),
    "temperature": lambda value: value is None or (is_number(value) and 0 <= value <= 2),
    "top_p": lambda value: value is None or (is_number(value) and 0 <= value <= 1),
    "top_logprobs": lambda value: value is None or (is_count(value) and 0 <= value <= 20),
    "tools": is_array,
    "tool_choice": lambda value: value in ("none", "auto", "required") or is_object(value),
    "parallel_tool_calls": lambda value: value is None or isinstance(value, bool),
    "reasoning": lambda value: value is None or is_object(value),
    "text": is_object,
    "metadata": lambda value: value is None or is_object(value),
    "prompt_cache_key": lambda value: isinstance(value, str) and len(value) <= CACHE_KEY_LIMIT,
    "prompt_cache_retention": lambda value: value in (None, "in_memory", "24h"),
    "safety_identifier": lambda value: isinstance(value, str),
    "service_tier": lambda value: value in (None, "auto", "default", "flex", "scale", "priority", "fast"),
    "truncation": lambda value: value in (None, "auto", "disabled"),
    "user": lambda value: isinstance(value, str),
}


def check_parameters(body: JSONObject) -> None:
    """Raise `RefusedError` for a top-level name or value that the API would not take."""
    for name in ("model", "input"):
        if name not in body:
            raise missing(name)
    for name, value in body.items():
        if name not in PARAMETERS:
            raise RefusedError(f"Unknown parameter: '{name}'.", param=name, code="unknown_parameter")
        if not PARAMETERS[name](value):
            raise RefusedError(f"Invalid value for '{name}': {value!r:.80}.", param=name, code="invalid_value")
    reasoning = body.get("reasoning")
    if is_object(reasoning):
        check_known(reasoning, ("effort", "summary", "context"), "reasoning")
        if reasoning.get("effort") not in EFFORTS:
            raise refused("reasoning.effort", f"supported values are: {EFFORTS[1:]}", "unsupported_value")
        if reasoning.get("summary") not in (None, "auto", "concise", "detailed"):
            raise refused("reasoning.summary", "supported values are: auto, concise, detailed", "unsupported_value")
    if "tool_choice" in body and "tools" not in body:
        raise RefusedError("Tool choices other than none must be specified with tools.", param="tool_choice")


def check_tools(body: JSONObject) -> None:
    """Raise `RefusedError` for tools that the API would not take."""
    tools = body.get("tools")
    if not is_array(tools):
        return
    if len(tools) > TOOLS_LIMIT:
        why = f"array too long. Expected an array with maximum length {TOOLS_LIMIT}"
        raise refused("tools", why, "array_above_max_length")
    for position, tool in enumerate(tools):
        _check_tool(tool, f"tools[{position}]")
    names = [str(value_at(tool, "name")) for tool in tools]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise refused(f"tools[{position}].name", f"'{name}' is there twice")


def _check_tool(tool: object, path: str) -> None:
    if not is_object(tool) or tool.get("type") != "function":
        raise refused(f"{path}.type", "supported values are: 'function'", "invalid_value")
    check_name(tool.get("name"), f"{path}.name")
    check_known(tool, TOOL_FIELDS, path)
    if not isinstance(tool.get("description", ""), str):
        raise wrong_type(f"{path}.description", "a string", tool["description"])
    if "parameters" not in tool:
        raise missing(f"{path}.parameters")
    check_schema(str(tool["name"]), tool["parameters"], f"{path}.parameters")
    if tool.get("strict", True) is not False:
        _check_strict(str(tool["name"]), tool["parameters"], f"{path}.parameters")


def _check_strict(name: str, schema: object, path: str) -> None:
    """Strict is what this API is unless told otherwise: it wants all properties required, and no others."""
    properties = value_at(schema, "properties")
    required = value_at(schema, "required")
    names = set(properties) if is_object(properties) else set[str]()
    if value_at(schema, "additionalProperties") is False and names == set(required if is_array(required) else ()):
        return
    text = f"Invalid schema for function '{name}': 'additionalProperties' is required to be supplied and to be false"
    raise RefusedError(text, param=path, code="invalid_function_parameters")
