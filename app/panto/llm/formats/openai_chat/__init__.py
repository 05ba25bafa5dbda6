"""The wire format ``openai-chat``: chat completions, which most servers speak."""

from panto.llm.formats.openai_chat.request import encode

__all__ = ["encode"]
