"""What the Gemini API takes beside the contents: parameters, generation config, tools."""

from collections.abc import Callable

from tests.support.llm.checks import JSONObject, is_array, is_count, is_number, is_object, objects, value_at
from tests.support.llm.gemini.models import check_thinking
from tests.support.llm.gemini.refusals import check_known, check_name, refused
from tests.support.llm.schema import schema_fault

TOP = {
    *("model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig"),
    *("safetySettings", "cachedContent", "serviceTier", "store", "labels"),
}
CONFIG: dict[str, Callable[[object], bool]] = {
    "temperature": lambda value: is_number(value) and 0 <= value <= 2,
    "topP": lambda value: is_number(value) and 0 <= value <= 1,
    "topK": lambda value: is_count(value) and value > 0,
    "candidateCount": lambda value: value == 1,
    "maxOutputTokens": lambda value: is_count(value) and value > 0,
    "stopSequences": lambda value: is_array(value) and len(value) <= 5,
    "seed": is_count,
    "presencePenalty": is_number,
    "frequencyPenalty": is_number,
    "responseMimeType": lambda value: isinstance(value, str),
    "responseJsonSchema": is_object,
    "thinkingConfig": is_object,
    "mediaResolution": lambda value: isinstance(value, str),
}
THINKING = {"includeThoughts", "thinkingBudget", "thinkingLevel"}
TOOLS = {"functionDeclarations", "googleSearch", "codeExecution", "urlContext"}
DECLARATION = {"name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema"}
MODES = ("AUTO", "ANY", "NONE", "VALIDATED")

KEYWORDS = {
    *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"),
    *("minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"),
    *("required", "propertyOrdering"),
}


def check_parameters(body: JSONObject, model: str) -> None:
    """Raise `RefusedError` for a top-level name or value that the API would not take."""
    check_known(body, TOP, "")
    system = body.get("systemInstruction")
    if system is not None:
        _check_system(system)
    config = body.get("generationConfig", {})
    if not is_object(config):
        raise refused("Invalid value at 'generation_config'")
    check_known(config, CONFIG, "generation_config")
    for name, value in config.items():
        if not CONFIG[name](value):
            raise refused(f"Invalid value at 'generation_config.{name}': {value!r:.80}")
    thinking = config.get("thinkingConfig", {})
    if is_object(thinking):
        check_known(thinking, THINKING, "generation_config.thinking_config")
        check_thinking(thinking, model)
    _check_tools(body)


def _check_system(system: object) -> None:
    parts = value_at(system, "parts")
    if not is_array(parts) or not parts:
        raise refused("system_instruction must include at least one parts field")
    for part in parts:
        text = value_at(part, "text")
        if not isinstance(text, str) or not text.strip():
            raise refused("system_instruction.parts: must have a text that is not blank")


def _check_tools(body: JSONObject) -> None:
    tools = body.get("tools", [])
    if not is_array(tools):
        raise refused("Invalid value at 'tools'")
    declared: list[str] = []
    for place, tool in enumerate(objects(tools)):
        check_known(tool, TOOLS, f"tools[{place}]")
        for number, declaration in enumerate(objects(tool.get("functionDeclarations"))):
            path = f"tools[{place}].function_declarations[{number}]"
            _check_declaration(declaration, path)
            if declaration["name"] in declared:
                raise refused(f"Duplicate function declaration found: {declaration['name']}")
            declared.append(str(declaration["name"]))
    mode = value_at(body, "toolConfig", "functionCallingConfig", "mode")
    if "toolConfig" in body and not declared:
        raise refused("Function calling config is set without function_declarations.")
    if mode is not None and mode not in MODES:
        raise refused(f"Invalid value at 'tool_config.function_calling_config.mode': {mode!r}")


def _check_declaration(declaration: JSONObject, path: str) -> None:
    check_known(declaration, DECLARATION, path)
    check_name(declaration.get("name"), f"{path}.name")
    if not isinstance(declaration.get("description", ""), str):
        raise refused(f"Invalid value at '{path}.description'")
    if "parameters" in declaration and "parametersJsonSchema" in declaration:
        raise refused(f"{path}: only one of parameters and parameters_json_schema may be set")
    schema = declaration.get("parametersJsonSchema")
    if schema is None:
        return
    if not is_object(schema) or schema.get("type") != "object":
        raise refused(f"{path}.parameters_json_schema: only allowed for OBJECT type")
    if fault := schema_fault(schema):
        raise refused(f"{path}.parameters_json_schema: {fault}")
    _check_keywords(schema, f"{path}.parameters_json_schema")


def _check_keywords(schema: object, path: str) -> None:
    """The reference lists what is supported; what the API makes of the rest it does not say, so none may come."""
    if not is_object(schema):
        return
    for keyword in schema:
        if keyword not in KEYWORDS:
            raise refused(f"{path}: the keyword {keyword!r} is not supported")
    if "$ref" in schema and not all(keyword.startswith("$") for keyword in schema):
        raise refused(f"{path}: beside $ref, no other properties may be set")
    choices = schema.get("enum")
    if is_array(choices) and not all(isinstance(choice, str) or is_number(choice) for choice in choices):
        raise refused(f"{path}.enum: must be of strings or numbers")
    for name in ("properties", "$defs"):
        inner = schema.get(name)
        for key, value in inner.items() if is_object(inner) else ():
            _check_keywords(value, f"{path}.{name}.{key}")
    for name in ("items", "additionalProperties"):
        _check_keywords(schema.get(name), f"{path}.{name}")
    for name in ("anyOf", "oneOf", "prefixItems"):
        branches = schema.get(name)
        for place, value in enumerate(branches if is_array(branches) else ()):
            _check_keywords(value, f"{path}.{name}[{place}]")
    required, properties = schema.get("required", []), schema.get("properties")
    for name in required if is_array(required) else ():
        if not is_object(properties) or name not in properties:
            raise refused(f"{path}.required: property is not defined: {name}")
