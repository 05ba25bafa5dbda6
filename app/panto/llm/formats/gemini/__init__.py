"""The wire format ``gemini``: contents made of parts, as Google's own API has them."""

from panto.llm.formats.gemini.request import encode

__all__ = ["encode"]
