"""What libraries and their children print while the screen is up goes to the log, and not over the screen."""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

_STREAMS = (1, 2)


@contextlib.contextmanager
def stray_output_to(file: Path) -> Generator[None]:
    """Keep the terminal for the screen, which writes to Python's standard error. Without a log it goes nowhere."""
    try:
        terminal, kept = os.dup(1), [os.dup(stream) for stream in _STREAMS]
    except OSError:
        yield  # there is no terminal to keep
        return
    found = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
    for stream in found:
        if stream is not None:
            stream.flush()
    screen = os.fdopen(terminal, "w", encoding="utf-8", errors="replace")
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = screen  # pyright: ignore[reportAttributeAccessIssue] - Textual takes it from there
    log = _opened(file)
    for stream in _STREAMS:
        os.dup2(log, stream)
    os.close(log)
    try:
        yield
    finally:
        for stream, was in zip(_STREAMS, kept, strict=True):
            os.dup2(was, stream)
            os.close(was)
        sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__ = found  # pyright: ignore[reportAttributeAccessIssue] - as they were
        with contextlib.suppress(OSError):
            screen.close()


def _opened(file: Path) -> int:
    try:
        return os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)
