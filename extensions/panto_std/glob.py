"""std.glob: files by a pattern of their path."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from panto import Host, Need, Reply, Tool, ToolContext, ToolError

from ._files import is_directory
from ._names import located, plural, printable, shown
from ._pattern import matcher, split_base
from ._ripgrep import SECONDS, Records, ripgrep

FILES = 500


class Arguments(Struct):
    """Which files to find, and where."""

    pattern: Annotated[str, Meta(description="Such as **/*.py, src/**/test_*.{js,ts} or Makefile.")]
    path: Annotated[str, Meta(description="The directory to look in, relative to the project or absolute.")] = "."


def activate(host: Host) -> None:
    """Offer the tool."""
    host.add_tool(
        Tool(
            name="std.glob",
            description=(
                "Find files by a pattern of their path, in path order. A pattern without / means that name in any "
                "directory. What .gitignore leaves out is left out."
            ),
            parameters=Arguments,
            run=_glob,
            needs=lambda arguments, context: [Need("fs.read", str(_where(arguments, context)[0]))],
            summarise=lambda arguments: printable(
                arguments.pattern if arguments.path == "." else f"{arguments.pattern} in {arguments.path}"
            ),
        )
    )


def _where(arguments: Arguments, context: ToolContext) -> tuple[Path, str]:
    """The directory to look in, and the pattern from there."""
    base, pattern = split_base(arguments.pattern)
    start = base if base.startswith("~") else str(Path(arguments.path, base))
    return located(context.resolve(start)), pattern


class _Found:
    """The first files by path of those that match, and how many match. Takes paths in any order."""

    def __init__(self, matches: Callable[[str], bool]) -> None:
        self._matches = matches
        self._paths: list[str] = []
        self.count = 0

    def take(self, path: bytes) -> None:
        text = os.fsdecode(path)
        if not self._matches(text):
            return
        self.count += 1
        self._paths.append(text)
        if len(self._paths) > 20 * FILES:
            self._paths = self.first()

    def first(self) -> list[str]:
        return sorted(self._paths)[:FILES]


async def _glob(arguments: Arguments, context: ToolContext) -> Reply:
    directory, pattern = await asyncio.to_thread(_where, arguments, context)
    if not await asyncio.to_thread(is_directory, directory, context.project):
        raise ToolError(f"{shown(directory, context.project)} is no directory to look in")
    found = _Found(matcher(pattern))
    result = await ripgrep(["--files"], directory, Records(b"\0", found.take).feed)
    if result.exit_code not in (0, 1) and not result.timed_out and not found.count:
        raise ToolError(f"can't look in {shown(directory, context.project)}: {result.output.text.strip()}")
    lines = [shown(directory / path, context.project) for path in found.first()]
    if found.count > FILES:
        lines.append(f"[{FILES} of {found.count:,} files; a narrower pattern or path shows the others]")
    if result.timed_out:
        lines.append(f"[stopped after {SECONDS:g} seconds: there may be more]")
    if not found.count:
        lines.insert(0, "no files match (what .gitignore leaves out was not looked at)")
    return Reply("\n".join(lines), plural(found.count, "file"), paths=(directory,))
