"""Commands run for real: how they end, what is left of them, and that nothing hangs."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

from panto.process import Keep, MissingDirectoryError, MissingProgramError, ProcessError, ProcessResult, run_process
from panto.process import run as run_module

HERE = Path("/")
PATIENCE = 60.0
"""Seconds that nothing here needs, so that a hang is a failure and not a hang."""


def shell(script: str) -> list[str]:
    return ["bash", "-c", script]


async def run(script: str, **options: object) -> ProcessResult:
    async with asyncio.timeout(PATIENCE):
        return await run_process(shell(script), cwd=HERE, **options)  # pyright: ignore[reportArgumentType] - by name


def marked() -> str:
    """A number of seconds to sleep that no other process on this machine sleeps."""
    return f"987.{uuid.uuid4().int % 10**12:012d}"


def alive(mark: str) -> list[str]:
    """The processes with that mark in their arguments, as the system lists them; zombies are not alive."""
    listed = subprocess.run(["ps", "-A", "-o", "stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if mark in line and not line.startswith("Z")]


async def until_alive(mark: str, count: int = 1) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(alive(mark)) < count:
            await asyncio.sleep(0.01)


async def test_output_and_exit_code() -> None:
    result = await run("echo out; echo err >&2; exit 3")
    assert (result.exit_code, result.signal, result.ok) == (3, "", False)
    assert result.output.text == "out\nerr\n"
    assert (result.timed_out, result.cancelled, result.left_behind, result.holds_output) == (False, False, (), False)


async def test_a_signal_is_named() -> None:
    result = await run("kill -9 $$")
    assert (result.exit_code, result.signal) == (None, "SIGKILL")


async def test_arguments_are_passed_as_they_are(tmp_path: Path) -> None:
    result = await run_process(["printf", "%s|", "a b", "$HOME", "*"], cwd=tmp_path)
    assert result.ok
    assert result.output.text == "a b|$HOME|*|"


async def test_directory_and_environment(tmp_path: Path) -> None:
    result = await run_process(["/bin/sh", "-c", "pwd; echo $WHO"], cwd=tmp_path, env={"WHO": "me"})
    assert result.output.text == f"{tmp_path.resolve()}\nme\n"


async def test_input_is_closed() -> None:
    result = await run('read -p Name: x; echo "[$x] $?"; cat')
    assert result.output.text.endswith("[] 1\n")


async def test_there_is_no_terminal_to_reach() -> None:
    result = await run("(exec 3</dev/tty) 2>/dev/null && echo reached || echo none; ps -o tty= -p $$ | tr -d ' '")
    assert result.output.text == "none\n?\n"


async def test_it_leads_a_session_of_its_own() -> None:
    result = await run("ps -o sid= -o pgid= -p $$; echo $$")
    session, group, leader = result.output.text.split()
    assert session == group == leader
    assert int(session) != os.getsid(0)


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
    async with asyncio.timeout(PATIENCE):
        await asyncio.to_thread((tmp_path / "go").write_text, "go")
        while not done.exists():
            await asyncio.sleep(0.01)


async def test_a_child_that_does_not_hold_the_output_is_seen_too() -> None:
    mark = marked()
    result = await run(f"sleep {mark} >/dev/null 2>&1 & echo ok")
    assert not result.holds_output
    assert len(result.left_behind) == 1
    os.killpg(result.left_behind[0], signal.SIGKILL)


async def test_what_comes_shortly_after_the_end_is_read() -> None:
    result = await run("(sleep 0.02; echo late) & echo early")
    assert result.output.text == "early\nlate\n"
    assert (result.holds_output, result.left_behind) == (False, ())


async def test_a_time_out_ends_all_of_it() -> None:
    mark = marked()
    result = await run(f"echo begun; (sleep {mark} & sleep {mark} & wait) & sleep {mark}", timeout_seconds=0.5)
    assert result.timed_out
    assert result.signal == "SIGTERM"
    assert result.output.text == "begun\n"
    assert result.left_behind == ()
    assert alive(mark) == []


async def test_who_ignores_term_is_killed() -> None:
    mark = marked()
    result = await run(f"trap '' TERM; sleep {mark} & while :; do sleep {mark}; done", timeout_seconds=0.5)
    assert result.timed_out
    assert result.signal == "SIGKILL"
    assert alive(mark) == []


@pytest.mark.parametrize("detach", ["timeout 900 sleep {}", "set -m; sleep {} & wait", "setsid -w true; sleep {}"])
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
    async with asyncio.timeout(PATIENCE):
        while alive(mark):
            await asyncio.sleep(0.01)


async def test_cancelled_while_it_starts_it_never_lives() -> None:
    mark = marked()
    task = asyncio.create_task(run(f"sleep {mark}"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(PATIENCE):
        await asyncio.sleep(0.1)
        while alive(mark):
            await asyncio.sleep(0.01)


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


async def test_output_is_shown_as_it_comes_and_as_it_is(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    seen: list[str] = []
    first = asyncio.Event()

    def show(text: str) -> None:
        seen.append(text)
        first.set()

    task = asyncio.create_task(run(f"printf '\\033[31mred\\n'; cat {go}; echo end", on_output=show))
    async with asyncio.timeout(PATIENCE):
        await first.wait()
        assert "".join(seen) == "\x1b[31mred\n"
        await asyncio.to_thread(go.write_text, "gone\n")
        result = await task
    assert "".join(seen) == "\x1b[31mred\ngone\nend\n"
    assert result.output.text == "red\ngone\nend\n"


async def test_a_flood_is_shown_in_sips() -> None:
    seen: list[str] = []
    result = await run("yes 'a long line of text' | head -c 30000000", on_output=seen.append)
    assert result.output.bytes == 30_000_000
    assert max(map(len, seen)) <= 3 * 32_768 + 65_536
    assert sum(map(len, seen)) < 30_000_000
    assert seen[-1].endswith("a long line of text\n") or "".join(seen).rstrip("\n").endswith("t")


async def test_a_character_cut_by_a_pause_is_whole() -> None:
    seen: list[str] = []
    result = await run("printf '\\xe2\\x82'; sleep 0.1; printf '\\xac'; printf '\\xf0\\x97ok'", on_output=seen.append)
    assert result.output.text == "".join(seen) == "€\ufffdok"


async def test_a_line_longer_than_any_buffer() -> None:
    result = await run("head -c 3000000 /dev/zero | tr '\\0' x", keep=Keep(100, 100))
    assert result.output.text == "x" * 100 + "\n[2,999,800 bytes left out]\n" + "x" * 100


async def test_the_log_is_complete(tmp_path: Path) -> None:
    log = tmp_path / "log"
    result = await run("seq 1 300000", keep=Keep(1_000, 1_000, log))
    assert log.read_text() == "".join(f"{number}\n" for number in range(1, 300_001))
    assert result.output.lines == 300_000
    assert result.output.log == log


async def test_a_sink_gets_every_byte() -> None:
    chunks: list[bytes] = []
    await run("seq 1 100000", sink=chunks.append, keep=Keep(0, 0))
    assert b"".join(chunks) == "".join(f"{number}\n" for number in range(1, 100_001)).encode()


async def test_a_sink_that_fails_fails_the_call_and_leaves_nothing_running() -> None:
    def broken(_chunk: bytes) -> None:
        raise ValueError("broken sink")

    with pytest.raises(ValueError, match="broken sink"):
        await run("seq 1 100000", sink=broken)


async def test_a_missing_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingDirectoryError, match="gone is not there"):
        await run_process(["true"], cwd=tmp_path / "gone")


async def test_a_missing_program_is_said(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    for program in ("no-such-program-anywhere", str(script)):
        with pytest.raises(MissingProgramError, match="not there"):
            await run_process([program], cwd=tmp_path)
    with pytest.raises(MissingProgramError, match="no permission"):
        await run_process([str(tmp_path)], cwd=tmp_path)


@pytest.mark.parametrize(("argument", "why"), [("a\0b", "null byte"), ("x" * 3_000_000, "too long")])
async def test_impossible_arguments_are_said(argument: str, why: str) -> None:
    with pytest.raises(ProcessError, match=why):
        await run_process(["true", argument], cwd=HERE)


async def test_no_descriptor_is_left_open() -> None:
    await run("true")
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        await run("echo x")
    async with asyncio.timeout(PATIENCE):
        while len(os.listdir("/dev/fd")) > before:
            await asyncio.sleep(0.01)


async def test_many_at_once() -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(f"echo {number}")) for number in range(40)]
    assert [task.result().output.text for task in tasks] == [f"{number}\n" for number in range(40)]


@pytest.mark.parametrize("leaving", ["pass", "raise SystemExit(3)", "1/0"])
async def test_nothing_outlives_the_program(leaving: str) -> None:
    mark = marked()
    program = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from panto.process import run_process

        async def main():
            await run_process(["bash", "-c", "sleep {mark} & timeout 900 sleep {mark} >/dev/null 2>&1 &"], cwd=Path("/"))
            {leaving}

        asyncio.run(main())
    """)
    result = await run_process([sys.executable, "-c", program], cwd=HERE, timeout_seconds=PATIENCE)
    assert not result.timed_out
    assert alive(mark) == []
