"""One command file: its front matter and its body, read whole or refused with the reason."""

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from panto_agent.skill._fences import find_fences
from panto_agent.skill._files import pieces, reason_of, resolved
from panto_agent.skill._frontmatter import FrontMatter, read_front_matter
from panto_agent.skill._lines import without_comment
from panto_agent.skill._records import FrontMatterError, shown

MOST_BYTES = 256 * 1024
"""A larger file is no prompt but a mistake."""
LONGEST_DESCRIPTION = 160
LONGEST_HINT = 60

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FENCE = re.compile(rb"---[ \t]*\r?(?:\n|\Z)")


class CommandFileError(Exception):
    """A command file that is not taken: why, and the line (from 1) where it shows, if any."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class CommandFile:
    """What a command file says. ``description`` and ``hint`` are one line each, fit to be shown.

    ``model`` and ``agent`` are as written, empty for none. A tool list is None when it isn't given.
    """

    body: str
    description: str
    hint: str = ""
    model: str = ""
    agent: str = ""
    allowed_tools: Sequence[str] | None = None
    disallowed_tools: Sequence[str] | None = None


def read_command_file(path: Path, inside: Path | None) -> CommandFile:
    """Read a command file; with ``inside``, a real path, only if it really lies in there.

    Raises `CommandFileError`. It never waits for a pipe.
    """
    try:
        real = resolved(path)
        if inside is not None and not real.is_relative_to(inside):
            raise CommandFileError("it leads out of the project")
        data = _bytes(real)
    except OSError as error:
        raise CommandFileError(f"it can't be read: {reason_of(error)}") from None
    return parse_command_file(data)


def parse_command_file(data: bytes) -> CommandFile:
    """What the bytes of a command file say. A file whose first line is no ``---`` is all body.

    Raises `CommandFileError` for what is no UTF-8 text and for front matter that can't be read whole.
    """
    data = data.removeprefix(_BYTE_ORDER_MARK)
    try:
        if not _FENCE.match(data):
            return _command(None, data.decode())
        fences = find_fences(data)
        front = read_front_matter(data[fences.block : fences.end].decode())
        return _command(front, data[fences.body :].decode())
    except UnicodeDecodeError:
        raise CommandFileError("it is no UTF-8 text") from None
    except FrontMatterError as error:
        raise CommandFileError(f"its front matter can't be read: {error.reason}", error.line) from None


def _command(front: FrontMatter | None, body: str) -> CommandFile:
    body = body.replace("\r\n", "\n").strip("\n")
    first = next((line for line in body.split("\n") if line.strip()), "")
    if front is None:
        return CommandFile(body, one_line(first, LONGEST_DESCRIPTION))
    texts = front.texts
    return CommandFile(
        body,
        one_line(texts.get("description", ""), LONGEST_DESCRIPTION) or one_line(first, LONGEST_DESCRIPTION),
        one_line(texts.get("argument-hint", ""), LONGEST_HINT),
        without_comment(texts.get("model", "")).strip(),
        without_comment(texts.get("agent", "")).strip(),
        front.allowed_tools,
        front.disallowed_tools,
    )


def one_line(text: str, longest: int) -> str:
    """Text from a file as one line that steers nothing, of bounded length."""
    return shown(" ".join(text[: 8 * longest].split()), longest)


def _bytes(path: Path) -> bytes:
    data = b""
    with closing(pieces(path)) as found:
        for piece in found:
            data += piece
            if len(data) > MOST_BYTES:
                raise CommandFileError(f"it has more than {MOST_BYTES // 1024} KiB")
    return data
