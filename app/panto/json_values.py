"""Decoded JSON from outside, read without trust: its shape is asked for, never assumed."""

from typing import TypeAlias

from typing_extensions import TypeIs

JSONObject: TypeAlias = dict[str, object]
"""A decoded JSON object. Its values are what `msgspec.json` decodes: str, int, float, bool, None, list, dict."""


def is_object(value: object) -> TypeIs[JSONObject]:
    """Whether a decoded value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeIs[list[object]]:
    """Whether a decoded value is an array."""
    return isinstance(value, list)


def object_at(value: object, *path: str | int) -> JSONObject:
    """The object at a path of keys and positions; an empty one if there is none."""
    found = value_at(value, *path)
    return found if is_object(found) else {}


def array_at(value: object, *path: str | int) -> list[object]:
    """The array at a path; an empty one if there is none."""
    found = value_at(value, *path)
    return found if is_array(found) else []


def text_at(value: object, *path: str | int) -> str:
    """The string at a path; an empty one if there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: object, *path: str | int) -> int | None:
    """The whole number at a path; None if there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def value_at(value: object, *path: str | int) -> object:
    """Whatever is at a path; None if there is nothing."""
    for step in path:
        if isinstance(step, str) and is_object(value):
            value = value.get(step)
        elif isinstance(step, int) and is_array(value) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value
