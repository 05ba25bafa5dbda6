"""The wire format ``anthropic``: messages made of blocks."""

from panto.llm.formats.anthropic.request import encode

__all__ = ["encode"]
