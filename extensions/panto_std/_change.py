"""Change a file for a session: only what it has seen, one change after another, told to who needs to know."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from panto import Reply, ToolContext

from . import _seen
from ._diff import Diff, diff
from ._encoding import encoding_of_bytes
from ._files import Loaded, load, replace, target
from ._names import shown

Make: TypeAlias = Callable[[bytes | None], bytes]
"""Makes a file's new bytes from its old ones (None: there is no file). Runs in a thread; may raise `ToolError`."""

_SHOWN_TO_MODEL = 4000


@dataclass(frozen=True)
class Change:
    """What became of a file. ``later`` is what others made of it as soon as they were told, such as a formatter."""

    kind: Literal["created", "changed", "unchanged"]
    diff: Diff
    later: Diff | None = None


async def change(context: ToolContext, path: Path, make: Make) -> Change:
    """Give a file new bytes, whole or not at all. A write that has begun is seen through, whatever is cancelled.

    Raises `ToolError` if the session has not seen the file as it is now, or if it can't be written.
    """
    project = context.project
    real = await asyncio.to_thread(target, path, project)
    async with _seen.lock(real):
        before = await asyncio.to_thread(load, real, project)
        if before is not None:
            _seen.check(context.session, real, before.data, shown(path, project))
        old = None if before is None else before.data
        new = await asyncio.to_thread(make, old)
        if new == old:
            return Change("unchanged", Diff())
        return await _to_the_end(_commit(context, path, real, before, new))


def reply(said: str, made: Change, path: Path) -> Reply:
    """What a tool answers after a change: what it says itself, and what happened to the file since."""
    if made.later is not None:
        changed = "Then something else, such as a formatter, changed"
        short = _can_be_shown(made.later)
        said += f"\n{changed} it:\n{made.later.text}" if short else f"\n{changed} much of it; read it again."
    return Reply(said, made.diff.summary, made.diff.text, paths=(path,))


async def _commit(context: ToolContext, path: Path, real: Path, before: Loaded | None, new: bytes) -> Change:
    project = context.project
    name = shown(path, project)
    await asyncio.to_thread(replace, real, new, before, project)
    _seen.remember(context.session, real, _seen.fingerprint(new))
    await context.changed(path, "changed" if before else "created")
    after = await asyncio.to_thread(load, real, project)
    made = await asyncio.to_thread(_diff, None if before is None else before.data, new, name)
    later = None
    if after is not None and after.data != new:
        later = await asyncio.to_thread(_diff, new, after.data, name)
        if _can_be_shown(later):
            _seen.remember(context.session, real, _seen.fingerprint(after.data))
    return Change("changed" if before else "created", made, later)


def _can_be_shown(later: Diff) -> bool:
    """Whether a model that is shown this knows the file."""
    return later.whole and len(later.text) <= _SHOWN_TO_MODEL


def _diff(before: bytes | None, after: bytes, name: str) -> Diff:
    return diff(None if before is None else _text(before), _text(after), name)


def _text(data: bytes) -> str:
    return encoding_of_bytes(data).decode(data).encode("utf-8", "replace").decode()


async def _to_the_end(work: Awaitable[Change]) -> Change:
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # looked at: it can't be raised any more
        raise
