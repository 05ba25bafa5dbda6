"""Run the command that prints a key."""

import asyncio
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from panto.config.diagnostics import visible

_MAX_OUTPUT = 64 * 1024
_SHOWN_CHARACTERS = 200
_SECONDS_TO_DIE = 5
_OUTPUT, _ERRORS = 1, 2  # file descriptors


class CommandError(Exception):
    """The command did not print a key. The text reads on from "the command", and holds neither it nor its output."""


async def output_of(command: str, directory: Path | None, environ: Mapping[str, str], seconds: float) -> str:
    """The one line that a shell command prints, run in `directory` with nothing on its input.

    Raises `CommandError` if it fails, prints nothing or more than a line, or takes longer than `seconds`. Unless it
    ends by itself, all processes of its group are ended.
    """
    run = await _started(command, directory, environ)
    try:
        async with asyncio.timeout(seconds):
            await run.ended.wait()
    except TimeoutError:
        raise CommandError(f"did not finish within {seconds:g} seconds") from None
    finally:
        await run.end()
    if run.is_too_much:
        raise CommandError("printed far more than a key")
    if run.status != 0:
        raise CommandError(f"failed with status {run.status}{_last_words(run.errors, command.encode() + run.output)}")
    return _one_line(run.output)


class _Run(asyncio.SubprocessProtocol):
    """A command that runs. `ended` is set when it is gone and nobody holds its output open any more."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.is_too_much = False
        self._transport: asyncio.SubprocessTransport | None = None
        self._written = {_OUTPUT: b"", _ERRORS: b""}

    @property
    def output(self) -> bytes:
        return self._written[_OUTPUT]

    @property
    def errors(self) -> bytes:
        return self._written[_ERRORS]

    @property
    def status(self) -> int | None:
        return self._transport.get_returncode() if self._transport else None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)  # the loop's subprocess_shell gives no other

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if len(self._written[fd]) + len(data) <= _MAX_OUTPUT:
            self._written[fd] += data
        else:
            self.is_too_much = True
            self._kill()

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()

    async def end(self) -> None:
        """End it with all that it started, if it has not ended, and wait until it is gone."""
        if self._transport is None:
            return
        if not self.ended.is_set():
            self._kill()
            with suppress(TimeoutError):  # a process that has left the group may still hold the output open
                async with asyncio.timeout(_SECONDS_TO_DIE):
                    await self.ended.wait()
        self._transport.close()

    def _kill(self) -> None:
        if self._transport is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if os.name == "nt":
                self._transport.kill()
            else:
                os.killpg(self._transport.get_pid(), signal.SIGKILL)


async def _started(command: str, directory: Path | None, environ: Mapping[str, str]) -> _Run:
    run = _Run()
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_shell(
            lambda: run,
            command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            cwd=directory,
            env=dict(environ),
            start_new_session=True,  # no terminal to ask on, and a group of its own to end
        )
    )
    try:
        await asyncio.shield(starting)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the command
        raise CommandError(f"could not be started: {getattr(error, 'strerror', None) or error}") from None
    except asyncio.CancelledError:
        # Left to itself, asyncio would end the shell alone and leave what that has started by then.
        with suppress(OSError, ValueError):
            await starting
        await run.end()
        raise
    return run


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
