"""One change of the window's size is told to the end before the next."""

import asyncio
import signal
from types import FrameType

from panto.tui.resizing import take_in_turn


async def test_a_size_that_comes_while_one_is_told_is_told_behind_it() -> None:
    told: list[str] = []
    done = asyncio.Event()

    def tell(number: int, frame: FrameType | None) -> None:
        told.append("begin")
        if len(told) == 1:
            signal.raise_signal(signal.SIGWINCH)
        told.append("end")
        if len(told) == 4:
            done.set()

    before = signal.signal(signal.SIGWINCH, tell)
    loop = asyncio.get_running_loop()
    try:
        take_in_turn(loop)
        signal.raise_signal(signal.SIGWINCH)
        await asyncio.wait_for(done.wait(), 30)
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)
        signal.signal(signal.SIGWINCH, before)
    assert told == ["begin", "end"] * 2


async def test_without_a_handler_nothing_is_done() -> None:
    before = signal.signal(signal.SIGWINCH, signal.SIG_DFL)
    loop = asyncio.get_running_loop()
    try:
        take_in_turn(loop)
        assert not loop.remove_signal_handler(signal.SIGWINCH)
    finally:
        signal.signal(signal.SIGWINCH, before)
