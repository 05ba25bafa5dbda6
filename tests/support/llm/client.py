"""How a plain HTTP client asks the scripted server, and what it makes of the answer."""

import json
import re
from collections.abc import Mapping

from tests.support.llm_server import LLMServer

HEADERS = {"x-api-key": "key", "authorization": "Bearer key", "anthropic-version": "2023-06-01"}
WIRES = ["openai-chat", "anthropic"]


def url(server: LLMServer, wire: str) -> str:
    """Where this wire format's model calls go."""
    path = "chat/completions" if wire == "openai-chat" else "messages"
    return f"{server.base_url}/{path}"


def body(wire: str, text: str = "hi", more: Mapping[str, object] | None = None) -> dict[str, object]:
    """A streamed request."""
    limit: dict[str, object] = {} if wire == "openai-chat" else {"max_tokens": 100}
    return {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}], **limit, **(more or {})}


def events(text: str) -> list[dict[str, object]]:
    """The JSON data of a stream's events."""
    data = re.findall(r"^data: (.*?)\r?$", text, re.MULTILINE)
    return [json.loads(line) for line in data if line != "[DONE]"]


def words(wire: str, text: str) -> str:
    """The answer's text, put together from a stream."""
    found: list[str] = []
    for event in events(text):
        match event:
            case {"choices": [{"delta": {"content": str(piece)}}]} if wire == "openai-chat":
                found.append(piece)
            case {"delta": {"type": "text_delta", "text": str(piece)}}:
                found.append(piece)
            case _:
                pass
    return "".join(found)
