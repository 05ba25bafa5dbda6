"""What the chat completions API takes beside the messages: parameters and tools."""

from collections.abc import Callable

from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_count, is_number, is_object, value_at
from tests.support.llm.openai_chat.refusals import check_known, check_name, missing, refused, wrong_type
from tests.support.llm.schema import arrays_without_items, schema_fault

TOOLS_LIMIT = 128
TOP_LEVEL_ONLY_PLAIN = ("oneOf", "anyOf", "allOf", "enum", "not")

PARAMETERS: dict[str, Callable[[object], bool]] = {
    "model": lambda value: isinstance(value, str) and value != "",
    "messages": is_array,
    "stream": lambda value: value is None or isinstance(value, bool),
    "stream_options": lambda value: value is None or is_object(value),
    "max_tokens": lambda value: value is None or (is_count(value) and value >= 1),
    "max_completion_tokens": lambda value: value is None or (is_count(value) and value >= 1),
    "temperature": lambda value: value is None or (is_number(value) and 0 <= value <= 2),
    "top_p": lambda value: value is None or (is_number(value) and 0 <= value <= 1),
    "frequency_penalty": lambda value: value is None or (is_number(value) and -2 <= value <= 2),
    "presence_penalty": lambda value: value is None or (is_number(value) and -2 <= value <= 2),
    "n": lambda value: value is None or (is_count(value) and 1 <= value <= 128),
    "seed": lambda value: value is None or is_count(value),
    "stop": lambda value: value is None or isinstance(value, str) or (is_array(value) and len(value) <= 4),
    "tools": is_array,
    "tool_choice": lambda value: value in ("none", "auto", "required") or is_object(value),
    "parallel_tool_calls": lambda value: isinstance(value, bool),
    "reasoning_effort": lambda value: value in (None, "none", "minimal", "low", "medium", "high", "xhigh"),
    "verbosity": lambda value: value in (None, "low", "medium", "high"),
    "response_format": is_object,
    "metadata": lambda value: value is None or is_object(value),
    "logit_bias": lambda value: value is None or is_object(value),
    "logprobs": lambda value: value is None or isinstance(value, bool),
    "top_logprobs": lambda value: value is None or (is_count(value) and 0 <= value <= 20),
    "modalities": lambda value: value is None or is_array(value),
    "prediction": lambda value: value is None or is_object(value),
    "service_tier": lambda value: value in (None, "auto", "default", "flex", "scale", "priority", "fast"),
    "store": lambda value: value is None or isinstance(value, bool),
    "user": lambda value: isinstance(value, str),
    "safety_identifier": lambda value: isinstance(value, str),
    "prompt_cache_options": is_object,
    "moderation": lambda value: value is None or is_object(value),
    "web_search_options": is_object,
    "audio": lambda value: value is None or is_object(value),
    "prompt_cache_key": lambda value: isinstance(value, str),
    "prompt_cache_retention": lambda value: value in (None, "in_memory", "in-memory", "24h"),
}


def check_parameters(body: JSONObject, extra: frozenset[str]) -> None:
    """Raise `RefusedError` for a top-level name or value that the API would not take."""
    for name in ("model", "messages"):
        if name not in body:
            raise missing(name)
    for name, value in body.items():
        if name in extra:
            continue
        if name not in PARAMETERS:
            raise RefusedError(f"Unknown parameter: '{name}'.", param=name, code="unknown_parameter")
        if not PARAMETERS[name](value):
            raise RefusedError(f"Invalid value for '{name}': {value!r:.80}.", param=name, code="invalid_value")
    if body.get("stream_options") is not None and body.get("stream") is not True:
        message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise RefusedError(message, param="stream_options")
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in body and "tools" not in body:
            raise RefusedError(f"'{name}' is only allowed when 'tools' are specified.", param=name)
    if "max_tokens" in body and "max_completion_tokens" in body:
        raise RefusedError("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")


def check_tools(body: JSONObject) -> None:
    """Raise `RefusedError` for tools that the API would not take."""
    tools = body.get("tools")
    if tools is None or not is_array(tools):
        return
    if not tools:
        raise refused("tools", "empty array. Expected an array with minimum length 1", "empty_array")
    if len(tools) > TOOLS_LIMIT:
        raise refused(
            "tools", f"array too long. Expected an array with maximum length {TOOLS_LIMIT}", "array_above_max_length"
        )
    for position, tool in enumerate(tools):
        _check_tool(tool, f"tools[{position}]")
    names = [str(value_at(tool, "function", "name")) for tool in tools]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise refused(f"tools[{position}].function.name", f"'{name}' is there twice")
    chosen = value_at(body.get("tool_choice"), "function", "name")
    if chosen is not None and chosen not in names:
        raise RefusedError(f"Tool choice '{chosen}' not found in 'tools' parameter.", param="tool_choice")


def _check_tool(tool: object, path: str) -> None:
    if not is_object(tool) or tool.get("type") != "function":
        raise refused(f"{path}.type", "supported values are: 'function'", "invalid_value")
    function = tool.get("function")
    if not is_object(function):
        raise missing(f"{path}.function")
    name = function.get("name")
    check_name(name, f"{path}.function.name")
    check_known(function, ("name", "description", "parameters", "strict"), f"{path}.function")
    if not isinstance(function.get("description", ""), str):
        raise wrong_type(f"{path}.function.description", "a string", function["description"])
    if "parameters" in function:
        check_schema(str(name), function["parameters"], f"{path}.function.parameters")


def check_schema(name: str, schema: object, path: str) -> None:
    """Refuse what can't be the schema of this function's parameters."""
    intro = f"Invalid schema for function '{name}': "
    fault = None
    if not is_object(schema) or schema.get("type") != "object":
        fault = "schema must be a JSON Schema of 'type: \"object\"', got " + repr(value_at(schema, "type"))
    elif forbidden := [word for word in TOP_LEVEL_ONLY_PLAIN if word in schema]:
        fault = f"schema must have type 'object' and not have {', '.join(forbidden)} at the top level."
    elif wrong := schema_fault(schema):
        fault = wrong
    elif (place := arrays_without_items(schema)) is not None:
        fault = f"In context={place}, array schema missing items."
    if fault:
        raise RefusedError(intro + fault, param=path, code="invalid_function_parameters")
