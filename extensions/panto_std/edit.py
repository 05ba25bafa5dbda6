"""std.edit: replace text in a file, and nothing else of it."""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from panto import Host, Need, Reply, Tool, ToolContext, ToolError

from . import _seen
from ._change import change, reply
from ._edit import Edited, edit, numbers
from ._names import located, missing, plural, shown, shown_argument

_SHOWN_TO_MODEL = 4000
_HOW = {
    "exactly": "",
    "alike": " old was found but for line ends, blanks at line ends, or characters that look the same.",
    "indented": " old was found but for its indentation; new was indented as the file is.",
}


class Arguments(Struct):
    """What to replace with what."""

    path: Annotated[str, Meta(description="The file, relative to the project or absolute.")]
    old: Annotated[
        str, Meta(description="The text to replace, as it is in the file, without line numbers. It must be there once.")
    ]
    new: Annotated[str, Meta(description="The text to put in its place. Empty to delete.")]
    all: Annotated[bool, Meta(description="Replace every place where old is.")] = False


def activate(host: Host) -> None:
    """Offer the tool."""
    _seen.forget_with_sessions(host)
    host.add_tool(
        Tool(
            name="std.edit",
            description=(
                "Replace text in a file. Read the file first. old must be in one place only, so add lines around it "
                "if it is not; with all it may be in many. The rest of the file stays as it is."
            ),
            parameters=Arguments,
            run=_edit,
            needs=lambda arguments, context: [
                Need(ability, str(located(context.resolve(arguments.path)))) for ability in ("fs.read", "fs.write")
            ],
            summarise=lambda arguments: shown_argument(arguments.path, host.project),
        )
    )


async def _edit(arguments: Arguments, context: ToolContext) -> Reply:
    path = await asyncio.to_thread(located, context.resolve(arguments.path))
    name = shown(path, context.project)
    edits: list[Edited] = []

    def make(old: bytes | None) -> bytes:
        if old is None:
            raise ToolError(f"{missing(path, context.project)}. To make a new file use std.write")
        edits.append(edit(old, arguments.old, arguments.new, every=arguments.all, shown=name))
        return edits[-1].data

    made = await change(context, path, make)
    edited = edits[-1]
    said = f"Edited {name}: {plural(len(edited.lines), 'place')} ({numbers(edited.lines)}).{_HOW[edited.how]}"
    if edited.how != "exactly" and len(made.diff.text) <= _SHOWN_TO_MODEL:
        said = f"{said}\n{made.diff.text}"
    return reply(said, made, path)
