"""Running commands in tests, and looking for what is left of them."""

import asyncio
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

from panto.process import ProcessResult, run_process

HERE = Path("/")
PATIENCE = 60.0
"""Seconds that nothing here needs, so that a hang is a failure and not a hang."""


def shell(script: str) -> list[str]:
    return ["bash", "-c", script]


async def run(script: str, **options: object) -> ProcessResult:
    async with asyncio.timeout(PATIENCE):
        return await run_process(shell(script), cwd=HERE, **options)  # pyright: ignore[reportArgumentType] - by name


def marked() -> str:
    """A number of seconds to sleep that no other process on this machine sleeps."""
    return f"987.{uuid.uuid4().int % 10**12:012d}"


def alive(mark: str) -> list[str]:
    """The processes with that mark in their arguments, as the system lists them; zombies are not alive."""
    listed = subprocess.run(["ps", "-A", "-o", "stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if mark in line and not line.startswith("Z")]


async def until(condition: Callable[[], bool]) -> None:
    """Until something outside of this process is so, which nobody announces."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def until_alive(mark: str, count: int = 1) -> None:
    await until(lambda: len(alive(mark)) >= count)
