"""What is kept of a command's output: its beginning and its end, with a counted gap, in memory that does not grow.

The text kept is for a model: escape sequences and control characters, which only a terminal understands, are taken
out before anything is counted. Who shows output as it comes gets it as it is, and makes it safe where it is shown.
"""

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO

LOG_BYTES = 1 << 30
"""A log takes no more than this: a command that never stops talking must not fill the disk."""

_ESCAPES = re.compile(
    "\x1b\\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI: colours, cursor movements
    "|\x1b[\\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\\\)"  # OSC and other strings: titles, links, images
    "|\x1b[ -/]{0,8}[0-~]?"  # the short ones, and an ESC that leads nowhere
    "|\r(?=\n)"
    "|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)
_UNFINISHED = re.compile("(?:\x1b\\[[0-?]{0,64}[ -/]{0,8}|\x1b[\\]PX^_][^\x07\x1b]{0,4096}\x1b?|\x1b[ -/]{0,8}|\r)\\Z")
_LONGEST_ESCAPE = 4200
_LONGEST_LINE = 16_384


class PlainText:
    """Takes escapes and control characters out of text that comes in pieces, wherever it was cut."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str, *, final: bool = False) -> str:
        """The plain text of what came, as far as it is certain; the rest comes with the next piece."""
        return self._without_escapes(text, final=final).replace("\r", "\n")

    def _without_escapes(self, text: str, *, final: bool) -> str:
        text, self._held = self._held + text, ""
        if not final:
            tail = max(0, len(text) - _LONGEST_ESCAPE)
            unfinished = _UNFINISHED.search(text, tail)
            if unfinished is not None:
                text, self._held = text[: unfinished.start()], text[unfinished.start() :]
        return _ESCAPES.sub("", text)


class TerminalText(PlainText):
    """The same for what was written to a terminal: of a line that was written over, what was written last is left.

    A line comes once it is whole, or has grown long. ``line`` is what there is of one that is not.
    """

    def __init__(self) -> None:
        super().__init__()
        self.line = ""

    def feed(self, text: str, *, final: bool = False) -> str:
        """The whole lines among what came."""
        *whole, line = (self.line + self._without_escapes(text, final=final)).split("\n")
        done = "".join(f"{_left_of(each)}\n" for each in whole)
        self.line = _left_of(line, open_ended=True)
        if final or len(self.line) > _LONGEST_LINE:
            done, self.line = done + _left_of(self.line), ""
        return done


def _left_of(line: str, *, open_ended: bool = False) -> str:
    """What is left of a line; one that goes on may yet be written over from its start."""
    shown = line.rstrip("\r")
    left = shown.rpartition("\r")[2]
    return f"{left}\r" if open_ended and len(shown) < len(line) else left


@dataclass(frozen=True)
class Keep:
    """How much of an output to keep: its first and last bytes, as plain text in UTF-8.

    ``log`` is a file for all of it, which is made only if that is more.
    """

    head_bytes: int = 10_000
    tail_bytes: int = 20_000
    log: Path | None = None


@dataclass(frozen=True)
class Captured:
    """The output of a command, without escapes: whole in ``head``, or ``head`` and ``tail`` with something left out.

    ``gap_bytes`` and ``gap_lines`` count what is left out (lines by their ends), ``bytes`` is all that the command
    wrote, ``lines`` how many lines that is. ``log`` is the file that has the output whole and as it came, or its first
    ``log_bytes`` bytes; it is there only if something is left out here.
    """

    head: str
    tail: str = ""
    gap_bytes: int = 0
    gap_lines: int = 0
    bytes: int = 0
    lines: int = 0
    log: Path | None = None
    log_bytes: int = 0

    @property
    def text(self) -> str:
        """What is kept, with a line that says what is left out."""
        if not self.gap_bytes:
            return self.head + self.tail
        lines = "" if self.head.endswith("\n") else "\n"
        return f"{self.head}{lines}[{self._gap}]\n{self.tail}"

    @property
    def _gap(self) -> str:
        lines = f"{self.gap_lines:,} lines, " if self.gap_lines else ""
        gap = f"{lines}{self.gap_bytes:,} bytes left out"
        if self.log is None:
            return gap
        whole = self.log_bytes == self.bytes
        return f"{gap}; {'all of it' if whole else f'the first {self.log_bytes:,} bytes'} in {self.log}"


class OutputBuffer:
    """Takes a command's bytes as they come and keeps what `Captured` holds. Not for use by two threads at once."""

    def __init__(self, keep: Keep, plain: PlainText | None = None) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._plain = plain or PlainText()
        self._head = bytearray()
        self._tail = bytearray()
        self._head_bytes = keep.head_bytes
        self._tail_bytes = keep.tail_bytes
        self._kept = 0
        self._newlines = 0
        self._ends_line = True
        self._bytes = 0
        self._log = _Log(keep.log, keep.head_bytes + keep.tail_bytes)

    def feed(self, chunk: bytes) -> str:
        """Take bytes; returns them decoded (escapes and all), for who wants to see them now."""
        self._bytes += len(chunk)
        text = self._decoder.decode(chunk)
        self._keep(self._plain.feed(text).encode())
        self._log.write(chunk, needed=self._overflows)
        return text

    def finish(self) -> Captured:
        """All that is known once nothing more will come."""
        self._keep(self._plain.feed(self._decoder.decode(b"", final=True), final=True).encode())
        self._log.write(b"", needed=self._overflows)
        self._log.close(keep=self._overflows)
        lines = self._newlines + (not self._ends_line)
        if not self._overflows:
            whole = bytes(self._head + self._tail).decode()
            return Captured(whole, bytes=self._bytes, lines=lines)
        head = _cut_end(bytes(self._head))
        tail = _cut_start(bytes(self._tail[-self._tail_bytes :]) if self._tail_bytes else b"")
        return Captured(
            head.decode(),
            tail.decode(),
            gap_bytes=self._kept - len(head) - len(tail),
            gap_lines=self._newlines - head.count(b"\n") - tail.count(b"\n"),
            bytes=self._bytes,
            lines=lines,
            log=self._log.path,
            log_bytes=self._log.written,
        )

    @property
    def _overflows(self) -> bool:
        return self._kept > self._head_bytes + self._tail_bytes

    def _keep(self, plain: bytes) -> None:
        if not plain:
            return
        self._kept += len(plain)
        self._newlines += plain.count(b"\n")
        self._ends_line = plain.endswith(b"\n")
        room = self._head_bytes - len(self._head)
        self._head += plain[:room]
        self._tail += plain[room:]
        if len(self._tail) > 2 * self._tail_bytes + 4096:
            del self._tail[: len(self._tail) - self._tail_bytes]


class _Log:
    """The file with the whole output, made when the buffer can't hold it; until then the bytes wait in memory."""

    def __init__(self, path: Path | None, memory_bytes: int) -> None:
        self.path: Path | None = None
        self.written = 0
        self._wanted = path
        self._memory_bytes = memory_bytes
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._file: IO[bytes] | None = None

    def write(self, chunk: bytes, *, needed: bool) -> None:
        if self._wanted is None:
            return
        self._waiting.append(chunk)
        self._waiting_bytes += len(chunk)
        if not needed and self._waiting_bytes <= self._memory_bytes:
            return
        try:
            self._flush(self._wanted)
        except OSError:
            # No room, or no such directory: the command must not fail for it. The counts say how far the log goes.
            self.close(keep=True)
            self._wanted = None

    def close(self, *, keep: bool) -> None:
        """Nothing more comes. A log that turned out not to be needed goes away again."""
        file, self._file = self._file, None
        self._waiting.clear()
        if file is not None:
            file.close()
        if self.path is not None and not keep:
            self.path.unlink(missing_ok=True)

    def _flush(self, path: Path) -> None:
        if self._file is None:
            self._file = path.open("wb", buffering=0)
            self.path = path
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        for chunk in waiting:
            piece = chunk[: LOG_BYTES - self.written]
            written = self._file.write(piece)
            self.written += written
            if written < len(piece):
                raise OSError(f"{path} took {written} of {len(piece)} bytes")


def _cut_end(text: bytes) -> bytes:
    """Without the line that was cut off at the end, if that is not much; else without half a character."""
    line = text.rfind(b"\n") + 1
    if line >= len(text) * 3 // 4:
        return text[:line]
    return text.decode(errors="ignore").encode()


def _cut_start(text: bytes) -> bytes:
    line = text.find(b"\n") + 1
    if 0 < line <= len(text) // 4:
        return text[line:]
    return text.decode(errors="ignore").encode()
