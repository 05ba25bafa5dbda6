"""Whether a tool's schema is JSON Schema at all (draft 2020-12, the keywords tools use)."""

from collections.abc import Callable

from tests.support.llm.checks import is_array, is_count, is_number, is_object

TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}


def schema_fault(schema: object, path: str = "") -> str | None:
    """What is wrong with a schema, and where; None if nothing is."""
    if isinstance(schema, bool):
        return None
    if not is_object(schema):
        return f"{path or '(root)'}: a schema must be an object or a boolean"
    for keyword, value in schema.items():
        check = _KEYWORDS.get(keyword)
        if check is not None and (fault := check(value, f"{path}/{keyword}")):
            return fault
    return None


def arrays_without_items(schema: object, path: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """The path of the first array that does not say what is in it; None if there is none."""
    if not is_object(schema):
        return None
    kind = schema.get("type")
    if (kind == "array" or (is_array(kind) and "array" in kind)) and "items" not in schema:
        return path
    inner: list[tuple[tuple[str, ...], object]] = [((*path, "items"), schema.get("items"))]
    properties = schema.get("properties")
    if is_object(properties):
        inner += [((*path, "properties", name), value) for name, value in properties.items()]
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(keyword)
        if is_array(branches):
            inner += [((*path, keyword, str(position)), branch) for position, branch in enumerate(branches)]
    found = (arrays_without_items(value, place) for place, value in inner)
    return next((place for place in found if place is not None), None)


def _type(value: object, path: str) -> str | None:
    kinds = value if is_array(value) else [value]
    if kinds and all(isinstance(kind, str) and kind in TYPES for kind in kinds):
        return None
    return f"{path}: {value!r} is not a type"


def _schemas_by_name(value: object, path: str) -> str | None:
    if not is_object(value):
        return f"{path}: must be an object"
    return next((fault for name, inner in value.items() if (fault := schema_fault(inner, f"{path}/{name}"))), None)


def _list_of_schemas(value: object, path: str) -> str | None:
    if not is_array(value) or not value:
        return f"{path}: must be an array that is not empty"
    faults = (schema_fault(inner, f"{path}/{position}") for position, inner in enumerate(value))
    return next((fault for fault in faults if fault), None)


def _names(value: object, path: str) -> str | None:
    if (
        is_array(value)
        and all(isinstance(name, str) for name in value)
        and len({str(name) for name in value}) == len(value)
    ):
        return None
    return f"{path}: must be an array of different strings"


def _array(value: object, path: str) -> str | None:
    return None if is_array(value) and value else f"{path}: must be an array that is not empty"


def _text(value: object, path: str) -> str | None:
    return None if isinstance(value, str) else f"{path}: must be a string"


def _number(value: object, path: str) -> str | None:
    return None if is_number(value) else f"{path}: must be a number"


def _size(value: object, path: str) -> str | None:
    return None if is_count(value) and value >= 0 else f"{path}: must be a whole number, 0 or more"


_KEYWORDS: dict[str, Callable[[object, str], str | None]] = {
    "type": _type,
    "properties": _schemas_by_name,
    "patternProperties": _schemas_by_name,
    "$defs": _schemas_by_name,
    "items": schema_fault,
    "additionalProperties": schema_fault,
    "not": schema_fault,
    "anyOf": _list_of_schemas,
    "oneOf": _list_of_schemas,
    "allOf": _list_of_schemas,
    "prefixItems": _list_of_schemas,
    "required": _names,
    "enum": _array,
    "$ref": _text,
    "description": _text,
    "title": _text,
    "pattern": _text,
    "format": _text,
    "minimum": _number,
    "maximum": _number,
    "exclusiveMinimum": _number,
    "exclusiveMaximum": _number,
    "multipleOf": _number,
    "minLength": _size,
    "maxLength": _size,
    "minItems": _size,
    "maxItems": _size,
    "minProperties": _size,
    "maxProperties": _size,
}
