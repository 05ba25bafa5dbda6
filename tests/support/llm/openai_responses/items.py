"""What the responses API takes as input.

OpenAI's rules for a request that has nothing stored, and those of stricter servers that speak its format: no blank
texts, and arguments that are valid JSON objects. What passes here passes everywhere.
"""

import json

from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_object, name_of_type, objects
from tests.support.llm.openai_chat.messages import check_image
from tests.support.llm.openai_chat.refusals import (
    check_known,
    check_name,
    check_not_blank,
    missing,
    refused,
    wrong_type,
)
from tests.support.llm.openai_responses.sealing import is_sealed, stem

ID_LIMIT = 64
_COMMON = {"type", "id", "status"}
FIELDS = {
    "message": {*_COMMON, "role", "content", "phase"},
    "reasoning": {*_COMMON, "summary", "encrypted_content"},
    "function_call": {*_COMMON, "call_id", "name", "arguments"},
    "function_call_output": {*_COMMON, "call_id", "output"},
}
PREFIXES = {"message": "msg_", "reasoning": "rs_", "function_call": "fc_"}
PARTS = {
    "user": {"input_text", "input_image"},
    "system": {"input_text"},
    "developer": {"input_text"},
    "assistant": {"output_text", "refusal"},
}
PART_FIELDS = {
    "input_text": {"type", "text"},
    "input_image": {"type", "image_url", "detail"},
    "output_text": {"type", "text", "annotations"},
    "refusal": {"type", "refusal"},
}
FOLLOWS_REASONING = ("reasoning", "message", "function_call")


def check_input(given: object, model: str, *, phases: bool = False) -> None:
    """Raise `RefusedError` for the first item, or pair of items, that the API would not take from this model.

    ``phases``: messages of the model's that have an id want their phase back.
    """
    if isinstance(given, str):
        check_not_blank(given, "input")
        return
    if not is_array(given) or not given:
        raise refused("input", "empty array. Expected an array with minimum length 1", "empty_array")
    for position, item in enumerate(given):
        _check_item(item, f"input[{position}]", model, phases=phases)
    items = objects(given)
    _check_reasoning(items)
    _check_results(items)


def _check_item(item: object, path: str, model: str, *, phases: bool) -> None:
    if not is_object(item):
        raise wrong_type(path, "an object", item)
    kind = item.get("type", "message")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise RefusedError(f"Invalid value: {kind!r}. Supported values are: {sorted(FIELDS)}.", param=f"{path}.type")
    check_known(item, FIELDS[kind], path)
    if "id" in item and kind in PREFIXES and not str(item["id"]).startswith(PREFIXES[kind]):
        message = f"Invalid '{path}.id': '{item['id']}'. Expected an ID that begins with '{PREFIXES[kind]}'."
        raise RefusedError(message, param=f"{path}.id", code="invalid_value")
    if "call_id" in FIELDS[kind]:
        _check_call_id(item.get("call_id"), f"{path}.call_id")
    match kind:
        case "message":
            _check_message(item, path, phases=phases)
        case "reasoning":
            _check_thought(item, path, model)
        case "function_call":
            check_name(item.get("name"), f"{path}.name")
            _check_arguments(item.get("arguments"), f"{path}.arguments")
        case _:
            _check_output(item.get("output"), f"{path}.output")


def _check_call_id(identifier: object, path: str) -> None:
    if not isinstance(identifier, str) or not identifier:
        raise missing(path)
    if len(identifier) > ID_LIMIT:
        why = f"string too long. Expected at most {ID_LIMIT} characters, but got {len(identifier)}"
        raise refused(path, why, "string_above_max_length")


def _check_message(item: JSONObject, path: str, *, phases: bool) -> None:
    role = item.get("role")
    if not isinstance(role, str) or role not in PARTS:
        raise RefusedError(f"Invalid value: {role!r}. Supported values are: {sorted(PARTS)}.", param=f"{path}.role")
    content = item.get("content")
    if isinstance(content, str):
        check_not_blank(content, f"{path}.content")
    elif is_array(content) and content:
        for position, part in enumerate(content):
            _check_part(part, PARTS[role], f"{path}.content[{position}]")
    else:
        raise wrong_type(f"{path}.content", "one of a string or array of objects", content)
    if role == "assistant" and "id" in item:
        if not is_array(content):
            raise wrong_type(f"{path}.content", "an array of objects", content)
        if phases and item.get("phase") not in ("commentary", "final_answer"):
            raise missing(f"{path}.phase")


def _check_part(part: object, allowed: set[str], path: str) -> None:
    if not is_object(part):
        raise wrong_type(path, "an object", part)
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        raise RefusedError(f"Invalid value: {kind!r}. Supported values are: {sorted(allowed)}.", param=f"{path}.type")
    check_known(part, PART_FIELDS[kind], path)
    if kind == "input_image":
        check_image(part.get("image_url"), f"{path}.image_url")
        return
    field = "refusal" if kind == "refusal" else "text"
    text = part.get(field)
    if not isinstance(text, str):
        raise missing(f"{path}.{field}")
    check_not_blank(text, f"{path}.{field}")


def _check_thought(item: JSONObject, path: str, model: str) -> None:
    identifier = item.get("id")
    if not isinstance(identifier, str):
        raise missing(f"{path}.id")
    if not is_array(item.get("summary")):
        raise missing(f"{path}.summary")
    sealed = item.get("encrypted_content")
    if not sealed:
        raise RefusedError(
            f"Item with id '{identifier}' not found. Items are not persisted when `store` is set to false. Try again "
            "with `store` set to true, or remove this item from your input.",
            param="input",
            status=404,
        )
    if not is_sealed(str(sealed), identifier, model):
        raise RefusedError(
            f"The encrypted content {str(sealed)[:4]}... could not be verified.", code="invalid_encrypted_content"
        )


def _check_arguments(arguments: object, path: str) -> None:
    if not isinstance(arguments, str):
        raise wrong_type(path, "a string", arguments)
    try:
        decoded: object = json.loads(arguments)
    except json.JSONDecodeError as error:
        raise refused(path, f"not valid JSON ({error}): {arguments[:80]!r}") from None
    if not is_object(decoded):
        raise refused(path, f"expected a JSON object, got {name_of_type(decoded)}")


def _check_output(output: object, path: str) -> None:
    if isinstance(output, str):
        check_not_blank(output, path)
    elif is_array(output) and output:
        for position, part in enumerate(output):
            _check_part(part, PARTS["user"], f"{path}[{position}]")
    else:
        raise wrong_type(path, "one of a string or array of objects", output)


def _check_reasoning(items: list[JSONObject]) -> None:
    """Reasoning stands before what it led to, and that behind it."""
    stems: set[str] = set()
    for position, item in enumerate(items):
        kind, identifier = item.get("type", "message"), str(item.get("id", ""))
        if kind == "reasoning":
            follower = items[position + 1] if position + 1 < len(items) else {}
            if not _is_led_to(follower, identifier):
                text = f"Item '{identifier}' of type 'reasoning' was provided without its required following item."
                raise RefusedError(text, param="input")
            stems.add(stem(identifier))
        elif stem(identifier) and stem(identifier) not in stems:
            text = f"Item '{identifier}' of type '{kind}' was provided without its required 'reasoning' item."
            raise RefusedError(text, param="input")


def _is_led_to(item: JSONObject, reasoning: str) -> bool:
    kind = item.get("type", "message" if item else None)
    if kind not in FOLLOWS_REASONING or (kind == "message" and item.get("role") != "assistant"):
        return False
    return kind == "reasoning" or stem(str(item.get("id", ""))) == stem(reasoning)


def _check_results(items: list[JSONObject]) -> None:
    """Each call has exactly one result somewhere behind it."""
    waiting: list[str] = []
    for item in items:
        identifier = str(item.get("call_id"))
        if item.get("type") == "function_call":
            if identifier in waiting:
                raise RefusedError(f"Duplicate item found with call_id {identifier}.", param="input")
            waiting.append(identifier)
        elif item.get("type") == "function_call_output":
            if identifier not in waiting:
                text = f"No tool call found for function call output with call_id {identifier}."
                raise RefusedError(text, param="input")
            waiting.remove(identifier)
    if waiting:
        raise RefusedError(f"No tool output found for function call {waiting[0]}.", param="input")
