"""The schemas of tools as ``gemini`` takes them: with the keywords of JSON Schema that its reference names."""

from panto.json_values import JSONObject, array_at, is_array, is_object

_PLAIN = frozenset(
    {"$id", "$ref", "$anchor", "type", "format", "title", "description", "minItems", "maxItems", "minimum", "maximum"}
)
_SCHEMAS = frozenset({"items", "additionalProperties"})
_NAMED = {"properties": "properties", "$defs": "$defs", "definitions": "$defs"}
_LISTS = frozenset({"prefixItems", "anyOf", "oneOf"})
_OLD_DEFINITIONS = "#/definitions/"


def reduced(schema: JSONObject) -> JSONObject:
    """The schema with what the API knows of it. Nothing given is changed.

    What has another way to be said is said so: ``const`` as an ``enum`` of one, bounds that are not in the range as
    bounds that are, ``allOf`` as one schema.
    """
    schema = _merged(schema)
    if isinstance(schema.get("$ref"), str):  # beside which nothing else may stand
        schema = {key: value for key, value in schema.items() if key.startswith("$") or key == "definitions"}
    kept: JSONObject = {}
    for key, value in schema.items():
        kept.update(_keyword(key, value))
    _bound(kept, schema)
    _choose(kept, schema)
    _require(kept, schema)
    return kept


def _keyword(key: str, value: object) -> JSONObject:
    """A keyword as it is sent; empty if it is not."""
    if key == "$ref" and isinstance(value, str) and value.startswith(_OLD_DEFINITIONS):
        return {key: f"#/$defs/{value.removeprefix(_OLD_DEFINITIONS)}"}
    if key in _PLAIN:
        return {key: value}
    if key in _SCHEMAS:
        return {key: value if isinstance(value, bool) and key != "items" else _inner(value)}
    if key in _NAMED and is_object(value):
        return {_NAMED[key]: {name: _inner(item) for name, item in value.items()}}
    if key in _LISTS and is_array(value) and value:
        return {key: [_inner(item) for item in value]}
    return {}


def _inner(value: object) -> JSONObject:
    """A schema within another: one that takes anything, written as ``true``, becomes an empty one."""
    return reduced(value) if is_object(value) else {}


def _merged(schema: JSONObject) -> JSONObject:
    """The schema with the parts of ``allOf`` in it. Where they speak of the same, properties add up, and else the
    outermost counts."""
    merged = dict(schema)
    for part in array_at(schema, "allOf"):
        for key, value in _merged(part).items() if is_object(part) else ():
            known = merged.get(key)
            if key == "properties" and is_object(known) and is_object(value):
                merged[key] = {**value, **known}
            elif key == "required" and is_array(known) and is_array(value):
                merged[key] = [*known, *(name for name in value if name not in known)]
            else:
                merged.setdefault(key, value)
    merged.pop("allOf", None)
    return merged


def _bound(kept: JSONObject, schema: JSONObject) -> None:
    whole = schema.get("type") == "integer"
    for exclusive, inclusive, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        bound = schema.get(exclusive)
        if isinstance(bound, int | float) and not isinstance(bound, bool) and inclusive not in kept:
            kept[inclusive] = bound + step if whole else bound


def _choose(kept: JSONObject, schema: JSONObject) -> None:
    """The values that may be chosen from; the API knows strings and numbers."""
    given = [schema["const"]] if "const" in schema else array_at(schema, "enum")
    choices = [choice for choice in given if choice is not None]  # which the type says
    if choices and all(isinstance(choice, str | int | float) and not isinstance(choice, bool) for choice in choices):
        kept["enum"] = choices


def _require(kept: JSONObject, schema: JSONObject) -> None:
    """The properties that must be there; of those that are not described, the API complains."""
    properties = kept.get("properties")
    names = [name for name in array_at(schema, "required") if is_object(properties) and name in properties]
    if names:
        kept["required"] = names
