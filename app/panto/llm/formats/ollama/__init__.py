"""The wire format ``ollama``: chat as ollama itself speaks it, with its own word on the context's length."""

from panto.llm.formats.ollama.request import encode

__all__ = ["encode"]
