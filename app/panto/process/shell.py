"""A command line, run by the user's shell, with nobody at a terminal."""

import asyncio
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from panto.process.child import MissingProgramError
from panto.process.output import Keep
from panto.process.run import ProcessResult, run_process

# Nothing may wait for someone at a terminal, or draw on one.
_QUIET = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "TERM": "dumb",
    "NO_COLOR": "1",
}
_UNWANTED = frozenset({"FORCE_COLOR", "CLICOLOR_FORCE"})


async def run_shell(
    command: str,
    *,
    cwd: Path,
    environment: Mapping[str, str],
    timeout_seconds: float,
    on_output: Callable[[str], None] | None = None,
    keep: Keep | None = None,
) -> ProcessResult:
    """Run a command line as `run_process` runs a command: bounded output, nothing left when it is cancelled.

    Raises `ProcessError`; `MissingProgramError` says where the shell comes from.
    """
    quietened = quiet(environment)
    shell = await asyncio.to_thread(shell_program, quietened)
    try:
        return await run_process(
            [shell, "-c", command],
            cwd=cwd,
            env=quietened,
            timeout_seconds=timeout_seconds,
            on_output=on_output,
            keep=keep or Keep(),
        )
    except MissingProgramError as error:
        raise MissingProgramError(
            f"{error}. Tell the user: the shell comes from the SHELL variable, then bash, then sh"
        ) from None


def quiet(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which programs neither page, nor edit, nor prompt, nor paint."""
    return {name: value for name, value in environment.items() if name not in _UNWANTED} | _QUIET


def shell_program(environment: Mapping[str, str]) -> str:
    """The user's shell if it is bash or zsh, else the bash there is, else sh."""
    own = environment.get("SHELL", "")
    path = environment.get("PATH")
    names = (own if Path(own).name in ("bash", "zsh") else "", "bash", "sh")
    return next((found for name in names if name and (found := shutil.which(name, path=path))), "/bin/sh")
