"""The clipboard: the terminal's own, which also reaches through ssh, and the desktop's or tmux's where there is one."""

import asyncio
import base64
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

LONGEST_SEQUENCE = 100_000
"""Bytes of an OSC 52 sequence that terminals take: longer ones are cut, or dropped."""
_SECONDS = 3.0
"""How long a program may take to take the text."""


@dataclass(frozen=True)
class Way:
    """A program that takes a text by its standard input, and what tells that it can be of use."""

    command: Sequence[str]
    variable: str = ""
    platform: str = ""
    encoding: str = "utf-8"

    def fits(self, environment: Mapping[str, str], platform: str) -> bool:
        """Whether it can be of use here."""
        if self.variable and not environment.get(self.variable):
            return False
        return not self.platform or platform == self.platform


WAYS = (
    Way(("tmux", "load-buffer", "-w", "-"), variable="TMUX"),
    Way(("pbcopy",), platform="darwin"),
    Way(("clip.exe",), variable="WSL_DISTRO_NAME", encoding="utf-16"),
    Way(("wl-copy",), variable="WAYLAND_DISPLAY"),
    Way(("xclip", "-selection", "clipboard", "-in"), variable="DISPLAY"),
    Way(("xsel", "--clipboard", "--input"), variable="DISPLAY"),
)


def sequence(text: str) -> str:
    """What asks a terminal to take a text into its clipboard; empty if the text is too long for that."""
    data = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return f"\x1b]52;c;{data}\x07" if len(data) <= LONGEST_SEQUENCE else ""


async def copy(text: str, write: Callable[[str], None]) -> str:
    """Copy a text. ``write`` writes to the terminal. Gives what is wrong if it went nowhere, else nothing."""
    asked = sequence(text)
    if asked:
        write(asked)
    taken = [await _taken(way, text) for way in ways(os.environ, sys.platform)]
    if asked or any(taken):
        return ""
    return "it is too long for the terminal's clipboard, and there is no other; install wl-clipboard, xclip or xsel"


def ways(environment: Mapping[str, str], platform: str) -> Iterator[Way]:
    """The programs to try: tmux's, and the first of the desktop's."""
    there = [way for way in WAYS if way.fits(environment, platform) and shutil.which(way.command[0])]
    yield from (way for way in there if way.variable == "TMUX")
    yield from [way for way in there if way.variable != "TMUX"][:1]


async def _taken(way: Way, text: str) -> bool:
    """Whether a program has taken the text. Some go on in the background, to hand it out."""
    try:
        process = await asyncio.create_subprocess_exec(
            *way.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(_SECONDS):
            await process.communicate(text.encode(way.encoding, "replace"))
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode == 0
