"""Commands run for real: what they print, how they end, and that nothing hangs."""

import asyncio
import os
import threading
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path

import pytest

from panto.process import (
    Keep,
    MissingDirectoryError,
    MissingProgramError,
    ProcessError,
    run as run_module,
    run_process,
)
from panto.process.child import Child

from .commands import HERE, PATIENCE, run, until


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


async def test_a_start_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def hanging(command: Sequence[str], cwd: Path, env: Mapping[str, str] | None) -> Child:
        go.wait(PATIENCE)
        return Child(command, cwd, env)

    monkeypatch.setattr(run_module, "Child", hanging)
    monkeypatch.setattr(run_module, "START_SECONDS", 0.05)
    with pytest.raises(ProcessError, match=r"bash did not start within 0\.05 seconds"):
        await run("true")
    go.set()


async def test_no_thread_to_be_had_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(ProcessError, match="limit on processes"):
        await run("true")


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
    said = "a long line of text\n" * 9_000
    assert all(piece.removeprefix("[...]\n") in said for piece in seen)


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
    def count() -> int:
        return sum(1 for _ in Path("/dev/fd").iterdir())

    await run("true")
    before = count()
    for _ in range(5):
        await run("echo x")
    await until(lambda: count() <= before)


async def test_many_at_once() -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(f"echo {number}")) for number in range(40)]
    assert [task.result().output.text for task in tasks] == [f"{number}\n" for number in range(40)]


async def test_output_is_shown_in_the_caller_s_context(tmp_path: Path) -> None:
    where: ContextVar[str] = ContextVar("where", default="nowhere")
    where.set("here")
    seen: list[str] = []
    await run_process(["/bin/echo", "hi"], cwd=tmp_path, on_output=lambda _text: seen.append(where.get()))
    assert seen == ["here"]
