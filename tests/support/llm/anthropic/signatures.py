"""Signed thinking: what this server signs it knows again, in this process or the next.

A signature is a digest of the thinking it goes with, so that any change to the text is seen, and a session may go on with
another server than the one it began with.
"""

import base64
import hashlib

_SECRET = b"scripted-thinking"


def sign(thinking: str) -> str:
    """The signature of a thinking block."""
    return base64.b64encode(b"EqQB" + _digest(b"thinking", thinking)).decode()


def is_signed(thinking: str, signature: str) -> bool:
    """Whether the signature belongs to exactly this thinking."""
    return signature == sign(thinking)


def seal(label: str) -> str:
    """The data of a redacted thinking block; the label tells blocks apart."""
    return base64.b64encode(_digest(b"redacted", label) + label.encode()).decode()


def is_sealed(data: str) -> bool:
    """Whether the data of a redacted thinking block is untouched."""
    try:
        label = base64.b64decode(data, validate=True)[hashlib.sha512().digest_size :].decode()
    except ValueError:
        return False
    return data == seal(label)


def _digest(use: bytes, text: str) -> bytes:
    return hashlib.sha512(_SECRET + use + text.encode()).digest()
