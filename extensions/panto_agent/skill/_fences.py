"""The fences of front matter: where the block between the two ``---`` lines is, and where the body starts."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from panto_agent.skill._files import open_regular
from panto_agent.skill._records import FrontMatterError

MOST_HEADER_BYTES = 1024 * 1024
"""What is read of a file at most in search of the closing fence, when only the block is wanted."""

_PIECE = 8192
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"---[ \t]*(?:\r?\n|\Z)")
_CLOSING_LINE = re.compile(rb"---[ \t]*\r?\n")


class Fences(NamedTuple):
    """Where in a file's bytes the block starts and ends, and the body starts."""

    block: int
    end: int
    body: int


def find_fences(data: bytes) -> Fences:
    """The fences in a whole file. A byte order mark before the first and blanks behind both are let pass.

    Raises FrontMatterError when the first line is no fence, or the block is never closed by a line that is one.
    """
    start = _block_start(data)
    fence = _find_line(_CLOSING, data, start)
    if fence is None:
        raise FrontMatterError("the opening `---` is never closed by a line of its own", 1)
    return Fences(start, fence.start(), fence.end())


def read_block(path: Path) -> bytes:
    """The bytes between a file's fences, with nothing read beyond the piece that holds the closing one.

    Raises OSError, and FrontMatterError as ``find_fences`` does, or when the block is larger than MOST_HEADER_BYTES.
    """
    descriptor = open_regular(path)
    try:
        data = os.read(descriptor, _PIECE)
        start = searched = 0
        while len(data) <= MOST_HEADER_BYTES:
            if b"\n" in data:
                start = start or _block_start(data)
                fence = _find_line(_CLOSING_LINE, data, searched or start)
                if fence is not None:
                    return data[start : fence.start()]
                searched = max(start, data.rfind(b"\n") + 1)
            piece = os.read(descriptor, max(len(data), _PIECE))
            if not piece:
                start, end, _body = find_fences(data)
                return data[start:end]
            data += piece
    finally:
        os.close(descriptor)
    raise FrontMatterError(f"the front matter doesn't end within {MOST_HEADER_BYTES} bytes", 1)


def _block_start(data: bytes) -> int:
    found = _OPENING.match(data)
    if found is None:
        raise FrontMatterError("the first line is no whole-line `---`", 1)
    return found.end()


def _find_line(pattern: re.Pattern[bytes], data: bytes, at: int) -> re.Match[bytes] | None:
    """The first line that matches, from the start of a line on."""
    while at >= 0:
        found = pattern.match(data, at)
        if found is not None:
            return found
        at = data.find(b"\n---", at) + 1 or -1
    return None
