"""Run the command that prints a key."""

import asyncio
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from panto.config.diagnostics import visible

_MAX_OUTPUT = 64 * 1024
_SHOWN_CHARACTERS = 200
_SECONDS_TO_DIE = 2


class CommandError(Exception):
    """The command did not print a key. The text reads on from "the command", and holds neither it nor its output."""


async def output_of(command: str, directory: Path | None, environ: Mapping[str, str], seconds: float) -> str:
    """The one line that a shell command prints, run in `directory` with nothing on its input.

    Raises `CommandError` if it fails, prints nothing or more than a line, or takes longer than `seconds`. Whatever
    happens, no process of its group outlives a call that does not return.
    """
    try:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            cwd=directory,
            env=dict(environ),
            start_new_session=True,  # no terminal to ask on, and a group of its own to end
        )
    except (OSError, ValueError) as error:  # ValueError: a NUL in the command
        raise CommandError(f"could not be started: {getattr(error, 'strerror', None) or error}") from None
    done = False
    try:
        async with asyncio.timeout(seconds):
            output, errors = await _outputs(process)
            status = await process.wait()
        done = True
    except TimeoutError:
        raise CommandError(f"did not finish within {seconds:g} seconds") from None
    finally:
        if not done:
            await _end(process)
    if len(output) > _MAX_OUTPUT or len(errors) > _MAX_OUTPUT:
        raise CommandError("printed far more than a key")
    if status != 0:
        raise CommandError(f"failed with status {status}{_last_words(errors, command.encode() + output)}")
    return _one_line(output)


async def _outputs(process: Process) -> tuple[bytes, bytes]:
    async with asyncio.TaskGroup() as tasks:
        output = tasks.create_task(_read(process, process.stdout))
        errors = tasks.create_task(_read(process, process.stderr))
    return output.result(), errors.result()


async def _read(process: Process, stream: asyncio.StreamReader | None) -> bytes:
    """A stream's content; if it goes on beyond all reason the process is ended, and the rest of it dropped."""
    content = b""
    while stream is not None and (part := await stream.read(_MAX_OUTPUT)):
        if len(content) > _MAX_OUTPUT:
            _kill(process)
        else:
            content += part
    return content


async def _end(process: Process) -> None:
    _kill(process)
    with suppress(TimeoutError):  # a grandchild that left the group may still hold the pipes
        async with asyncio.timeout(_SECONDS_TO_DIE):
            await process.wait()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _one_line(output: bytes) -> str:
    try:
        lines = output.decode().strip().splitlines()
    except UnicodeDecodeError:
        raise CommandError("printed something that is not text") from None
    if not lines:
        raise CommandError("printed nothing")
    if len(lines) > 1:
        raise CommandError(f"printed {len(lines)} lines instead of one")
    return lines[0]


def _last_words(errors: bytes, secret: bytes) -> str:
    """The last line of what the command said about its failure, unless that repeats what must not be shown."""
    lines = errors.decode(errors="replace").strip().splitlines()
    words = re.findall(r"[\w.+/=-]{8,}", secret.decode(errors="replace"))  # long enough to be a key
    if not lines or any(word in lines[-1] for word in words):
        return ""
    return f": {visible(lines[-1][:_SHOWN_CHARACTERS])}"
