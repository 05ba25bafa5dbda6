"""The wire format ``openai-responses``: a conversation as a list of items, of which reasoning is one."""

from panto.llm.formats.openai_responses.request import encode

__all__ = ["encode"]
