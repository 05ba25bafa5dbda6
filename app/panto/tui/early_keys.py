"""Keys typed while the program is still loading: kept for the prompt, and not echoed over the screen to come.

Only the standard library is imported here, so that it is in force before anything slow begins.
"""

import contextlib
import sys
from collections.abc import Generator


@contextlib.contextmanager
def kept_keys() -> Generator[None]:
    """From here on typed keys wait in the terminal as they are; behind it the terminal is as it was found."""
    try:
        import termios  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    try:
        descriptor = sys.stdin.fileno()
        found = termios.tcgetattr(descriptor)
        quiet = list(found)
        quiet[0] &= ~termios.ICRNL  # Enter stays Enter, and does not become Ctrl+J
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    except (OSError, ValueError, termios.error):
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, found)
