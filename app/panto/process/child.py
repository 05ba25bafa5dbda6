"""A command that was started: its pipe, its end, and what it left running; and that none outlives the program."""

import atexit
import os
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from panto.process.sessions import end_session, living_groups

_SETTLE_SECONDS = 0.1
"""What still lives this long after the command itself is not just ending."""
_EXIT_GRACE_SECONDS = 0.3


_SHELL = "/bin/sh"
_TAKE_TERMINAL = ': <"$0"; exec "$@"'
"""Who leads a session gets the terminal that it opens first; only then is the command started."""


class Size(NamedTuple):
    """How large a terminal is."""

    columns: int
    rows: int


class ProcessError(Exception):
    """A command could not be started. The message says which, why, and what to do."""


class MissingDirectoryError(ProcessError):
    """The directory to run in is not there."""


class MissingProgramError(ProcessError):
    """The program is not there, or can't be run."""


class Child:
    """A started command, the leader of its own session. Making one blocks until it runs; raises `ProcessError`.

    Its output is a pipe, or a ``terminal`` of that size, which is then its session's.
    """

    def __init__(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str] | None, terminal: Size | None = None
    ) -> None:
        self.output, writable = os.pipe() if terminal is None else _terminal(terminal)
        if terminal is not None:
            command = (_SHELL, "-c", _TAKE_TERMINAL, os.ttyname(writable), *command)
        try:
            self._popen = _start(command, cwd, env, writable)
        except BaseException:  # nothing half-made stays behind, whatever ended this; it goes on being raised
            os.close(self.output)
            raise
        finally:
            os.close(writable)
        self.gone = Gone()
        _children.add(self)

    @property
    def session(self) -> int:
        """The id of its session, which is its process id too."""
        return self._popen.pid

    def wait(self) -> int:
        """Block until it has ended; returns its exit code, or the number of the signal that ended it as a negative."""
        code = self._popen.wait()
        self.gone.set()
        return code

    def left_behind(self) -> frozenset[int]:
        """Once it has ended: the process groups of its children that run on. Blocks a moment, for those just ending."""
        until = time.monotonic() + _SETTLE_SECONDS
        pause = threading.Event()
        while groups := living_groups(self.session):
            if time.monotonic() >= until:
                return groups
            pause.wait(_SETTLE_SECONDS / 5)
        _children.discard(self)
        return groups

    def end(self, grace_seconds: float, hurry: threading.Event) -> None:
        """End it and all that it started (see `end_session`)."""
        if not self._recycled and end_session(self.session, grace_seconds, hurry):
            _children.discard(self)

    def kill(self) -> None:
        """Kill its process group, without waiting."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.session, signal.SIGKILL)

    @property
    def _recycled(self) -> bool:
        """Whether its number belongs to a stranger by now: it was reaped, and yet there is a process of that number."""
        if self._popen.returncode is None:
            return False
        try:
            os.kill(self.session, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


class Gone:
    """An event that a reader of pipes can wait for: its ``readable`` end closes."""

    def __init__(self) -> None:
        self.readable, self._writable = os.pipe()
        self._lock = threading.Lock()

    def set(self) -> None:
        """Let it have happened. Twice is fine."""
        with self._lock:
            writable, self._writable = self._writable, -1
        if writable >= 0:
            os.close(writable)


def _terminal(size: Size) -> tuple[int, int]:
    """A terminal: the end that reads what is written to it, and the end to write to. Nothing can be typed into it."""
    try:
        output, writable = os.openpty()
        termios.tcsetwinsize(writable, (size.rows, size.columns))
    except OSError as error:
        raise ProcessError(f"there is no terminal to be had: {error.strerror or error}") from None
    return output, writable


def _start(command: Sequence[str], cwd: Path, env: Mapping[str, str] | None, output: int) -> "subprocess.Popen[bytes]":
    program = command[0]
    if not cwd.is_dir():
        raise MissingDirectoryError(f"can't run {program}: its directory {cwd} is not there (any more)")
    try:
        return subprocess.Popen(  # noqa: S603 - what may run is judged before it comes here
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    except FileNotFoundError:
        raise MissingProgramError(
            f"can't run {program}: it, or the interpreter that its first line names, is not there"
        ) from None
    except PermissionError:
        raise MissingProgramError(f"can't run {program}: no permission to execute it, or to enter {cwd}") from None
    except OSError as error:
        raise ProcessError(f"can't run {program}: {error.strerror or error}") from None
    except ValueError as error:
        raise ProcessError(f"can't run {program}: its arguments or environment are not possible ({error})") from None


_children: set[Child] = set()


def _end_all() -> None:
    """No command outlives the program, however the program ends, as long as it can still do something about it."""
    for child in tuple(_children):
        child.end(_EXIT_GRACE_SECONDS, threading.Event())


atexit.register(_end_all)
os.register_at_fork(after_in_child=_children.clear)
