"""Messages as bytes and back. What no encoding can hold is replaced, so that it never costs the whole message."""

from collections.abc import Sequence
from typing import cast

import msgspec

from panto.json_values import is_object
from panto.messages import Message

_INTEGER_BITS = 63
"""What MessagePack holds, besides the sign."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Message)


def encoded(message: Message) -> tuple[Message, bytes]:
    """A message as MessagePack, and as it will be when it is decoded again.

    They are the same but for what MessagePack can't hold, and file names and models bring along: half surrogates are
    replaced, and huge whole numbers become text.
    """
    try:
        return message, _encoder.encode(message)
    except (UnicodeEncodeError, OverflowError):
        plain = _encodable(msgspec.to_builtins(message, builtin_types=(bytes,)))
        readable = msgspec.convert(plain, Message)
        return readable, _encoder.encode(readable)


def decoded(body: bytes) -> Message:
    """A message from its bytes. Raises `msgspec.DecodeError` for what is none."""
    try:
        return _decoder.decode(body)
    except RecursionError as error:
        raise msgspec.DecodeError(str(error)) from None


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int) and value.bit_length() > _INTEGER_BITS:
        return hex(value)
    if is_object(value):
        return {str(_encodable(key)): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in cast("Sequence[object]", value)]
    return value
