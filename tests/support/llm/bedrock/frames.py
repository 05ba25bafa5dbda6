"""Frames of AWS's event streams, as a server writes them."""

import struct
from binascii import crc32
from collections.abc import Mapping

TEXT = 7
"""The type of a header's value that is text."""


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """One frame: a prelude of lengths, the headers, the payload, and checksums of the prelude and of it all."""
    head = b"".join(_header(name, value) for name, value in headers.items())
    body = prelude(16 + len(head) + len(payload), len(head)) + head + payload
    return body + struct.pack(">I", crc32(body))


def prelude(length: int, of_headers: int = 0) -> bytes:
    """The beginning of a frame of so many bytes in all."""
    lengths = struct.pack(">II", length, of_headers)
    return lengths + struct.pack(">I", crc32(lengths))


def event(kind: str, payload: bytes) -> bytes:
    """An event of this type."""
    return frame({":event-type": kind, ":content-type": "application/json", ":message-type": "event"}, payload)


def exception(kind: str, payload: bytes) -> bytes:
    """An error that the API knows."""
    return frame({":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}, payload)


def _header(name: str, value: str) -> bytes:
    key, text = name.encode(), value.encode()
    return struct.pack(">B", len(key)) + key + struct.pack(">BH", TEXT, len(text)) + text
