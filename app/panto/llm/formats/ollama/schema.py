"""Schemas of parameters as ``ollama`` reads them: it refuses the whole request for a schema that it can't read.

It passes over keywords that it does not know. But each property has to be an object, ``type`` a name or several,
``required`` names, and what it does know of the shape it is written in.
"""

from panto.json_values import JSONObject, is_array, is_object

_KNOWN = ("anyOf", "type", "items", "description", "enum", "properties", "required")


def readable(parameters: JSONObject) -> JSONObject:
    """The schema of a tool's parameters, with all of it that can be read. What is given stays as it is."""
    kept = _property(parameters)
    further = {key: value for key, value in parameters.items() if key not in _KNOWN}
    return {**further, **kept, "type": "object", "properties": kept.get("properties", {})}


def _property(schema: object) -> JSONObject:
    """A schema within; one that is no object, as true, says nothing."""
    if not is_object(schema):
        return {}
    kept = dict(schema)
    for keyword in _KNOWN:
        if keyword in kept:
            value = _KEPT.get(keyword, _as_it_is)(kept.pop(keyword))
            if value is not None:
                kept[keyword] = value
    return kept


def _as_it_is(value: object) -> object:
    return value


def _type(value: object) -> object:
    return value if isinstance(value, str) or _texts(value) is not None else None


def _texts(value: object) -> object:
    return value if is_array(value) and all(isinstance(item, str) for item in value) else None


def _text(value: object) -> object:
    return value if isinstance(value, str) else None


def _array(value: object) -> object:
    return value if is_array(value) else None


def _branches(value: object) -> object:
    return [_property(branch) for branch in value] if is_array(value) else None


def _properties(value: object) -> object:
    return {name: _property(schema) for name, schema in value.items()} if is_object(value) else None


_KEPT = {
    "anyOf": _branches,
    "type": _type,
    "description": _text,
    "enum": _array,
    "properties": _properties,
    "required": _texts,
}
