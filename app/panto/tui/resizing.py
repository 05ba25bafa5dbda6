"""Sizes of the window reach the screen in the order in which they came."""

import asyncio
import signal


def take_in_turn(loop: asyncio.AbstractEventLoop) -> None:
    """Have the loop call what Textual does when the window's size changes.

    As a plain signal handler it can be interrupted by itself between reading the size and telling it: then the size
    that it read first is told last, and stays.
    """
    handler = signal.getsignal(signal.SIGWINCH)
    if callable(handler):
        loop.add_signal_handler(signal.SIGWINCH, handler, signal.SIGWINCH, None)
