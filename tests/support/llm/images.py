"""What an image's first bytes say it is, and how large."""

import base64
import binascii
import struct
from typing import NamedTuple

MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")


class Picture(NamedTuple):
    """An image's true media type, and its size in pixels where the header was understood (else 0)."""

    media_type: str
    width: int
    height: int


def picture_of(data: str) -> Picture | None:
    """The picture in base64 text; None if it is no base64, or none of the media types the APIs take."""
    try:
        head = base64.b64decode(data, validate=True)
    except binascii.Error:
        return None
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return Picture("image/png", *struct.unpack(">II", head[16:24]))
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return Picture("image/gif", *struct.unpack("<HH", head[6:10]))
    if head.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", *_jpeg_size(head))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Picture("image/webp", 0, 0)
    return None


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height from the start-of-frame segment; zeros if there is none."""
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return 0, 0
