"""Google's own SDK as a judge of what goes out: its request types, which take no field that they do not know."""

import json

from google.genai import types

from panto.json_values import JSONObject, array_at, object_at

_BESIDE = ("systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "labels")


def judged(body: JSONObject) -> types.GenerateContentConfig:
    """The body's configuration as the SDK reads it. Raises `pydantic.ValidationError` if it, or a content, is wrong."""
    for content in array_at(body, "contents"):
        types.Content.model_validate_json(json.dumps(content))
    beside = {name: body[name] for name in _BESIDE if name in body}
    assert body.keys() <= {"contents", "generationConfig", *_BESIDE}
    config = {**object_at(body, "generationConfig"), **beside}
    return types.GenerateContentConfig.model_validate_json(json.dumps(config))
