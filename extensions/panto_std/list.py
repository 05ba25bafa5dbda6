"""std.list: what is in one directory."""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from panto import Host, Need, Reply, Tool, ToolContext, ToolError

from ._files import is_directory
from ._listing import listing
from ._names import located, shown, shown_argument


class Arguments(Struct):
    """What to list."""

    path: Annotated[str, Meta(description="The directory, relative to the project or absolute.")] = "."


def activate(host: Host) -> None:
    """Offer the tool."""
    host.add_tool(
        Tool(
            name="std.list",
            description="List one directory: sub-directories end in /, files have their size, links their target.",
            parameters=Arguments,
            run=_list,
            needs=lambda arguments, context: [Need("fs.read", str(located(context.resolve(arguments.path))))],
            summarise=lambda arguments: shown_argument(arguments.path, host.project),
        )
    )


async def _list(arguments: Arguments, context: ToolContext) -> Reply:
    directory = await asyncio.to_thread(located, context.resolve(arguments.path))
    if not await asyncio.to_thread(is_directory, directory, context.project):
        raise ToolError(f"{shown(directory, context.project)} is no directory; std.read reads files")
    found = await asyncio.to_thread(listing, directory, context.project)
    return Reply(found.text, found.summary, paths=(directory,))
