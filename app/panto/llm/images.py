"""Images as servers take them: of a known kind, whole, and neither too large nor too many."""

import struct
from dataclasses import dataclass
from typing import NamedTuple

from panto.messages import Image, Text


class Picture(NamedTuple):
    """What an image's bytes say it is. Sides are in pixels; 0 if the header does not say."""

    media_type: str
    width: int
    height: int


@dataclass(frozen=True)
class ImageLimits:
    """What a server takes. ``size`` counts characters of base64. ``sides``: up to so many images, each side so long."""

    types: frozenset[str] = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
    size: int = 5 * 1024 * 1024
    sides: tuple[tuple[int, int], ...] = ((20, 8000), (100, 2000))

    def side(self, count: int) -> int:
        """The longest side, in pixels, in a request of so many images."""
        return next((side for up_to, side in self.sides if count <= up_to), self.sides[-1][1])

    @property
    def count(self) -> int:
        """The most images of one request."""
        return self.sides[-1][0]


def bounded(image: Image, limits: ImageLimits, side: int) -> Image | Text:
    """The image with its true media type if it is within bounds, else a text that says why it is left out."""
    picture = picture_of(image.data)
    size = (len(image.data) + 2) // 3 * 4
    if picture is None or picture.media_type not in limits.types:
        return left_out("it is of a kind that can't be sent, or broken")
    if size > limits.size:
        return left_out(f"it takes {size} bytes as base64, and {limits.size} can be sent")
    if max(picture.width, picture.height) > side:
        return left_out(f"it has {picture.width} x {picture.height} pixels, and {side} a side can be sent")
    return image if image.media_type == picture.media_type else Image(picture.media_type, image.data)


def left_out(why: str) -> Text:
    """What stands in place of an image."""
    return Text(f"[An image was left out: {why}.]")


def picture_of(data: bytes) -> Picture | None:
    """What the first bytes say; None if they are of no kind known here. Servers refuse a name that says otherwise."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return Picture("image/png", *struct.unpack_from(">II", data, 16))
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return Picture("image/gif", *struct.unpack_from("<HH", data, 6))
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", *_jpeg_sides(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return Picture("image/webp", *_webp_sides(data))
    return None


def _jpeg_sides(data: bytes) -> tuple[int, int]:
    """The sides that the start of the frame names, after segments that each say how long they are."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return 0, 0


def _webp_sides(data: bytes) -> tuple[int, int]:
    """The sides, which each of the three kinds of WebP has in another place."""
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case _:
            return 0, 0
