"""std.glob through the real tool and the real ripgrep."""

import os
import subprocess

import pytest

from panto import Need, ToolError
from panto_std import glob as glob_module

from .conftest import Bench


async def test_files_in_path_order_without_what_is_ignored(bench: Bench) -> None:
    for name in ("src/b.py", "src/a.py", "setup.py", "node_modules/x.py", "build.py", "docs/a.md", ".github/w.py"):
        bench.write(name, "")
    bench.write(".gitignore", "node_modules/\nbuild.py\n")
    bench.write(".git/hooks/x.py", "")
    reply = await bench.call("glob", pattern="**/*.py")
    assert reply.text == ".github/w.py\nsetup.py\nsrc/a.py\nsrc/b.py"
    assert reply.summary == "4 files"
    assert reply.paths == (bench.project,)
    assert (await bench.call("glob", pattern="*.py", path="src")).text == "src/a.py\nsrc/b.py"
    assert (await bench.call("glob", pattern="*.{md,py}", path="docs")).text == "docs/a.md"


async def test_a_work_tree_of_git_is_no_different(bench: Bench) -> None:
    subprocess.run(["git", "init", "-q"], cwd=bench.project, check=True)
    bench.write(".gitignore", "*.log\n")
    bench.write("a.log", "")
    bench.write("sub/.gitignore", "!keep.log\n")
    bench.write("sub/keep.log", "")
    assert (await bench.call("glob", pattern="**/*.log")).text == "sub/keep.log"


async def test_link_circles_end(bench: Bench) -> None:
    bench.write("a/x.txt", "")
    (bench.project / "a/loop").symlink_to("..")
    assert (await bench.call("glob", pattern="**/*.txt")).text == "a/x.txt"


async def test_many_files_are_counted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glob_module, "FILES", 10)
    for number in reversed(range(300)):
        bench.write(f"{number:03}.txt", "")
    reply = await bench.call("glob", pattern="*.txt")
    assert reply.text.split("\n") == [
        *(f"{number:03}.txt" for number in range(10)),
        "[10 of 300 files; a narrower pattern or path shows the others]",
    ]
    assert reply.summary == "300 files"


async def test_nothing_found_is_no_error(bench: Bench) -> None:
    reply = await bench.call("glob", pattern="*.zig")
    assert (reply.text, reply.summary, reply.is_error) == (
        "no files match (what .gitignore leaves out was not looked at)",
        "0 files",
        False,
    )


async def test_patterns_that_lead_elsewhere_are_judged_as_such(bench: Bench) -> None:
    (bench.project.parent / "other").mkdir()
    (bench.project.parent / "other/a.py").touch()
    other = bench.project.parent / "other"
    assert bench.needs("glob", pattern="../other/*.py") == [Need("fs.read", str(other))]
    assert bench.needs("glob", pattern="*.py", path="..") == [Need("fs.read", str(other.parent))]
    assert (await bench.call("glob", pattern="../other/*.py")).text == str(other / "a.py")
    assert (await bench.call("glob", pattern=f"{other}/*")).text == str(other / "a.py")


async def test_names_that_are_hard_to_show(bench: Bench) -> None:
    bench.write("a\nb.txt", "")
    (bench.project / os.fsdecode(b"caf\xe9.txt")).touch()
    assert (await bench.call("glob", pattern="*.txt")).text == "a\\nb.txt\ncaf\\xe9.txt"


async def test_what_can_not_be_searched_is_said(bench: Bench) -> None:
    bench.write("file", "")
    with pytest.raises(ToolError, match="file is no directory to look in"):
        await bench.call("glob", pattern="*", path="file")
    with pytest.raises(ToolError, match="nowhere is not there"):
        await bench.call("glob", pattern="*", path="nowhere")


async def test_how_the_screen_names_a_call(bench: Bench) -> None:
    assert bench.summary("glob", pattern="*.py") == "*.py"
    assert bench.summary("glob", pattern="*.py", path="src") == "*.py in src"
