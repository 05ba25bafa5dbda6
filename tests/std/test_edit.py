"""std.edit through the real tool: what it may touch, when it refuses, what it tells."""

import asyncio
import os
from pathlib import Path

import pytest

from panto import Need, ToolError

from .conftest import Bench


async def test_an_edit_changes_the_file_and_tells(bench: Bench) -> None:
    path = bench.write("src/totals.py", "def f():\n    for item in items[:-1]:\n        pass\n")
    await bench.call("read", path="src/totals.py")
    reply = await bench.call("edit", path="src/totals.py", old="items[:-1]", new="items")
    assert path.read_text() == "def f():\n    for item in items:\n        pass\n"
    assert reply.text == "Edited src/totals.py: 1 place (line 2)."
    assert reply.summary == "+1 -1"
    assert reply.diff == (
        "--- a/src/totals.py\n+++ b/src/totals.py\n@@ -1,3 +1,3 @@\n"
        " def f():\n-    for item in items[:-1]:\n+    for item in items:\n         pass"
    )
    assert reply.paths == (path,)
    assert bench.changes == [(path, "changed")]


async def test_a_tolerant_edit_shows_the_model_what_it_did(bench: Bench) -> None:
    bench.write("a.go", "func f() {\n\ta()\n}\n")
    await bench.call("read", path="a.go")
    reply = await bench.call("edit", path="a.go", old="    a()\n", new="    b()\n")
    assert "new was indented as the file is" in reply.text
    assert "\n-\ta()\n+\tb()\n" in reply.text


async def test_a_file_that_was_not_read_is_refused(bench: Bench) -> None:
    path = bench.write("a", "one\n")
    with pytest.raises(ToolError, match=r"a exists and was not read in this session; read it first"):
        await bench.call("edit", path="a", old="one", new="two")
    assert path.read_text() == "one\n"


async def test_a_file_that_changed_since_is_refused(bench: Bench) -> None:
    path = bench.write("a", "one\n")
    info = path.stat()
    await bench.call("read", path="a")
    path.write_text("ONE\n")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))  # same size, same time: only the content differs
    with pytest.raises(ToolError, match=r"a has changed since it was read.*read it again"):
        await bench.call("edit", path="a", old="ONE", new="two")
    assert path.read_text() == "ONE\n"
    await bench.call("read", path="a")
    await bench.call("edit", path="a", old="ONE", new="two")
    assert path.read_text() == "two\n"


async def test_a_file_that_was_only_touched_is_not_stale(bench: Bench) -> None:
    path = bench.write("a", "one\n")
    await bench.call("read", path="a")
    os.utime(path, ns=(1, 1))
    await bench.call("edit", path="a", old="one", new="two")
    assert path.read_text() == "two\n"


async def test_one_edit_after_another_needs_no_second_read(bench: Bench) -> None:
    path = bench.write("a", "one\ntwo\n")
    await bench.call("read", path="a", limit=1)
    await bench.call("edit", path="a", old="one", new="1")
    await bench.call("edit", path="a", old="two", new="2")
    assert path.read_text() == "1\n2\n"


async def test_edits_at_once_all_count(bench: Bench) -> None:
    path = bench.write("a", "".join(f"line {number};\n" for number in range(20)))
    await bench.call("read", path="a")
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(bench.call("edit", path="a", old=f"line {number};", new=f"done {number};"))
    assert path.read_text() == "".join(f"done {number};\n" for number in range(20))


async def test_sessions_do_not_see_for_each_other(bench: Bench) -> None:
    path = bench.write("a", "one\n")
    await bench.call("read", path="a")
    await bench.call("read", session="other", path="a")
    await bench.call("edit", session="other", path="a", old="one", new="two")
    with pytest.raises(ToolError, match="has changed since"):
        await bench.call("edit", path="a", old="two", new="three")
    assert path.read_text() == "two\n"


async def test_what_a_session_saw_ends_with_it(bench: Bench) -> None:
    bench.write("a", "one\n")
    await bench.call("read", path="a")
    await bench.end_session()
    with pytest.raises(ToolError, match="not read in this session"):
        await bench.call("edit", path="a", old="one", new="two")


async def test_what_a_formatter_does_is_told_and_is_no_surprise(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.write("a.py", "x=1\ny=2\n")
    await bench.call("read", path="a.py")

    async def reformat(changed: Path) -> None:
        changed.write_text(changed.read_text().replace("=", " = "))

    monkeypatch.setattr(bench, "after_change", reformat)
    reply = await bench.call("edit", path="a.py", old="x=1", new="x=3")
    assert reply.text.startswith(
        "Edited a.py: 1 place (line 1).\nThen something else, such as a formatter, changed it:"
    )
    assert "-y=2\n+x = 3\n+y = 2" in reply.text
    assert reply.summary == "+1 -1"
    await bench.call("edit", path="a.py", old="y = 2", new="y = 4")
    assert path.read_text().startswith("x  =  3")


async def test_a_formatter_that_turns_everything_over_asks_for_a_new_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a", "x\n" * 3000)
    await bench.call("read", path="a")

    async def reformat(changed: Path) -> None:
        changed.write_text("other line\n" * 3000)

    monkeypatch.setattr(bench, "after_change", reformat)
    await bench.call("edit", path="a", old="x\n", new="y\n", all=True)
    with pytest.raises(ToolError, match="read it again"):
        await bench.call("edit", path="a", old="other", new="z", all=True)


async def test_mode_links_and_neighbours_stay(bench: Bench) -> None:
    path = bench.write("real/a.sh", "echo one\n")
    path.chmod(0o751)
    link = bench.project / "a.sh"
    link.symlink_to("real/a.sh")
    await bench.call("read", path="a.sh")
    reply = await bench.call("edit", path="a.sh", old="one", new="two")
    assert link.is_symlink()
    assert path.read_text() == "echo two\n"
    assert path.stat().st_mode & 0o7777 == 0o751
    assert [entry.name for entry in path.parent.iterdir()] == ["a.sh"]
    assert reply.paths == (link,)


async def test_read_by_one_name_it_may_be_changed_by_another(bench: Bench) -> None:
    path = bench.write("real/a", "one\n")
    (bench.project / "link").symlink_to("real")
    await bench.call("read", path="link/a")
    await bench.call("edit", path="real/a", old="one", new="two")
    assert path.read_text() == "two\n"


async def test_a_refused_edit_leaves_all_as_it_is(bench: Bench) -> None:
    path = bench.write("a", "é".encode("latin-1") + b"\nx\n")
    await bench.call("read", path="a")
    before = path.stat()
    for old, new in (("x", "→"), ("nowhere", "y"), ("x", "x"), ("", "y")):
        with pytest.raises(ToolError):
            await bench.call("edit", path="a", old=old, new=new)
    assert path.stat() == before
    assert bench.changes == []
    assert [entry.name for entry in bench.project.iterdir()] == ["a"]


async def test_a_missing_file_is_said(bench: Bench) -> None:
    bench.write("totals.py", "x\n")
    with pytest.raises(
        ToolError, match=r"total\.py is not there\. Near it: totals\.py\. To make a new file use std.write"
    ):
        await bench.call("edit", path="total.py", old="", new="x")


async def test_a_binary_file_and_a_directory_are_refused(bench: Bench) -> None:
    bench.write("a", b"x\0y")
    bench.write("d/x", "")
    await bench.call("read", path="a")
    with pytest.raises(ToolError, match="not read"):
        await bench.call("edit", path="a", old="x", new="z")
    with pytest.raises(ToolError, match="d is a directory, not a file"):
        await bench.call("edit", path="d", old="x", new="z")


async def test_a_file_that_is_too_large_is_said(bench: Bench) -> None:
    path = bench.write("a", "x\n")
    await bench.call("read", path="a")
    os.truncate(path, 50_000_001)
    with pytest.raises(ToolError, match=r"a has 50 MB; files over 50 MB are changed with a command"):
        await bench.call("edit", path="a", old="x", new="z")


async def test_what_the_gate_is_told(bench: Bench) -> None:
    path = bench.write("it\u2019s", "x\n")
    assert bench.needs("edit", path="it's", old="x", new="y") == [
        Need("fs.read", str(path)),
        Need("fs.write", str(path)),
    ]
    assert bench.summary("edit", path="./src/../a", old="x", new="y") == "a"


async def test_a_cancelled_edit_is_whole_and_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.write("a", "one\n")
    await bench.call("read", path="a")
    telling, told = asyncio.Event(), asyncio.Event()

    heard: list[Path] = []

    async def slow(changed: Path) -> None:
        telling.set()
        await told.wait()
        heard.append(changed)

    monkeypatch.setattr(bench, "after_change", slow)
    task = asyncio.create_task(bench.call("edit", path="a", old="one", new="two"))
    await telling.wait()
    task.cancel()
    await asyncio.sleep(0)
    told.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == [path]
    assert path.read_text() == "two\n"
    await bench.call("edit", path="a", old="two", new="three")
    assert path.read_text() == "three\n"
