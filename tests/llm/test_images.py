"""What an image's first bytes say, for each kind that servers take."""

import struct

import pytest
from hypothesis import given, strategies as st

from panto.llm.images import Picture, picture_of

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 640, 480)
JPEG = (
    b"\xff\xd8\xff\xe0\0\x10" + b"JFIF".ljust(14, b"\0") + b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 480, 640) + b"\3"
)
LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)
LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + ((479 << 14) | 639).to_bytes(4, "little") + b"\0" * 8
EXTENDED = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (GIF, "image/gif"),
        (JPEG, "image/jpeg"),
        (LOSSY, "image/webp"),
        (LOSSLESS, "image/webp"),
        (EXTENDED, "image/webp"),
    ],
)
def test_kind_and_sides(data: bytes, media_type: str) -> None:
    assert picture_of(data) == Picture(media_type, 640, 480)


@given(st.sampled_from([PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED, b""]), st.integers(0, 40), st.binary(max_size=40))
def test_broken_headers_do_no_harm(data: bytes, size: int, rest: bytes) -> None:
    picture_of(data[:size] + rest)
