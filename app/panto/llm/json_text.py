"""JSON to and from a server: strict where it must be, and never failing over what a string may hold."""

import json
import re
from typing import cast

import msgspec

from panto.json_values import is_array, is_object

_SURROGATES = re.compile("[\ud800-\udfff]")


def to_json(value: object) -> bytes:
    """Encode a value; lone surrogates, which UTF-8 can't hold, become U+FFFD. Raises `TypeError` if it is no JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(valid_strings(value))


def from_json(data: bytes) -> object:
    """Decode what a server sent, forgiving bad UTF-8 and raw control characters. Raises `ValueError`."""
    try:
        return cast("object", msgspec.json.decode(data))
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return cast("object", json.loads(data.decode("utf-8", "replace"), strict=False))
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def valid_text(text: str) -> str:
    """The text as UTF-8 can hold it: halves of a pair are joined, lone ones become U+FFFD."""
    if text.isascii() or not _SURROGATES.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def valid_strings(value: object) -> object:
    """A JSON value whose strings, and keys, are all valid text."""
    if isinstance(value, str):
        return valid_text(value)
    if is_object(value):
        return {valid_text(key): valid_strings(item) for key, item in value.items()}
    if is_array(value) or isinstance(value, tuple):
        return [valid_strings(item) for item in cast("list[object]", value)]
    return value
