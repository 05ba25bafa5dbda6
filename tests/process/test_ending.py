"""The end of commands, and of all that they started: by themselves, by time, by hand, with the program."""

import asyncio
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from panto.process import (
    child as child_module,
    reader as reader_module,
    run as run_module,
    run_process,
)
from panto.process.child import Child
from panto.process.sessions import living_groups

from .commands import HERE, PATIENCE, alive, marked, run, until, until_alive


async def test_a_child_that_holds_the_output_keeps_nobody_waiting() -> None:
    mark = marked()
    result = await run(f"sleep {mark} & echo ok")
    assert result.exit_code == 0
    assert result.output.text == "ok\n"
    assert result.holds_output
    assert len(result.left_behind) == 1
    assert len(alive(mark)) == 1
    os.killpg(result.left_behind[0], signal.SIGKILL)


async def test_a_child_that_never_stops_talking_keeps_nobody_waiting() -> None:
    result = await run("(while :; do echo noise; done) & sleep 0.05; echo done")
    assert result.exit_code == 0
    assert "done" in result.output.text or result.output.gap_bytes
    assert result.holds_output
    os.killpg(result.left_behind[0], signal.SIGKILL)


async def test_a_child_left_behind_can_go_on_talking(tmp_path: Path) -> None:
    """Neither a full pipe nor a broken one stops it."""
    done = tmp_path / "done"
    os.mkfifo(tmp_path / "go")
    result = await run(f"cd {tmp_path}; (cat go; head -c 1000000 /dev/zero && echo said && touch {done}) & echo ok")
    assert result.holds_output
    await asyncio.to_thread((tmp_path / "go").write_text, "go")
    await until(done.exists)


async def test_a_child_that_does_not_hold_the_output_is_seen_too() -> None:
    mark = marked()
    result = await run(f"sleep {mark} >/dev/null 2>&1 & echo ok")
    assert not result.holds_output
    assert len(result.left_behind) == 1
    os.killpg(result.left_behind[0], signal.SIGKILL)


async def test_what_comes_shortly_after_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "_DRAIN_SECONDS", PATIENCE)  # shortly is long here: the machine may be busy
    monkeypatch.setattr(child_module, "_SETTLE_SECONDS", PATIENCE)
    result = await run("(sleep 0.02; echo late) & echo early")
    assert result.output.text == "early\nlate\n"
    assert (result.holds_output, result.left_behind) == (False, ())


async def test_a_time_out_ends_all_of_it() -> None:
    mark = marked()
    result = await run(f"echo begun; (sleep {mark} & sleep {mark} & wait) & sleep {mark}", timeout_seconds=1)
    assert result.timed_out
    assert result.signal == "SIGTERM"
    assert result.output.text == "begun\n"
    assert result.left_behind == ()
    assert alive(mark) == []


async def test_who_ignores_term_is_killed() -> None:
    mark = marked()
    result = await run(f"trap '' TERM; sleep {mark} & while :; do sleep {mark}; done", timeout_seconds=1)
    assert result.timed_out
    assert result.signal == "SIGKILL"
    assert alive(mark) == []


@pytest.mark.parametrize("detach", ["timeout 900 sleep {}", "set -m; sleep {} & wait"])
async def test_children_in_groups_of_their_own_are_ended_too(detach: str) -> None:
    mark = marked()
    task = asyncio.create_task(run(detach.format(mark)))
    await until_alive(mark)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(mark) == []


async def test_a_cancellation_ends_all_of_it_before_it_is_felt() -> None:
    mark = marked()
    task = asyncio.create_task(run(f"sleep {mark} & sleep {mark} & (sleep {mark}; sleep {mark})"))
    await until_alive(mark, 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(mark) == []


async def test_a_second_cancellation_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = marked()
    monkeypatch.setattr(run_module, "GRACE_SECONDS", 10 * PATIENCE)
    task = asyncio.create_task(run(f"trap '' TERM; echo $$; while :; do sleep {mark}; done"))
    await until_alive(mark)
    task.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not alive(mark))


@pytest.mark.parametrize("within_the_grace", [True, False])
async def test_cancelled_while_it_starts_it_does_not_live(
    within_the_grace: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = marked()
    starting, go = threading.Event(), threading.Event()
    children: list[Child] = []

    def slow(command: Sequence[str], cwd: Path, env: Mapping[str, str] | None) -> Child:
        starting.set()
        go.wait(PATIENCE)
        children.append(Child(command, cwd, env))
        return children[0]

    monkeypatch.setattr(run_module, "Child", slow)
    monkeypatch.setattr(run_module, "GRACE_SECONDS", PATIENCE if within_the_grace else 0.0)
    task = asyncio.create_task(run(f"sleep {mark} & sleep {mark}"))
    await asyncio.to_thread(starting.wait, PATIENCE)
    task.cancel()
    await asyncio.sleep(0)
    if within_the_grace:
        go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    if not within_the_grace:
        go.set()
        await until(lambda: bool(children))
        await until(lambda: not living_groups(children[0].session))
    assert children
    assert alive(mark) == []


async def test_stopping_gives_a_result() -> None:
    mark = marked()
    stop = asyncio.Event()
    task = asyncio.create_task(run(f"echo begun; sleep {mark}", stop=stop))
    await until_alive(mark)
    stop.set()
    result = await task
    assert (result.cancelled, result.timed_out, result.ok) == (True, False, False)
    assert result.output.text == "begun\n"
    assert alive(mark) == []


@pytest.mark.parametrize("leaving", ["pass", "raise SystemExit(3)", "1/0"])
async def test_nothing_outlives_the_program(leaving: str) -> None:
    mark = marked()
    program = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from panto.process import run_process

        async def main():
            script = "sleep {mark} & timeout 900 sleep {mark} >/dev/null 2>&1 &"
            await run_process(["bash", "-c", script], cwd=Path("/"))
            print("left behind")
            {leaving}

        asyncio.run(main())
    """)
    result = await run_process([sys.executable, "-c", program], cwd=HERE, timeout_seconds=PATIENCE)
    assert result.output.text.startswith("left behind")
    assert not result.timed_out
    assert alive(mark) == []
