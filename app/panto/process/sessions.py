"""Which processes live in a session of ours, and how to end them all.

A command is the leader of a session of its own. Most of its children share its process group, but some make a group of
their own (``timeout``, a shell with job control), so it is the session that is looked at and ended. What lives is read
from the system's process table: a zombie, which nobody may ever reap in a container, is not alive.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_LOOK_AGAIN_SECONDS = 0.02
KILL_SECONDS = 2.0
"""How long to wait for killed processes to go. One that hangs in the kernel may take for ever."""


def living_groups(session: int) -> frozenset[int]:
    """The process groups of a session in which something lives."""
    table = _linux_table() if (_PROC / "self" / "stat").exists() else _portable_table()
    return frozenset(group for group, of_session in table if of_session == session)


def end_session(session: int, grace_seconds: float, hurry: threading.Event) -> bool:
    """End all that lives in a session: TERM, and KILL for what is left after the grace, or once ``hurry`` is set.

    Blocks until all is gone, `KILL_SECONDS` beyond the grace at most. Returns whether all is gone.
    """
    _signal({session}, signal.SIGTERM)
    if not _gone(session, grace_seconds, signal.SIGTERM, hurry):
        return _gone(session, KILL_SECONDS, signal.SIGKILL, threading.Event())
    return True


def _gone(session: int, seconds: float, number: signal.Signals, hurry: threading.Event) -> bool:
    """Whether all of it has gone in that time. Each group is signalled once, but killed until it is dead."""
    until = time.monotonic() + seconds
    told: frozenset[int] = frozenset({session}) if number == signal.SIGTERM else frozenset()
    # looked at twice: a look misses who is born during it to one who dies during it
    while living := living_groups(session) or living_groups(session):
        _signal(living - told, number)
        if number == signal.SIGTERM:
            told |= living
        if time.monotonic() >= until or hurry.wait(_LOOK_AGAIN_SECONDS):
            return False
    return True


def _signal(groups: frozenset[int] | set[int], number: signal.Signals) -> None:
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def _linux_table() -> Iterator[tuple[int, int]]:
    """(process group, session) of every process that is no zombie."""
    for entry in os.scandir(_PROC):
        if not entry.name.isdigit():
            continue
        try:
            stat = (_PROC / entry.name / "stat").read_bytes()
        except OSError:
            continue  # it has ended since
        # pid (name) state parent group session ...; the name may hold spaces and parentheses
        state, _, group, session, *_ = stat[stat.rindex(b")") + 1 :].split()
        if state not in (b"Z", b"X"):
            yield int(group), int(session)


def _portable_table() -> Iterator[tuple[int, int]]:
    """The same by way of ``ps``, for systems without /proc."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, check=False)  # noqa: S607 - where ps is differs
    for line in listed.stdout.splitlines():
        pid, group, state = line.split(None, 2)
        if not state.startswith(b"Z"):
            with suppress(ProcessLookupError, PermissionError):
                yield int(group), os.getsid(int(pid))
