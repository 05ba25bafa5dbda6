"""std.grep through the real tool and the real ripgrep."""

import asyncio
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from panto import Need, ToolError
from panto_std import _ripgrep
from panto_std._ripgrep import Records

from .conftest import Bench


async def test_matches_by_file_with_their_numbers(bench: Bench) -> None:
    bench.write("src/b.py", "x\napply_discount(1)\n\napply_discount(2)\n")
    bench.write("src/a.py", "\tapply_discount\n")
    bench.write("c.md", "nothing\n")
    reply = await bench.call("grep", pattern=r"apply_\w+")
    assert reply.text == "src/a.py\n1: \tapply_discount\n\nsrc/b.py\n2: apply_discount(1)\n4: apply_discount(2)"
    assert reply.summary == "3 matches in 2 files"
    assert reply.paths == (bench.project,)


async def test_one_file(bench: Bench) -> None:
    bench.write("src/a.py", "one\ntwo\n")
    reply = await bench.call("grep", pattern="two", path="src/a.py")
    assert (reply.text, reply.summary) == ("src/a.py\n2: two", "1 match in 1 file")


async def test_lines_around(bench: Bench) -> None:
    bench.write("a", "".join(f"{number}\n" for number in range(1, 21)))
    reply = await bench.call("grep", pattern="^(5|7|15)$", context=1)
    assert reply.text == "a\n4- 4\n5: 5\n6- 6\n7: 7\n8- 8\n--\n14- 14\n15: 15\n16- 16"
    assert reply.summary == "3 matches in 1 file"


async def test_options(bench: Bench) -> None:
    bench.write("a", "A.c\nabc\n")
    assert (await bench.call("grep", pattern="a.c")).text == "a\n2: abc"
    assert (await bench.call("grep", pattern="a.c", ignore_case=True)).summary == "2 matches in 1 file"
    assert (await bench.call("grep", pattern="A.c", literal="true")).text == "a\n1: A.c"
    assert (await bench.call("grep", pattern="c\\na")).text == "a\n1: A.c\n2: abc"
    assert (await bench.call("grep", pattern="-c", literal=True)).text == "no matches"


async def test_ignored_files_stay_out_whatever_the_glob(bench: Bench) -> None:
    bench.write(".gitignore", "ignored.js\nnode_modules/\n")
    for name in ("ignored.js", "node_modules/x.js", "src/a.js", "src/deep/b.ts", "lib/src/c.js", ".eslint.js"):
        bench.write(name, "needle\n")
    assert (await bench.call("grep", pattern="needle", glob="*.js")).text == (
        ".eslint.js\n1: needle\n\nlib/src/c.js\n1: needle\n\nsrc/a.js\n1: needle"
    )
    assert (await bench.call("grep", pattern="needle", glob="src/**/*.{js,ts}")).summary == "2 matches in 2 files"
    assert (await bench.call("grep", pattern="needle", glob="!*.js")).text == "src/deep/b.ts\n1: needle"
    assert (await bench.call("grep", pattern="needle", glob="src/**")).summary == "2 matches in 2 files"
    assert (await bench.call("grep", pattern="needle", glob="{src/*.js,lib/**}")).summary == "2 matches in 2 files"


async def test_more_matches_than_are_shown_are_counted(bench: Bench) -> None:
    bench.write("a", "x\n" * 150)
    bench.write("b", "x\n" * 31)
    reply = await bench.call("grep", pattern="x", limit=5)
    assert reply.text.split("\n") == [
        "a",
        *(f"{number}: x" for number in range(1, 6)),
        "[5 of 181 matches shown; a narrower pattern, path or glob shows the others]",
    ]
    assert reply.summary == "181 matches in 2 files"
    assert (await bench.call("grep", pattern="x", limit=5, context=3)).text.count(":") == 5
    assert (await bench.call("grep", pattern="x", limit=100_000)).text.count(": x") == 181


async def test_long_lines_and_long_results_are_bounded(bench: Bench) -> None:
    bench.write("one.json", "x" * 200_000 + "needle" + "y" * 200_000 + "\n")
    reply = await bench.call("grep", pattern="needle|x+")
    assert len(reply.text) < 1_000
    assert reply.summary == "1 match in 1 file"
    bench.write("many", ("needle " + "z" * 300 + "\n") * 1_000)
    reply = await bench.call("grep", pattern="needle", limit=1000)
    assert 25_000 < len(reply.text) < 32_000
    shown = reply.text.count(": needle")
    assert f"[{shown} of 1,001 matches shown" in reply.text or f"[{shown + 1} of 1,001 matches shown" in reply.text
    assert reply.summary == "1,001 matches in 2 files"


async def test_other_encodings_and_binary_files(bench: Bench) -> None:
    bench.write("latin", "caf\xe9 needle\r\n".encode("latin-1"))
    bench.write("wide", "\ufeffneedle ü\n".encode("utf-16-le"))
    bench.write("binary", b"\0\1\2 needle\n")
    reply = await bench.call("grep", pattern="needle")
    assert reply.text == "latin\n1: caf\ufffd needle\n\nwide\n1: needle ü"


async def test_a_wrong_pattern_is_explained(bench: Bench) -> None:
    bench.write("a", "x\n")
    with pytest.raises(ToolError, match=r"(?s)regex parse error.*unclosed group.*with literal it is plain text"):
        await bench.call("grep", pattern="f(")
    with pytest.raises(ToolError, match=r"(?s)look-around.*not supported"):
        await bench.call("grep", pattern="(?=x)")
    with pytest.raises(ToolError, match="pattern is empty"):
        await bench.call("grep", pattern="")
    with pytest.raises(ToolError, match="nowhere is not there"):
        await bench.call("grep", pattern="x", path="nowhere")


async def test_the_users_ripgrep_config_changes_nothing(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rc").write_text("--ignore-case\n--heading\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    bench.write("a", "X\nx\n")
    assert (await bench.call("grep", pattern="x")).text == "a\n2: x"


async def test_a_missing_ripgrep_says_what_to_install(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(_name: str, path: str | None = None) -> None:
        del path

    monkeypatch.setattr(shutil, "which", nowhere)
    with pytest.raises(ToolError, match=r"ripgrep is not installed: .*pip install ripgrep"):
        await bench.call("grep", pattern="x")
    with pytest.raises(ToolError, match="ripgrep is not installed"):
        await bench.call("glob", pattern="x")


async def test_the_one_beside_the_interpreter_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    program = _ripgrep.find_program()
    assert program is not None
    assert Path(program).parent in (Path(sysconfig.get_path("scripts")), Path(sys.executable).parent)


async def test_a_search_that_takes_too_long_is_stopped_and_says_so(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a ripgrep that never ends, after its first match."""
    slow = tmp_path / "bin/rg"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nprintf './a\\0001:x\\n'; exec sleep 900\n")
    slow.chmod(0o755)

    def scripts(_name: str) -> str:
        return str(slow.parent)

    monkeypatch.setattr(sysconfig, "get_path", scripts)
    monkeypatch.setattr(_ripgrep, "SECONDS", 0.3)
    reply = await bench.call("grep", pattern="x")
    assert reply.text.startswith("a\n1: x\n[stopped after ")
    task = asyncio.create_task(bench.call("grep", pattern="x"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@given(
    st.lists(st.binary(max_size=8).map(lambda data: data.replace(b"\n", b"")), max_size=8), st.lists(st.integers(0, 80))
)
def test_records_come_whole_however_they_were_cut(records: list[bytes], cuts: list[int]) -> None:
    data = b"".join(record + b"\n" for record in records)
    taken: list[bytes] = []
    cutter = Records(b"\n", taken.append)
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    for start, end in zip([0, *places], [*places, len(data)], strict=True):
        cutter.feed(data[start:end])
    assert taken == records


async def test_what_the_gate_and_the_screen_are_told(bench: Bench) -> None:
    assert bench.needs("grep", pattern="x", path="src") == [Need("fs.read", str(bench.project / "src"))]
    assert bench.summary("grep", pattern="apply_discount") == "apply_discount"
    assert bench.summary("grep", pattern="a\x1b[2J", glob="*.py", path="src") == "a\\x1b[2J in *.py in src"
