"""The command that prints a key: its output on one line, or a reason; and never a process left behind."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from panto.config import command
from panto.config.command import CommandError, output_of

ENVIRON: Mapping[str, str] = {"PATH": os.environ["PATH"]}


async def failure(line: str, seconds: float = 30) -> str:
    with pytest.raises(CommandError) as raised:
        await output_of(line, None, ENVIRON, seconds)
    return str(raised.value)


@pytest.mark.parametrize("line", ["echo key", "printf key", "printf '\\n key \\r\\n\\n'", "echo key; exit 0"])
async def test_the_one_line_is_the_key(line: str) -> None:
    assert await output_of(line, None, ENVIRON, 30) == "key"


async def test_it_runs_where_it_should_with_what_it_should(tmp_path: Path) -> None:
    output = await output_of('echo "$(pwd -P) $NAME $HOME"', tmp_path, {**ENVIRON, "NAME": "value"}, 30)

    assert output == f"{tmp_path.resolve()} value"


async def test_there_is_nothing_on_its_input() -> None:
    assert await output_of("[ /dev/stdin -ef /dev/null ] && cat && echo end", None, ENVIRON, 30) == "end"


async def test_it_has_no_terminal_to_ask_on() -> None:
    assert await output_of("(: </dev/tty) 2>/dev/null && echo yes || echo no", None, ENVIRON, 30) == "no"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("true", "printed nothing"),
        ("echo; echo ' '", "printed nothing"),
        ("echo a; echo b; echo c", "printed 3 lines instead of one"),
        ("printf '\\377'", "printed something that is not text"),
        ("echo key; exit 3", "failed with status 3"),
        ("echo first >&2; echo 'not signed in' >&2; exit 1", "failed with status 1: not signed in"),
        ("printf 'a\\033[2Jb' >&2; exit 1", "failed with status 1: a\\u001b[2Jb"),
        ("kill -9 $$", "failed with status -9"),
        ("\0", "could not be started: embedded null byte"),
    ],
)
async def test_anything_else_is_a_reason(line: str, reason: str) -> None:
    assert await failure(line) == reason


async def test_a_directory_that_is_gone_is_a_reason(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="could not be started: No such file"):
        await output_of("echo key", tmp_path / "gone", ENVIRON, 30)


@pytest.mark.parametrize(
    "line",
    [
        "echo sk-CANARY-0; echo wrong: sk-CANARY-0 >&2; exit 1",
        "echo cannot use sk-CANARY-0 >&2; exit 1",
        "sk-CANARY-0123456789",
        "echo sk-CANARY-0; echo second",
    ],
)
async def test_no_reason_repeats_the_command_or_what_it_printed(line: str) -> None:
    assert "CANARY" not in await failure(line)


@pytest.mark.parametrize("line", ["yes", "yes >&2", "head -c 70000 /dev/zero", "head -c 70000 /dev/zero >&2"])
async def test_endless_output_ends_it(line: str) -> None:
    assert await failure(line) == "printed far more than a key"


# A process that has a pipe open for writing is told by the pipe: its reader sees the end when the last of them is gone.


async def test_one_that_takes_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(CommandError, match="did not finish within 1 seconds"):
        await output_of("exec 3>pipe; sleep 1000 & wait", tmp_path, ENVIRON, 1)

    await all_writers_are_gone(reader)


async def test_one_that_leaves_a_process_holding_its_output_is_not_waited_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(CommandError, match="did not finish within 1 seconds"):
        await output_of("exec 3>pipe; sleep 1000 & echo key", tmp_path, ENVIRON, 1)

    await all_writers_are_gone(reader)


async def test_one_whose_output_a_stranger_holds_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in a session of its own is not ended, nor waited for."""
    monkeypatch.setattr(command, "_SECONDS_TO_DIE", 0.1)
    daemon = f"{sys.executable} -c 'import os, time; os.setsid(); os.kill(os.getppid(), 9); time.sleep(3)' & wait"

    assert await failure(daemon, seconds=1) == "did not finish within 1 seconds"


async def test_cancelling_ends_it_with_all_it_started(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    running = asyncio.create_task(output_of("exec 3>pipe; sleep 1000 & wait", tmp_path, ENVIRON, 1000))
    reader = await asyncio.to_thread(os.open, tmp_path / "pipe", os.O_RDONLY)  # waits for the command to open it
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await all_writers_are_gone(reader)


async def all_writers_are_gone(reader: int) -> None:
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    os.set_blocking(reader, False)
    try:
        rest = os.read(reader, 1)
    except BlockingIOError:  # somebody has it open still
        loop.add_reader(reader, gone.set)
        async with asyncio.timeout(60):  # so that a process that stays is a failure and no hanging test
            await gone.wait()
        loop.remove_reader(reader)
        rest = os.read(reader, 1)
    os.close(reader)
    assert rest == b""


@pytest.mark.parametrize("steps", range(12))
async def test_cancelling_at_any_step_of_the_start_leaves_nothing(tmp_path: Path, steps: int) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    running = asyncio.create_task(output_of("exec 3>pipe; sleep 1000 & wait", tmp_path, ENVIRON, 1000))
    for _ in range(steps):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await all_writers_are_gone(reader)


async def test_the_loop_goes_on_meanwhile(tmp_path: Path) -> None:
    """The command waits for something that only the loop can do."""
    os.mkfifo(tmp_path / "pipe")
    running = asyncio.create_task(output_of("cat pipe", tmp_path, ENVIRON, 30))
    await asyncio.to_thread((tmp_path / "pipe").write_text, "key\n")

    assert await running == "key"
