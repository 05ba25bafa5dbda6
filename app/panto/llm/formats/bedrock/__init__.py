"""The wire format ``bedrock``: the Converse API of Amazon Bedrock, signed with AWS keys and framed in binary."""

from panto.llm.formats.bedrock.request import encode

__all__ = ["encode"]
