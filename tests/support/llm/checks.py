"""The ground that the validators stand on: JSON without trust, and the refusal they raise.

Kept apart from the program's own reading of JSON: what judges it must not share its faults.
"""

import json
from collections.abc import Iterator
from typing import NoReturn, TypeAlias

from typing_extensions import TypeIs

JSONObject: TypeAlias = dict[str, object]


class RefusedError(Exception):
    """A request the real API would not take. `param` and `code` are the places some providers have for them."""

    def __init__(
        self,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        status: int = 400,
        kind: str = "invalid_request_error",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.status = status
        self.kind = kind


def is_object(value: object) -> TypeIs[JSONObject]:
    """Whether a decoded value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeIs[list[object]]:
    """Whether a decoded value is an array."""
    return isinstance(value, list)


def is_count(value: object) -> TypeIs[int]:
    """Whether a decoded value is a whole number (true and false are not)."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeIs[int | float]:
    """Whether a decoded value is a number (true and false are not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_at(value: object, *path: str | int) -> object:
    """Whatever is at a path of keys and positions; None if there is nothing."""
    for step in path:
        if isinstance(step, str) and is_object(value):
            value = value.get(step)
        elif isinstance(step, int) and is_array(value) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def objects(value: object) -> list[JSONObject]:
    """The objects of an array, whatever else is in it; none if it is no array."""
    return [item for item in value if is_object(item)] if is_array(value) else []


def name_of_type(value: object) -> str:
    """A value's JSON type with its article, as error messages say it."""
    names: dict[type, str] = {
        bool: "a boolean",
        int: "an integer",
        float: "a decimal",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return next((name for kind, name in names.items() if isinstance(value, kind)), "null")


def parse_body(raw: bytes) -> JSONObject:
    """A request's body as JSON: UTF-8, an object, no lone surrogates, no NaN. Raises `RefusedError`."""

    def no_constant(word: str) -> NoReturn:
        raise RefusedError(f"The request body is not valid JSON: {word} is not a number")

    try:
        body: object = json.loads(raw.decode("utf-8"), parse_constant=no_constant)
    except UnicodeDecodeError as error:
        raise RefusedError(f"The request body is not valid UTF-8: byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise RefusedError(f"The request body is not valid JSON: {error}") from None
    if not is_object(body):
        raise RefusedError(f"The request body must be an object, not {name_of_type(body)}")
    for text in _strings(body):
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise RefusedError(f"The request body is not valid JSON: lone surrogate in string {text[:40]!r}")
    return body


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_array(value):
        for item in value:
            yield from _strings(item)
    elif is_object(value):
        for key, item in value.items():
            yield key
            yield from _strings(item)
