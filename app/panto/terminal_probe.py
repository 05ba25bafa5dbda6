"""What the terminal says of itself: asked once, by a program that prints and is no screen."""

import os
import re
import select
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

WAIT_SECONDS = 1.0
"""How long to wait for answers. They come in the order of the questions, and every terminal answers the last one."""
_VERSION = "\x1b[>0q"
_KITTY = "\x1b[?u"
_SYNC = "\x1b[?2026$p"
_ATTRIBUTES = "\x1b[c"
_MULTIPLEXERS = {"TMUX": "tmux", "STY": "screen", "ZELLIJ": "zellij"}


@dataclass(frozen=True)
class Terminal:
    """A terminal. What it did not tell is None.

    ``kitty_keys``: it can tell Shift+Enter from Enter. ``synchronised``: it shows a picture only when it is whole.
    """

    name: str | None = None
    kitty_keys: bool | None = None
    synchronised: bool | None = None


def probe() -> Terminal:
    """Ask the terminal, if standard input and output are one. What it does not answer stays unknown."""
    try:
        with _quiet() as descriptor:
            return read_answers(_ask(descriptor))
    except (ImportError, OSError, ValueError):
        return Terminal()


def read_answers(answers: str) -> Terminal:
    """What answers say. Without the last one nothing can be said of those that are missing."""
    version = re.search(r"\x1bP>\|([^\x1b]*)\x1b\\", answers)
    if re.search(r"\x1b\[\?[\d;]*c", answers) is None:
        return Terminal(version[1] if version else None)
    sync = re.search(r"\x1b\[\?2026;(\d)\$y", answers)
    return Terminal(
        name=version[1] if version else None,
        kitty_keys=re.search(r"\x1b\[\?\d+u", answers) is not None,
        synchronised=sync is not None and sync[1] in "123",
    )


def multiplexer() -> str:
    """What stands between the program and the terminal; empty for nothing."""
    return next((name for variable, name in _MULTIPLEXERS.items() if os.environ.get(variable)), "")


@contextmanager
def _quiet() -> Generator[int]:
    """The terminal, which echoes nothing meanwhile. Raises OSError if there is none."""
    import termios  # noqa: PLC0415 - not on every system

    descriptor = sys.stdin.fileno()
    if not (os.isatty(descriptor) and sys.stdout.isatty()):
        raise OSError("standard input or output is no terminal")
    try:
        found = termios.tcgetattr(descriptor)
    except termios.error as error:
        raise OSError(str(error)) from error
    quiet = list(found)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    try:
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, found)


def _ask(descriptor: int) -> str:
    """Ask all questions at once, and take what comes until the last one is answered."""
    os.write(sys.stdout.fileno(), (_VERSION + _KITTY + _SYNC + _ATTRIBUTES).encode())
    until = time.monotonic() + WAIT_SECONDS
    answers = b""
    while (left := until - time.monotonic()) > 0 and re.search(rb"\x1b\[\?[\d;]*c", answers) is None:
        if select.select([descriptor], [], [], left)[0]:
            answers += os.read(descriptor, 4096)
    return answers.decode(errors="replace")
