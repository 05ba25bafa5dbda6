"""Some lines of a text file, numbered, in bounded memory however large the file and its lines are."""

import codecs
import hashlib
import re
from dataclasses import dataclass
from typing import BinaryIO

from ._encoding import Encoding, encoding_of

LINES = 2000
BYTES = 50_000
LINE_CHARACTERS = 2000
_CHUNK_BYTES = 1 << 18
_SURROGATES = re.compile("[\ud800-\udfff]")
"""What stands for stray bytes, and is no character."""


@dataclass(frozen=True)
class Lines:
    """The lines asked for, as far as they fit. ``first`` and ``last`` count from 1; ``last`` is 0 if there are none.

    ``total`` is how many lines the file has, ``crlf`` whether most of them end in CR LF, ``content`` the fingerprint
    of the whole file as it was read.
    """

    text: str
    first: int
    last: int
    total: int
    encoding: Encoding
    crlf: bool
    content: bytes


class _Window:
    """Takes a file's text in pieces, keeps the lines from ``first`` on, and counts the rest."""

    def __init__(self, first: int, limit: int) -> None:
        self._first = first
        self._limit = limit
        self._number = 1
        self._kept: list[str] = []
        self._bytes = 0
        self._full = False
        self._line = ""
        self._length = 0
        self._ends_line = True
        self.line_ends = 0
        self.crlf = 0
        self._before = ""

    def feed(self, text: str) -> None:
        if not text:
            return
        self.crlf += text.count("\r\n") + (self._before == "\r" and text[0] == "\n")
        self._before = text[-1]
        self._ends_line = text[-1] == "\n"
        start = self._skip(text)
        while start < len(text) and not self._full:
            end = text.find("\n", start)
            self._add(text[start : end if end >= 0 else len(text)])
            if end < 0:
                return
            self._close()
            start = end + 1
        self.line_ends += text.count("\n", start)

    def finish(self, encoding: Encoding, content: bytes) -> Lines:
        if not (self._ends_line or self._full) and self._number >= self._first:
            self._close(ended=False)
        return Lines(
            text="\n".join(self._kept),
            first=self._first,
            last=self._first + len(self._kept) - 1 if self._kept else 0,
            total=self.line_ends + (not self._ends_line),
            encoding=encoding,
            crlf=2 * self.crlf > self.line_ends,
            content=content,
        )

    def _skip(self, text: str) -> int:
        """Where in the text the wanted lines begin, or go on."""
        start = 0
        while self._number < self._first:
            end = text.find("\n", start)
            if end < 0:
                return len(text)
            start = end + 1
            self._number += 1
            self.line_ends += 1
        return start

    def _add(self, piece: str) -> None:
        self._length += len(piece)
        self._line += piece[: LINE_CHARACTERS + 1 - len(self._line)]

    def _close(self, *, ended: bool = True) -> None:
        self.line_ends += ended
        line, self._line = self._line, ""
        length, self._length = self._length, 0
        if ended and line.endswith("\r") and length == len(line):
            line, length = line[:-1], length - 1
        if length > LINE_CHARACTERS:
            line = f"{line[:LINE_CHARACTERS]}… [line cut: it has {length:,} characters]"
        text = _SURROGATES.sub("\ufffd", f"{self._number}\t{line}")
        self._bytes += len(text.encode()) + 1
        if self._kept and self._bytes > BYTES:
            self._full = True
            return
        self._kept.append(text)
        self._number += 1
        self._full = len(self._kept) == self._limit


def read_lines(file: BinaryIO, offset: int, limit: int) -> Lines:
    """Read up to ``limit`` whole lines from line ``offset`` (from 1) on. Blocks for as long as the file takes.

    At least one line is given even if it is over the cap; lines over `LINE_CHARACTERS` are cut, with their true length.
    Characters that no text can hold come as U+FFFD.
    """
    encoding = encoding_of(file)
    decoder = codecs.getincrementaldecoder(encoding.codec)(encoding.errors)
    digest = hashlib.blake2b(digest_size=16)
    window = _Window(max(1, offset), limit)
    file.seek(0)
    digest.update(file.read(len(encoding.mark)))
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
        window.feed(decoder.decode(chunk))
    window.feed(decoder.decode(b"", final=True))
    return window.finish(encoding, digest.digest())
