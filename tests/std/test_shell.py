"""std.shell through the real tool, with real shells, git and process groups."""

import asyncio
import os
import re
import signal
import tempfile
from pathlib import Path

import pytest

from panto import AppStop, Need, ToolError

from ..process.commands import alive, marked, until_alive
from .conftest import Bench


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


async def test_output_of_a_command_in_the_project(bench: Bench) -> None:
    reply = await bench.call("shell", command="pwd; echo problem >&2")
    assert reply.text == f"{bench.project}\nproblem"
    assert (reply.is_error, reply.summary) == (False, "2 lines")
    assert "".join(bench.progress) == f"{bench.project}\nproblem\n"


async def test_no_output(bench: Bench) -> None:
    reply = await bench.call("shell", command="true")
    assert (reply.text, reply.is_error) == ("(no output)", False)


@pytest.mark.parametrize(
    ("command", "text", "summary"),
    [
        ("echo out; exit 3", "out\n[exit code 3]", "exit code 3"),
        ("false", "[exit code 1]", "exit code 1"),
        ("kill -9 $$", "[ended by SIGKILL]", "ended by SIGKILL"),
    ],
)
async def test_a_failure_is_a_result(bench: Bench, command: str, text: str, summary: str) -> None:
    reply = await bench.call("shell", command=command)
    assert (reply.text, reply.summary, reply.is_error) == (text, summary, True)


async def test_a_command_that_is_not_found_is_the_shells_to_say(bench: Bench) -> None:
    reply = await bench.call("shell", command="no-such-program-anywhere")
    assert re.search(r"command not found\n\[exit code 127\]$", reply.text)


async def test_a_time_out_says_its_unit_and_ends_all(bench: Bench) -> None:
    mark = marked()
    reply = await bench.call("shell", command=f"echo begun; sleep {mark} & sleep {mark}", timeout_seconds=1)
    assert reply.text == "begun\n[timed out after 1 seconds, and ended with all that it had started]"
    assert reply.is_error
    assert alive(mark) == []


async def test_a_time_out_beyond_the_most_is_capped_and_said(bench: Bench) -> None:
    reply = await bench.call("shell", command="echo ok", timeout_seconds=100_000)
    assert reply.text == "ok\n[timeout_seconds is 3600 at most]"
    assert not reply.is_error
    with pytest.raises(ToolError, match="timeout_seconds"):
        await bench.call("shell", command="echo ok", timeout_seconds=0)


async def test_what_runs_on_in_the_background_is_said(bench: Bench) -> None:
    mark = marked()
    reply = await bench.call("shell", command=f"sleep {mark} & echo ok")
    group = re.fullmatch(
        r"ok\n\[something runs on in the background, and what it prints from now on is lost; "
        r"to end it: kill -- -(\d+)\]",
        reply.text,
    )
    assert group is not None
    assert len(alive(mark)) == 1
    ended = await bench.call("shell", command=f"kill -- -{group[1]}")
    assert not ended.is_error
    reply = await bench.call("shell", command=f"sleep {mark} >/dev/null 2>&1 & echo ok")
    assert "background; to end it" in reply.text
    os.killpg(int(reply.text.rpartition("-")[2].rstrip("]")), signal.SIGKILL)


async def test_cancelling_ends_all_of_it(bench: Bench) -> None:
    mark = marked()
    task = asyncio.create_task(bench.call("shell", command=f"sleep {mark} & timeout 900 sleep {mark}"))
    await until_alive(mark, 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(mark) == []


async def test_long_output_keeps_both_ends_and_all_of_it_on_disk(bench: Bench) -> None:
    reply = await bench.call("shell", command="for i in $(seq 1 20000); do echo line $i; done; echo failed; exit 1")
    assert len(reply.text) < 35_000
    gap = re.search(r"\n\[([\d,]+) lines, ([\d,]+) bytes left out; all of it in (\S+)\]\n", reply.text)
    assert gap is not None
    head, tail = reply.text[: gap.start() + 1], reply.text[gap.end() :]
    assert head.startswith("line 1\nline 2\n")
    assert tail.endswith("line 20000\nfailed\n[exit code 1]")
    whole = Path(gap[3]).read_text()
    assert whole == "".join(f"line {number}\n" for number in range(1, 20_001)) + "failed\n"
    left_out = int(gap[1].replace(",", ""))
    assert head.count("\n") + left_out + tail.count("\n") == whole.count("\n")
    assert len(head) + int(gap[2].replace(",", "")) + len(tail) - len("\n[exit code 1]") + 1 == len(whole)


async def test_short_output_leaves_no_file(bench: Bench, logs: Path) -> None:
    await bench.call("shell", command="echo short")
    assert [list(directory.iterdir()) for directory in logs.iterdir()] == [[]]
    await bench.bus.emit(AppStop())
    assert list(logs.iterdir()) == []


async def test_escapes_are_for_the_screen_and_not_for_the_model(bench: Bench) -> None:
    reply = await bench.call("shell", command=r"printf '\033[31mred\033[0m\r\n\360\227ok\000'")
    assert reply.text == "red\n\ufffdok"
    assert "".join(bench.progress).startswith("\x1b[31mred\x1b[0m")


@pytest.mark.parametrize(
    "command",
    [
        "read -p Name: x; echo got $x",
        "cat",
        "read y < /dev/tty",
        "python3 -c 'input()'",
    ],
)
async def test_nothing_waits_for_a_person(bench: Bench, command: str) -> None:
    reply = await bench.call("shell", command=command, timeout_seconds=60)
    assert "timed out" not in reply.text


async def test_git_neither_pages_nor_edits(bench: Bench) -> None:
    bench.environment |= {
        "GIT_EDITOR": "sleep 900",
        "GIT_PAGER": "less",
        "PAGER": "sleep 900",
        "EDITOR": "sleep 900",
        "LESS": "+F",
    }
    script = """
        export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
        git init -q -b main . && echo 1 > f && git add f && git commit -qm one
        git checkout -qb side && echo 2 > f && git commit -qam two
        git checkout -q main && echo 3 > f && git commit -qam three
        git var GIT_PAGER; git log --oneline | wc -l
        git rebase side >/dev/null 2>&1; echo both > f; git add f
        git rebase --continue >/dev/null 2>&1 && git --paginate log --format=%s
    """
    reply = await bench.call("shell", command=script, timeout_seconds=60)
    assert [line.strip() for line in reply.text.split("\n")] == ["cat", "2", "three", "two", "one"]


async def test_the_environment_is_the_sessions_own(bench: Bench) -> None:
    bench.environment |= {"MINE": "yes", "FORCE_COLOR": "1"}
    reply = await bench.call("shell", command="echo $MINE [$FORCE_COLOR] $TERM $PAGER")
    assert reply.text == "yes [] dumb cat"


def program(directory: Path, name: str) -> str:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\necho "$0" "$@"\n')
    path.chmod(0o755)
    return str(path)


async def test_the_users_shell_is_used(bench: Bench, tmp_path: Path) -> None:
    zsh = program(tmp_path, "zsh")
    bench.environment["SHELL"] = zsh
    assert (await bench.call("shell", command="echo  $A")).text == f"{zsh} -c echo  $A"


async def test_a_directory_that_is_gone_is_said(bench: Bench) -> None:
    bench.project.rmdir()
    with pytest.raises(ToolError, match=r"project is not there \(any more\)"):
        await bench.call("shell", command="true")


@pytest.mark.parametrize(
    ("command", "why"), [("  \n", "command is empty"), ("a\0b", "null byte"), ("x" * 200_000, "too long")]
)
async def test_commands_that_can_not_be_run_are_said(bench: Bench, command: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        await bench.call("shell", command=command)


async def test_what_the_gate_and_the_screen_are_told(bench: Bench) -> None:
    assert bench.needs("shell", command="git log && rm x") == [Need("command.run", "git log && rm x")]
    assert bench.summary("shell", command="\nuv run pytest \\\n  -q") == "uv run pytest \\"
    assert bench.summary("shell", command="echo \x1b[2Kx") == "echo \\x1b[2Kx"
