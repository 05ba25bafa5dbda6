"""std.write: a whole file, new or in place of one that was read."""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from panto import Host, Need, Reply, Tool, ToolContext, ToolError

from . import _seen
from ._change import change, reply
from ._encoding import encoding_of_bytes
from ._names import located, plural, shown, shown_argument, size


class Arguments(Struct):
    """What to write where."""

    path: Annotated[str, Meta(description="The file, relative to the project or absolute. Directories are made.")]
    content: Annotated[str, Meta(description="All of the file's new text, exactly as it is to be.")]


def activate(host: Host) -> None:
    """Offer the tool."""
    _seen.forget_with_sessions(host)
    host.add_tool(
        Tool(
            name="std.write",
            description=(
                "Write a whole file, as UTF-8. A file that exists must have been read before, and not have changed "
                "since. To change part of a file use std.edit."
            ),
            parameters=Arguments,
            run=_write,
            needs=lambda arguments, context: [Need("fs.write", str(located(context.resolve(arguments.path))))],
            summarise=lambda arguments: shown_argument(arguments.path, host.project),
        )
    )


async def _write(arguments: Arguments, context: ToolContext) -> Reply:
    path = await asyncio.to_thread(located, context.resolve(arguments.path))
    new = _encoded(arguments.content)
    was: list[str] = []

    def make(old: bytes | None) -> bytes:
        encoding = encoding_of_bytes(old or b"")
        if not encoding.plain:
            was.append(f" It was {encoding.name}, and is UTF-8 now.")
        return new

    made = await change(context, path, make)
    name = shown(path, context.project)
    if made.kind == "unchanged":
        return Reply(f"{name} is so already; nothing was written.", "unchanged", paths=(path,))
    lines = new.count(b"\n") + (not new.endswith(b"\n") and bool(new))
    said = f"{made.kind.capitalize()} {name}: {plural(lines, 'line')}, {size(len(new))}.{''.join(was)}"
    return reply(said, made, path)


def _encoded(content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            f"content has half a surrogate pair at character {error.start}, which no file can hold; nothing was written"
        ) from None
