"""Runs the ripgrep program that is installed beside this interpreter, or else the system's."""

import shutil
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from panto import Keep, MissingProgramError, ProcessError, ProcessResult, ToolError, run_process

SECONDS = 60.0
_KEEP = Keep(4_000, 1_000)
"""Of the output itself only error messages are read; results go to the sink."""

# Hidden files are looked at, git's own are not, and ignore files hold outside of a git repository too.
_ALWAYS = ("--no-config", "--color=never", "--hidden", "--glob=!.git", "--no-require-git", "--no-messages", "--null")


async def ripgrep(arguments: Sequence[str], cwd: Path, sink: Callable[[bytes], None]) -> ProcessResult:
    """Run it with these arguments; its output goes to the sink, in a thread. Cancelling ends it.

    Raises `ToolError` if it is not installed.
    """
    program = find_program()
    if program is None:
        raise ToolError(
            f"ripgrep is not installed: neither beside {sys.executable} nor on the PATH. "
            "Tell the user to install it (pip install ripgrep); until then, search with std.shell"
        )
    try:
        return await run_process(
            [program, *_ALWAYS, *arguments], cwd=cwd, timeout_seconds=SECONDS, sink=sink, keep=_KEEP
        )
    except (ProcessError, MissingProgramError) as error:
        raise ToolError(str(error)) from None


def find_program() -> str | None:
    """Where ripgrep is; None if it is not installed."""
    places = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    return next((found for place in places if (found := shutil.which("rg", path=place))), shutil.which("rg"))


class Records:
    """Cuts output into records as it comes, each ended by ``end``; a record that grows too long loses its end."""

    def __init__(self, end: bytes, take: Callable[[bytes], None], longest: int = 100_000) -> None:
        self._end = end
        self._take = take
        self._longest = longest
        self._open = b""

    def feed(self, chunk: bytes) -> None:
        """Take bytes as they come."""
        *whole, rest = chunk.split(self._end)
        for record in whole:
            self._take((self._open + record)[: self._longest])
            self._open = b""
        self._open = (self._open + rest)[: self._longest]
