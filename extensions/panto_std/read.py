"""std.read: text files by line, images as images, directories as listings."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from panto import Host, Image, Need, Reply, Tool, ToolContext, ToolError

from . import _seen
from ._encoding import binary_kind
from ._files import is_directory, open_file, target, told
from ._lines import LINES, Lines, read_lines
from ._listing import listing
from ._names import located, plural, shown, shown_argument, size

IMAGE_BYTES = 5_000_000
_HEAD_BYTES = 8192


class Arguments(Struct):
    """What to read."""

    path: Annotated[str, Meta(description="The file or directory, relative to the project or absolute.")]
    offset: Annotated[int, Meta(ge=0, description="The first line to read, counting from 1.")] = 1
    limit: Annotated[int, Meta(ge=1, description=f"How many lines at most; {LINES} is the most.")] = LINES


def activate(host: Host) -> None:
    """Offer the tool."""
    _seen.forget_with_sessions(host)
    host.add_tool(
        Tool(
            name="std.read",
            description=(
                "Read a file. Text comes as lines, each with its number and a tab before it, which are not part of the "
                "file; long files come in parts, and the last line says where to go on. Also shows images (PNG, JPEG, "
                "GIF, WebP) and lists directories. Read a file before you change it."
            ),
            parameters=Arguments,
            run=_read,
            needs=lambda arguments, context: [Need("fs.read", str(located(context.resolve(arguments.path))))],
            summarise=lambda arguments: shown_argument(arguments.path, host.project),
        )
    )


@dataclass(frozen=True)
class _Read:
    """A reply, and the fingerprint of the file if its text was read."""

    reply: Reply
    content: bytes | None = None


async def _read(arguments: Arguments, context: ToolContext) -> Reply:
    path = await asyncio.to_thread(located, context.resolve(arguments.path))
    read = await asyncio.to_thread(_read_path, path, arguments, context.project)
    if read.content is not None:
        _seen.remember(context.session, await asyncio.to_thread(target, path, context.project), read.content)
    return read.reply


def _read_path(path: Path, arguments: Arguments, project: Path) -> _Read:
    if is_directory(path, project):
        found = listing(path, project)
        return _Read(Reply(found.text, found.summary, paths=(path,)))
    with open_file(path, project) as file, told(path, project, "read"):
        head = file.read(_HEAD_BYTES)
        bytes_ = os.fstat(file.fileno()).st_size
        image = _image_type(head)
        if image is not None:
            return _Read(_image(path, image, head + file.read(IMAGE_BYTES), project))
        binary = binary_kind(head)
        if binary is not None:
            return _Read(
                Reply(f"({binary} file, {bytes_:,} bytes: not text)", f"{binary}, {size(bytes_)}", paths=(path,))
            )
        lines = read_lines(file, arguments.offset, min(arguments.limit, LINES))
    return _Read(_text(path, lines, project), lines.content)


def _text(path: Path, lines: Lines, project: Path) -> Reply:
    if lines.first > max(1, lines.total):
        raise ToolError(
            f"{shown(path, project)} has {plural(lines.total, 'line')}, so there is no line {lines.first:,}"
        )
    if not lines.last:
        return Reply("(empty file)", "empty", paths=(path,))
    part = lines.first > 1 or lines.last < lines.total
    where = f"{lines.first}-{lines.last}"
    summary = f"lines {where} of {lines.total}" if part else where
    notes = [
        f"lines {where} of {lines.total}" if part else "",
        f"go on with offset={lines.last + 1}" if lines.last < lines.total else "",
        "" if lines.encoding.plain else f"not UTF-8 but {lines.encoding.name}",
        "lines end in CR LF" if lines.crlf else "",
    ]
    said = "; ".join(note for note in notes if note)
    return Reply(f"{lines.text}\n[{said}]" if said else lines.text, summary, paths=(path,))


def _image_type(head: bytes) -> str | None:
    """The media type of an image that models take, by its content."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def _image(path: Path, media_type: str, data: bytes, project: Path) -> Reply:
    if len(data) > IMAGE_BYTES:
        raise ToolError(
            f"{shown(path, project)} is an image of more than {size(IMAGE_BYTES)}, too large to be shown; "
            "make a smaller copy with a command, and read that"
        )
    kind = media_type.removeprefix("image/").upper()
    return Reply(
        f"({kind} image, {len(data):,} bytes)",
        f"{kind}, {size(len(data))}",
        images=(Image(media_type, data),),
        paths=(path,),
    )
