"""std.list through the real tool."""

import os

import pytest

from panto import Need, ToolError

from .conftest import Bench


async def test_one_directory_by_name(bench: Bench) -> None:
    bench.write("src/deep/a.py", "")
    bench.write("b.txt", "x" * 1234)
    bench.write(".hidden", "")
    (bench.project / "link").symlink_to("src/deep")
    (bench.project / "broken").symlink_to("no/where")
    os.mkfifo(bench.project / "pipe")
    reply = await bench.call("list")
    assert (
        reply.text == ".hidden  0 B\nb.txt  1.2 KB\nbroken -> no/where\nlink -> src/deep\npipe  (no regular file)\nsrc/"
    )
    assert reply.summary == "6 entries"
    assert reply.paths == (bench.project,)
    assert (await bench.call("list", path="link")).text == "a.py  0 B"
    assert (await bench.call("list", path="src")).summary == "1 entry"


async def test_an_empty_directory(bench: Bench) -> None:
    assert (await bench.call("list")).text == "(empty directory)"


async def test_many_entries_are_counted(bench: Bench) -> None:
    for number in range(1003):
        (bench.project / f"{number:04}").touch()
    reply = await bench.call("list")
    assert reply.text.startswith("0000  0 B\n")
    assert reply.text.endswith("0999  0 B\n[1,000 of 1,003 entries; std.glob finds files by a pattern]")
    assert reply.summary == "1,003 entries"


async def test_what_is_no_directory_is_said(bench: Bench) -> None:
    bench.write("file", "")
    with pytest.raises(ToolError, match="file is no directory; std"):
        await bench.call("list", path="file")
    with pytest.raises(ToolError, match=r"^fil is not there\. Near it: file$"):
        await bench.call("list", path="fil")


async def test_what_the_gate_and_the_screen_are_told(bench: Bench) -> None:
    assert bench.needs("list") == [Need("fs.read", str(bench.project))]
    assert bench.needs("list", path="../x") == [Need("fs.read", str(bench.project.parent / "x"))]
    assert bench.summary("list") == "."
