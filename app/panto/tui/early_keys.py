"""Keys typed while the program is still loading: kept for the prompt, and not echoed over the screen to come.

Only the standard library is imported here, so that it is in force before anything slow begins.
"""

import contextlib
import os
import select
import sys
from collections.abc import Generator

MAX_BYTES = 65_536
"""What is kept of it at most."""


@contextlib.contextmanager
def kept_keys() -> Generator[str]:
    """Give the text typed so far; later keys wait in the terminal. Behind it the terminal is as it was found.

    A line end in that text is an Enter: the terminal made a newline of it while it still belonged to the shell.
    """
    try:
        import termios  # noqa: PLC0415 - not on every system
    except ImportError:
        yield ""
        return
    try:
        descriptor = sys.stdin.fileno()
        found = termios.tcgetattr(descriptor)
        quiet = list(found)
        quiet[0] &= ~termios.ICRNL  # Enter stays Enter, and does not become Ctrl+J
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    except (OSError, ValueError, termios.error):
        yield ""
        return
    try:
        yield _typed(descriptor)
    finally:
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, found)


def _typed(descriptor: int) -> str:
    """What waits to be read, as text. Escape sequences (a terminal's late answers) are left out, to the end."""
    data = b""
    while len(data) < MAX_BYTES and select.select([descriptor], [], [], 0)[0]:
        piece = os.read(descriptor, 4096)
        if not piece:
            break
        data += piece
    return data.decode(errors="ignore").replace("\r", "\n").partition("\x1b")[0]
