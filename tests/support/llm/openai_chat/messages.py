"""What the chat completions API takes as messages.

OpenAI's rules, and two that OpenAI itself does not have but servers in its format do: no blank messages, and arguments
that are valid JSON objects. What passes here passes everywhere.
"""

import json
import re

from tests.support.llm.checks import JSONObject, RefusedError, is_array, is_object, name_of_type, objects, value_at
from tests.support.llm.images import MEDIA_TYPES, picture_of
from tests.support.llm.openai_chat.refusals import (
    NAME,
    check_known,
    check_name,
    check_not_blank,
    missing,
    refused,
    wrong_type,
)

ID_LIMIT = 40
IMAGE_LIMIT = 20 * 1024 * 1024

FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {
        *("role", "content", "name", "tool_calls", "refusal", "audio"),
        *("reasoning_content", "reasoning", "reasoning_details"),  # of the servers that stream thinking
    },
    "tool": {"role", "content", "tool_call_id"},
}

PART_FIELDS = {"type", "text", "refusal", "image_url", "input_audio", "file", "prompt_cache_breakpoint"}

PARTS = {
    "system": {"text"},
    "developer": {"text"},
    "user": {"text", "image_url", "input_audio", "file"},
    "assistant": {"text", "refusal"},
    "tool": {"text"},
}


def check_messages(messages: object, extra: frozenset[str] = frozenset()) -> None:
    """Raise `RefusedError` for the first message, or pair of call and result, that the API would not take.

    `extra`: names to take in content parts beside OpenAI's own.
    """
    if not is_array(messages) or not messages:
        raise refused("messages", "empty array. Expected an array with minimum length 1", "empty_array")
    for position, message in enumerate(messages):
        _check_message(message, f"messages[{position}]")
        for place, part in enumerate(objects(value_at(message, "content"))):
            check_known(part, PART_FIELDS | extra, f"messages[{position}].content[{place}]")
    _check_pairs(objects(messages))


def check_reasoning(body: JSONObject, field: str) -> None:
    """Refuse an assistant message with tool calls that lacks its reasoning."""
    for position, message in enumerate(objects(body["messages"])):
        if message.get("tool_calls") and not message.get(field):
            raise RefusedError(
                f"The `{field}` in the thinking mode must be passed back to the API.",
                param=f"messages[{position}].{field}",
            )


def _check_message(message: object, path: str) -> None:
    if not is_object(message):
        raise wrong_type(path, "an object", message)
    role = message.get("role")
    if not isinstance(role, str) or role not in FIELDS:
        raise RefusedError(f"Invalid value: {role!r}. Supported values are: {sorted(FIELDS)}.", param=f"{path}.role")
    check_known(message, FIELDS[role], path)
    if "name" in message and not NAME.fullmatch(str(message["name"])):
        raise refused(
            f"{path}.name", "string does not match pattern. Expected a string that matches '^[a-zA-Z0-9_-]+$'"
        )
    if "tool_calls" in message:
        _check_calls(message["tool_calls"], f"{path}.tool_calls")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise missing(f"{path}.tool_call_id")
    if message.get("content") is None and "tool_calls" in message:
        return
    if message.get("content") is None and role == "assistant" and message.get("refusal"):
        return
    _check_content(message, role, f"{path}.content")


def _check_content(message: JSONObject, role: str, path: str) -> None:
    if "content" not in message:
        raise missing(path)
    content = message["content"]
    if isinstance(content, str):
        check_not_blank(content, path)
    elif is_array(content):
        if not content:
            raise refused(path, "empty array. Expected an array with minimum length 1", "empty_array")
        for position, part in enumerate(content):
            _check_part(part, role, f"{path}[{position}]")
    else:
        raise wrong_type(path, "one of a string or array of objects", content)


def _check_part(part: object, role: str, path: str) -> None:
    if not is_object(part):
        raise wrong_type(path, "an object", part)
    kind = part.get("type")
    if kind not in PARTS[role]:
        raise RefusedError(
            f"Invalid value: {kind!r}. Supported values are: {sorted(PARTS[role])}.", param=f"{path}.type"
        )
    if kind in ("text", "refusal"):
        text = part.get(kind)
        if not isinstance(text, str):
            raise missing(f"{path}.{kind}")
        check_not_blank(text, f"{path}.{kind}")
    elif kind == "image_url":
        check_image(value_at(part, "image_url", "url"), f"{path}.image_url.url")


def check_image(url: object, path: str) -> None:
    """Refuse what is no address of an image, or no image."""
    if not isinstance(url, str):
        raise missing(path)
    if url.startswith(("https://", "http://")):
        return
    found = re.fullmatch(r"data:([^;,]*);base64,(.*)", url, re.DOTALL)
    if not found:
        raise refused(path, "expected a base64-encoded data URL or a web URL", "invalid_image_url")
    media_type, data = found.groups()
    picture = picture_of(data)
    if media_type not in MEDIA_TYPES or picture is None:
        message = "You uploaded an unsupported image. Please make sure your image is of one of: png, jpeg, gif, webp."
        raise RefusedError(message, param=path, code="invalid_image_format")
    if len(data) > IMAGE_LIMIT:
        raise RefusedError("Image is too large.", param=path, code="image_too_large")


def _check_calls(calls: object, path: str) -> None:
    if not is_array(calls) or not calls:
        raise refused(path, "empty array. Expected an array with minimum length 1", "empty_array")
    seen: set[str] = set()
    for position, call in enumerate(calls):
        place = f"{path}[{position}]"
        if not is_object(call):
            raise wrong_type(place, "an object", call)
        check_known(call, ("id", "type", "function"), place)
        identifier = call.get("id")
        if not isinstance(identifier, str) or not identifier:
            raise missing(f"{place}.id")
        if len(identifier) > ID_LIMIT:
            raise refused(
                f"{place}.id",
                f"string too long. Expected at most {ID_LIMIT} characters, but got {len(identifier)}",
                "string_above_max_length",
            )
        if identifier in seen:
            raise refused(f"{place}.id", f"'{identifier}' is there twice")
        seen.add(identifier)
        if call.get("type") != "function":
            raise refused(f"{place}.type", "supported values are: 'function'", "invalid_value")
        check_name(value_at(call, "function", "name"), f"{place}.function.name")
        _check_arguments(value_at(call, "function", "arguments"), f"{place}.function.arguments")


def _check_arguments(arguments: object, path: str) -> None:
    if not isinstance(arguments, str):
        raise wrong_type(path, "a string", arguments)
    try:
        decoded: object = json.loads(arguments)
    except json.JSONDecodeError as error:
        raise refused(path, f"not valid JSON ({error}): {arguments[:80]!r}") from None
    if not is_object(decoded):
        raise refused(path, f"expected a JSON object, got {name_of_type(decoded)}")


def _check_pairs(messages: list[JSONObject]) -> None:
    """Each call has exactly one answer, right behind the message that made it."""
    waiting: list[str] = []
    answered: set[str] = set()
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            identifier = str(message["tool_call_id"])
            if identifier not in waiting:
                again = f" ('{identifier}' is answered already)" if identifier in answered else ""
                text = f"messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.{again}"
                raise RefusedError(text, param=f"messages[{position}].role")
            waiting.remove(identifier)
            answered.add(identifier)
            continue
        _check_none_waiting(waiting, position)
        waiting = [str(call["id"]) for call in objects(message.get("tool_calls"))]
        answered = set()
    _check_none_waiting(waiting, len(messages))


def _check_none_waiting(waiting: list[str], position: int) -> None:
    if waiting:
        raise RefusedError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
            param=f"messages[{position - 1}].role",
        )
