"""How a file's bytes are text, so that text taken from it and put back gives the same bytes, whatever they are."""

import codecs
import re
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

_CHUNK_BYTES = 1 << 18
_SNIFF_BYTES = 8192

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONG_SEQUENCE = re.compile("[\x80-\U0010ffff]")
_STRAY_BYTE = re.compile("[\udc80-\udcff]")

_SIGNATURES = (
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "zip archive"),
    (b"\x1f\x8b", "gzip"),
    (b"\x7fELF", "ELF program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\0asm", "WebAssembly"),
)


@dataclass(frozen=True)
class Encoding:
    """A codec with which every text of the file goes there and back unchanged, and the byte order mark before it.

    ``errors`` is the codec's error handler for the odd byte; ``name`` says the encoding to people.
    """

    codec: str
    mark: bytes = b""
    errors: str = "strict"

    @property
    def name(self) -> str:
        """As people say it."""
        name = self.codec.upper().replace("CP1252", "Windows-1252").replace("LATIN-1", "Latin-1")
        return f"{name} with stray bytes" if self.errors == "surrogateescape" else name

    @property
    def plain(self) -> bool:
        """Whether it is UTF-8 all through."""
        return self.codec == "utf-8" and self.errors == "strict"

    def decode(self, data: bytes) -> str:
        """The text behind the mark."""
        return data[len(self.mark) :].decode(self.codec, self.errors)

    def encode(self, text: str) -> bytes:
        """Raises `UnicodeEncodeError` for a character that the encoding does not have."""
        return text.encode(self.codec, self.errors)


def encoding_of(file: BinaryIO) -> Encoding:
    """Find a file's encoding, from its mark or its bytes, in bounded memory.

    Without a mark it is UTF-8 if all of it is valid. If it is not: UTF-8 with stray bytes where most of what is beyond
    ASCII is valid, else Windows-1252, else Latin-1, which has a character for every byte.
    """
    file.seek(0)
    head = file.read(4)
    for mark, codec in _MARKS:
        if head.startswith(mark) and _fits(file, codec, len(mark)) is None:
            return Encoding(codec, mark)
    sample = _fits(file, "utf-8", 0)
    if sample is None:
        return Encoding("utf-8")
    mixed = sample.decode("utf-8", "surrogateescape")
    if len(_LONG_SEQUENCE.findall(_STRAY_BYTE.sub("", mixed))) > len(_STRAY_BYTE.findall(mixed)):
        return Encoding("utf-8", errors="surrogateescape")
    return Encoding("cp1252" if _fits(file, "cp1252", 0) is None else "latin-1")


def encoding_of_bytes(data: bytes) -> Encoding:
    """The same for bytes."""
    return encoding_of(BytesIO(data))


def binary_kind(head: bytes) -> str | None:
    """What kind of binary file begins like this; None if it may be text."""
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    marked = any(head.startswith(mark) for mark, _ in _MARKS)
    return "binary" if b"\0" in head[:_SNIFF_BYTES] and not marked else None


def _fits(file: BinaryIO, codec: str, start: int) -> bytes | None:
    """None if the whole file decodes; else the part of it that does not."""
    file.seek(start)
    decoder = codecs.getincrementaldecoder(codec)("strict")
    chunk = b""
    try:
        while chunk := file.read(_CHUNK_BYTES):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return chunk
    return None
