"""The wire formats, by the name that config has for them. Each is a package of its own, imported when it is used."""

from importlib import import_module
from typing import cast

from panto.llm.wire import WireFormat

FORMATS: dict[str, str] = {
    "openai-chat": "panto.llm.formats.openai_chat",
    "openai-responses": "panto.llm.formats.openai_responses",
    "anthropic": "panto.llm.formats.anthropic",
    "gemini": "panto.llm.formats.gemini",
    "bedrock": "panto.llm.formats.bedrock",
    "ollama": "panto.llm.formats.ollama",
}
"""Where each format's ``encode`` is."""


def wire_format(api: str) -> WireFormat:
    """The format of that name. Raises `KeyError` if there is none."""
    return cast("WireFormat", import_module(FORMATS[api]).encode)
