"""A program on a terminal of its own, and every process that comes of it (Linux: `/proc` is asked)."""

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

MARK = "TEST_TERMINAL_ID"

# The program's session opens the terminal by name, which makes it the session's controlling terminal. No fork of this
# process runs Python code, so threads of the tests can't deadlock it.
_LAUNCH = 'exec 3<>"$0" 3<&-; exec "$@"'


class Process(NamedTuple):
    """A live process."""

    pid: int
    command: str


def environment(home: Path, extra: Mapping[str, str | None]) -> dict[str, str]:
    """What a program sees: the way to programs and to this Python, a terminal's usual names, places below `home`.

    Nothing else is inherited, so no real key or setting can leak in. `extra` adds; a value of None takes away.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    places = {
        "HOME": home,
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local/share",
        "XDG_STATE_HOME": home / ".local/state",
        "XDG_CACHE_HOME": home / ".cache",
    }
    names: dict[str, str | None] = {
        "PATH": path,
        "VIRTUAL_ENV": sys.prefix,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        **{name: str(place) for name, place in places.items()},
        **extra,
    }
    return {name: value for name, value in names.items() if value is not None}


class Child:
    """A program with a new session and terminal. `fd` is our end of the terminal, not blocking."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], columns: int, rows: int) -> None:
        self.mark = uuid.uuid4().hex
        self.fd, theirs = os.openpty()
        os.set_blocking(self.fd, False)
        self.resize(columns, rows)
        try:
            self.popen = subprocess.Popen(
                ["/bin/sh", "-c", _LAUNCH, os.ttyname(theirs), *argv],
                cwd=cwd,
                env={**env, MARK: self.mark},
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        except OSError:
            os.close(self.fd)
            raise
        finally:
            os.close(theirs)

    def resize(self, columns: int, rows: int) -> None:
        """Tell the terminal its size; the kernel tells the program."""
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def descendants(self) -> list[Process]:
        """The live processes that came of the program, itself left out.

        They are known by an inherited variable or by the session; so those are found too that were left behind by their
        parents or went into a session of their own.
        """
        found: list[Process] = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self.popen.pid:
                continue
            try:
                if _is_alive(entry) and self._is_ours(entry):
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                    found.append(Process(int(entry.name), command))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # gone while it was looked at, or another user's
        return found

    def wait_no_descendants(self, timeout: float) -> list[Process]:
        """Wait until none is left, at most so many seconds; those that are."""
        deadline = time.monotonic() + timeout
        while (left := self.descendants()) and (rest := deadline - time.monotonic()) > 0:
            _wait_gone(left[0].pid, rest)
        return left

    def kill_descendants(self, timeout: float) -> None:
        """Kill what is left, and wait until it is gone, at most so many seconds."""
        for process in self.descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        self.wait_no_descendants(timeout)

    def _is_ours(self, entry: Path) -> bool:
        session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
        mark = f"{MARK}={self.mark}".encode()
        return session == self.popen.pid or mark in (entry / "environ").read_bytes().split(b"\0")


def _is_alive(entry: Path) -> bool:
    return (entry / "stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")


def _wait_gone(pid: int, timeout: float) -> None:
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        poll.poll(timeout * 1000)
    finally:
        os.close(fd)
