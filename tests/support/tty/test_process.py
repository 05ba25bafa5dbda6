"""No process outlives its terminal, and none is overlooked."""

import signal
from pathlib import Path

import pytest

from tests.support.tty.launching import Start

ORPHANS = """
(setsid sleep 1000 & )
sleep 1001 &
env -i sleep 1002 &
echo started
exec sleep 1003
"""


def test_every_process_that_came_of_it_is_known_and_ended(sh: Start) -> None:
    with sh(ORPHANS) as terminal:
        terminal.wait_for("started")
        terminal.wait_for(lambda screen: len(screen.descendants()) == 3)
        commands = sorted(process.command for process in terminal.descendants())
        assert commands == ["sleep 1000", "sleep 1001", "sleep 1002"]
        with pytest.raises(TimeoutError, match="sleep 1000"):
            terminal.wait_no_descendants(timeout=0)
        pids = [terminal.pid, *(process.pid for process in terminal.descendants())]
    terminal.close()
    assert not [pid for pid in pids if is_alive(pid)]


def test_descendants_are_waited_for(sh: Start) -> None:
    with sh("sleep 1000 & echo $!; read line; kill $!; read line") as terminal:
        terminal.wait_for(lambda screen: [process.command for process in screen.descendants()] == ["sleep 1000"])
        terminal.send("\n")
        terminal.wait_no_descendants()
        assert terminal.exit_status is None


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_program_that_will_not_go_is_killed(sh: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.tty.pump.GRACE", 0.2)
    with sh("trap '' TERM HUP; echo here; while :; do read line; done") as terminal:
        terminal.wait_for("here")
    assert terminal.exit_status == -signal.SIGKILL


def test_a_signal_ends_it(sh: Start) -> None:
    with sh("echo here; exec sleep 1000") as terminal:
        terminal.wait_for("here")
        terminal.send_signal(signal.SIGINT)
        assert terminal.wait_exit() == -signal.SIGINT


def test_it_leaves_no_descriptor_open(sh: Start) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    with sh("echo x") as terminal:
        terminal.wait_exit()
    assert set(Path("/proc/self/fd").iterdir()) == before
