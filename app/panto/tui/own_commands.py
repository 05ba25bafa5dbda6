"""``!`` in the prompt: a command of the user's own, run in a terminal, seen as it runs, and told to the model.

Nobody is asked: the user has typed it. It runs beside a turn of the model's; what is sent behind it waits for its end,
so that the model knows what came of it. ``!!`` is for the screen alone.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from panto.events import ShellEnv
from panto.messages import Text, User
from panto.process import Keep, ProcessError, ProcessResult, Size, TerminalText, quiet, run_in_terminal, shell_program
from panto.program import Program
from panto.sessions.store import StoreError
from panto.tui.transcript import Entry
from panto.tui.transcript.own_command import OwnCommandEntry
from panto.tui.transcript.tool_entry import State

_KEEP = Keep(head_bytes=8_000, tail_bytes=16_000)
_AS_IT_IS = ("TERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")
"""What says which colours there are to be: that is the user's."""
_OF_ANOTHER = ("COLUMNS", "LINES")
"""What says how large the terminal is that the program itself runs in."""
_ROWS = 50
_LEAST_COLUMNS = 20


@dataclass(frozen=True)
class OwnCommand:
    """A command line to run. ``told``: the model is told of it."""

    line: str
    told: bool


def parse_own_command(text: str) -> OwnCommand | None:
    """The command that a text is, if it begins with ``!``; its line may be empty. A blank before it makes it a text."""
    if not text.startswith("!"):
        return None
    told = not text.startswith("!!")
    return OwnCommand(text[1 if told else 2 :].strip(), told)


@dataclass(frozen=True)
class OwnCommands:
    """Runs them. ``add`` shows an entry; ``columns`` says how wide the screen is."""

    program: Program
    add: Callable[[Entry], None]
    columns: Callable[[], int]

    async def run(self, command: OwnCommand, stop: asyncio.Event) -> None:
        """Run a command until it ends, or is stopped with all that it started. What goes wrong is shown."""
        entry = OwnCommandEntry(command.line, told=command.told)
        self.add(entry)
        ticking = asyncio.create_task(_tick(entry), name="own command's seconds")
        try:
            result = await self._result(command, entry, stop)
        except ProcessError as error:
            entry.finish("failed", str(error))
            return
        except asyncio.CancelledError:
            entry.finish("stopped", entry.output)
            raise
        finally:
            ticking.cancel()
        ended = _ended(result)
        state: State = "stopped" if result.cancelled else "done" if result.ok else "failed"
        shown = "" if ended in ("", "stopped") else ended
        entry.finish(state, result.output.text, result=shown, seconds=result.seconds)
        if command.told:
            await self._tell(command, result, ended)

    async def _result(self, command: OwnCommand, entry: OwnCommandEntry, stop: asyncio.Event) -> ProcessResult:
        event = await self.program.bus.emit(ShellEnv(command.line, dict(os.environ)))
        environment = _environment(event.env)
        shell = await asyncio.to_thread(shell_program, environment)
        plain = TerminalText()

        def show(text: str) -> None:
            whole = plain.feed(text)
            entry.show(whole, plain.line.rstrip("\r"))

        return await run_in_terminal(
            [shell, "-c", command.line],
            Size(max(_LEAST_COLUMNS, self.columns()), _ROWS),
            cwd=self.program.paths.root,
            env=environment,
            stop=stop,
            on_output=show,
            keep=_KEEP,
        )

    async def _tell(self, command: OwnCommand, result: ProcessResult, ended: str) -> None:
        """Let the model know with its next request."""
        if self.program.session is None:
            return
        output = result.output.text.strip("\n") or "[no output]"
        text = f"I ran a command of my own:\n\n$ {command.line}\n{output}\n[{ended or 'exit code 0'}]"
        lines = f"{result.output.lines} {'line' if result.output.lines == 1 else 'lines'} of output"
        note = f"+ {', '.join(part for part in (lines, ended) if part)}"
        try:
            await self.program.session.add(User((Text(text),), shown=f"!{command.line}", notes=(note,)))
        except StoreError as error:
            self.program.notify(str(error), "error", f"the model is not told of !{command.line}")


async def _tick(entry: OwnCommandEntry) -> None:
    started = time.monotonic()
    while True:
        await asyncio.sleep(1.0)
        entry.elapsed(time.monotonic() - started)


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """As the user has it, but that nothing waits for keys that can't be pressed: no pager, no editor, no question."""
    quietened = {name: value for name, value in quiet(given).items() if name not in (*_AS_IT_IS, *_OF_ANOTHER)}
    kept = {name: given[name] for name in _AS_IT_IS if name in given}
    return {"TERM": "xterm-256color", **quietened, **kept}


def _ended(result: ProcessResult) -> str:
    """How a command ended, if not well."""
    if result.cancelled:
        return "stopped"
    if result.signal:
        return f"ended by {result.signal}"
    return f"exit code {result.exit_code}" if result.exit_code else ""
