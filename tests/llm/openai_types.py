"""Request bodies judged by the types of OpenAI's own library."""

from collections.abc import Iterable, Mapping
from typing import cast

from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

from panto.json_values import JSONObject

_COMPLETION: TypeAdapter[object] = TypeAdapter(CompletionCreateParamsStreaming)
_RESPONSE: TypeAdapter[object] = TypeAdapter(ResponseCreateParamsStreaming)


def check_completion(body: JSONObject) -> None:
    """Raise `pydantic.ValidationError` for what is no body of a chat completion."""
    _consume(_COMPLETION.validate_python(body, strict=True))


def check_response(body: JSONObject) -> None:
    """Raise `pydantic.ValidationError` for what is no body of a response."""
    _consume(_RESPONSE.validate_python(body, strict=True))


def _consume(value: object) -> None:
    """Read all of a validated value: what is an iterable to the library is judged only as it is read."""
    if isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            _consume(item)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in cast("Iterable[object]", value):
            _consume(item)
