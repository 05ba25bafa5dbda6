"""Schemas of tools, reduced to what the Gemini API knows of them."""

import copy
from dataclasses import replace

from hypothesis import given, settings, strategies as st

from panto.json_values import JSONObject
from panto.llm.client import Clients
from panto.llm.formats.gemini.schemas import reduced
from panto.messages import ToolSchema
from tests.llm.talking import done, endpoint, request
from tests.support.llm.gemini.parameters import KEYWORDS
from tests.support.llm_server import LLMServer

SCHEMA: JSONObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "pattern": "^/", "default": "/", "description": "Where."},
        "mode": {"const": "fast"},
        "lines": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9},
        "share": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "kind": {"type": ["string", "null"], "enum": ["a", None]},
        "flag": {"enum": [True, "x"]},
        "any": True,
        "item": {"$ref": "#/definitions/Item", "description": "One."},
        "list": {"type": "array", "items": {"type": "string", "format": "uri", "const": "u"}, "uniqueItems": True},
        "both": {
            "title": "Both",
            "allOf": [
                {"title": "A", "properties": {"a": {}}, "required": ["a"]},
                {"allOf": [{"properties": {"b": {}, "a": {"title": "A too"}}, "required": ["a", "b"], "minItems": 1}]},
            ],
        },
        "one": {"oneOf": [{"type": "string"}, False]},
    },
    "definitions": {"Item": {"type": "object", "patternProperties": {"x": {}}, "additionalProperties": {"not": {}}}},
    "required": ["path", "gone"],
    "additionalProperties": False,
}


def test_schemas_are_reduced_to_what_the_api_knows() -> None:
    before = copy.deepcopy(SCHEMA)
    assert reduced(SCHEMA) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "mode": {"enum": ["fast"]},
            "lines": {"type": "integer", "minimum": 1, "maximum": 8},
            "share": {"type": "number", "minimum": 0},
            "kind": {"type": ["string", "null"], "enum": ["a"]},
            "flag": {},
            "any": {},
            "item": {"$ref": "#/$defs/Item"},
            "list": {"type": "array", "items": {"type": "string", "format": "uri", "enum": ["u"]}},
            "both": {"title": "Both", "properties": {"a": {}, "b": {}}, "required": ["a", "b"], "minItems": 1},
            "one": {"oneOf": [{"type": "string"}, {}]},
        },
        "$defs": {"Item": {"type": "object", "additionalProperties": {}}},
        "required": ["path"],
        "additionalProperties": False,
    }
    assert before == SCHEMA


words = st.sampled_from([*sorted(KEYWORDS), "const", "not", "allOf", "definitions", "exclusiveMinimum", "default", "x"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "#/definitions/a", "integer"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(words, values, max_size=5))
def test_no_schema_can_break_it_or_is_changed_by_it(schema: JSONObject) -> None:
    before = copy.deepcopy(schema)
    once = reduced(schema)
    assert before == schema
    assert once.keys() <= KEYWORDS
    assert reduced(once) == once


async def test_the_server_takes_a_tool_with_any_schema(clients: Clients) -> None:
    with LLMServer(["Fine."]) as server:
        await done(replace(request("Hi"), tools=(ToolSchema("t", "d", SCHEMA),)), endpoint("gemini", server), clients)
