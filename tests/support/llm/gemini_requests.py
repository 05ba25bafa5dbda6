"""Requests to the Gemini API, for the tests of its validator and its answers."""

import base64
import struct

from tests.support.llm.checks import JSONObject
from tests.support.llm.gemini.format import Gemini
from tests.support.llm.gemini.signatures import sign
from tests.support.llm.request import Request

OLD, NEW = "gemini-2.5-flash", "gemini-3.8-flash"
NOTHING: JSONObject = {}
HEADERS = {"content-type": "application/json", "x-goog-api-key": "key"}


def path(model: str = OLD, way: str = "streamGenerateContent?alt=sse") -> str:
    """Where a model is asked."""
    return f"/v1beta/models/{model}:{way}"


def body(*contents: JSONObject, **more: object) -> JSONObject:
    """A request with these contents."""
    return {"contents": list(contents), **more}


def user(*parts: JSONObject) -> JSONObject:
    """A user's content, of these parts or of plain text."""
    return {"role": "user", "parts": list(parts) or [{"text": "hi"}]}


def model(*parts: JSONObject) -> JSONObject:
    """A model's content, of these parts or of plain text."""
    return {"role": "model", "parts": list(parts) or [{"text": "hello"}]}


def call(identifier: str = "c1", name: str = "t", signature: str = "", **more: object) -> JSONObject:
    """A call of a function."""
    wire: JSONObject = {"functionCall": {"id": identifier, "name": name, "args": {}, **more}}
    return {**wire, "thoughtSignature": signature} if signature else wire


def result(identifier: str = "c1", name: str = "t", **more: object) -> JSONObject:
    """A response of a function."""
    return {"functionResponse": {"id": identifier, "name": name, "response": {"output": "text"}, **more}}


def image(media_type: str = "image/png", data: str = "") -> JSONObject:
    """An image as a part."""
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 1, 1)).decode()
    return {"inlineData": {"mimeType": media_type, "data": data or png}}


def signed(part: JSONObject) -> JSONObject:
    """The part with the signature that the server would have put on it."""
    return {**part, "thoughtSignature": sign(part)}


def declared(*names: str, schema: object = None) -> list[JSONObject]:
    """Tools of these names."""
    more = {} if schema is None else {"parametersJsonSchema": schema}
    return [{"functionDeclarations": [{"name": name, "description": "", **more} for name in names]}]


def thinks(**config: object) -> JSONObject:
    """A request's field that asks for thinking so."""
    return {"generationConfig": {"thinkingConfig": config}}


def judge(given: JSONObject, name: str = OLD) -> None:
    """Have the validator look at a body."""
    Gemini().check(Request(0, 1, "POST", path(name), HEADERS, b"", 0.0, body=given))


def schema(**properties: object) -> JSONObject:
    """An object schema with these properties."""
    return {"type": "object", "properties": properties}
