"""std.shell: a command line, run by the user's shell."""

import asyncio
import re
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from panto import (
    AppStop,
    Host,
    Keep,
    Need,
    ProcessError,
    ProcessResult,
    Reply,
    Tool,
    ToolContext,
    ToolError,
    run_shell,
)

from ._names import plural, printable

SECONDS = 120.0
MOST_SECONDS = 3600.0


class Arguments(Struct):
    """What to run, and for how long at most."""

    command: Annotated[str, Meta(description="A command line for the user's shell (bash or zsh; else sh).")]
    timeout_seconds: Annotated[
        float, Meta(gt=0, description=f"Seconds until it is ended, {MOST_SECONDS:g} at most.")
    ] = SECONDS


class _Logs:
    """The directory for output that is too much for a reply. Made when needed; it goes again if it stays empty."""

    def __init__(self) -> None:
        self._directory: Path | None = None
        self._lock = threading.Lock()

    def path(self, call_id: str) -> Path:
        """Where the output of a call may go."""
        with self._lock:
            if self._directory is None or not self._directory.is_dir():
                self._directory = Path(tempfile.mkdtemp(prefix="panto-output-"))
        name = re.sub(r"[^A-Za-z0-9_-]", "", call_id)[:40] or "call"
        return self._directory / f"{name}.log"

    def remove_if_empty(self) -> None:
        """Leave nothing behind that nobody was told of."""
        with suppress(OSError):  # it holds something, or is gone already
            if self._directory is not None:
                self._directory.rmdir()


def activate(host: Host) -> None:
    """Offer the tool."""
    logs = _Logs()
    host.on(AppStop, lambda _event: logs.remove_if_empty())

    async def run(arguments: Arguments, context: ToolContext) -> Reply:
        return await _shell(arguments, context, logs)

    host.add_tool(
        Tool(
            name="std.shell",
            description=(
                "Run a command line in the project's directory, each time in a new shell. Output and errors come "
                "together; of long output the beginning and the end, and the file that has all of it. There is no "
                "terminal and no input. It ends when the shell ends: what was put in the background runs on until the "
                "program ends, so send its output to a file."
            ),
            parameters=Arguments,
            run=run,
            needs=lambda arguments, _context: [Need("command.run", arguments.command)],
            summarise=lambda arguments: printable(arguments.command.strip().partition("\n")[0]),
        )
    )


async def _shell(arguments: Arguments, context: ToolContext, logs: _Logs) -> Reply:
    if not arguments.command.strip():
        raise ToolError("command is empty")
    seconds = min(arguments.timeout_seconds, MOST_SECONDS)
    environment = await context.environment(arguments.command)
    log = await asyncio.to_thread(logs.path, context.call.id)
    try:
        result = await run_shell(
            arguments.command,
            cwd=context.project,
            environment=environment,
            timeout_seconds=seconds,
            on_output=context.progress,
            keep=Keep(log=log),
        )
    except ProcessError as error:
        raise ToolError(str(error)) from None
    return _reply(result, seconds, capped=arguments.timeout_seconds > MOST_SECONDS)


def _reply(result: ProcessResult, seconds: float, *, capped: bool) -> Reply:
    ending = _ending(result, seconds)
    notes = [ending, _left_behind(result)]
    if capped:
        notes.append(f"timeout_seconds is {MOST_SECONDS:g} at most")
    said = "\n".join(f"[{note}]" for note in notes if note)
    output = result.output.text.rstrip("\n") or ("" if said else "(no output)")
    text = "\n".join(part for part in (output, said) if part)
    return Reply(text, ending or plural(result.output.lines, "line"), is_error=not result.ok)


def _ending(result: ProcessResult, seconds: float) -> str:
    """How it ended, if not well."""
    if result.timed_out:
        ended = "could not be ended" if result.left_behind else "ended with all that it had started"
        return f"timed out after {seconds:g} seconds, and {ended}"
    if result.signal:
        return f"ended by {result.signal}"
    return f"exit code {result.exit_code}" if result.exit_code else ""


def _left_behind(result: ProcessResult) -> str:
    if not result.left_behind:
        return ""
    groups = " ".join(f"-{group}" for group in result.left_behind)
    unread = ", and what it prints from now on is lost" if result.holds_output else ""
    return f"something runs on in the background{unread}; to end it: kill -- {groups}"
