"""Where extensions that tests write meet the tests: they import this module."""

import asyncio

began = asyncio.Event()
go = asyncio.Event()


def reset() -> None:
    """New events, for a new event loop."""
    global began, go
    began, go = asyncio.Event(), asyncio.Event()
