"""std.write through the real tool."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto import Need, ToolError
from panto_std import _files
from panto_std._files import load, replace, target

from .conftest import Bench


async def test_a_new_file_with_its_directories(bench: Bench) -> None:
    reply = await bench.call("write", path="a/b/c.txt", content="one\ntwo")
    path = bench.project / "a/b/c.txt"
    assert path.read_bytes() == b"one\ntwo"
    assert reply.text == "Created a/b/c.txt: 2 lines, 7 B."
    assert reply.summary == "+2"
    assert reply.diff.startswith("--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline")
    assert reply.paths == (path,)
    assert bench.changes == [(path, "created")]


async def test_a_new_file_has_the_usual_mode(bench: Bench) -> None:
    before = os.umask(0o027)
    try:
        await bench.call("write", path="a", content="x")
    finally:
        os.umask(before)
    assert (bench.project / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("content", ["", "a\r\nb\n", "\ufeffx", "no end", "\n\n", "é😀\u2028\x00\r"])
async def test_content_is_written_to_the_byte(bench: Bench, content: str) -> None:
    await bench.call("write", path="a", content=content)
    assert (bench.project / "a").read_bytes() == content.encode()


async def test_a_file_that_was_read_is_replaced(bench: Bench) -> None:
    path = bench.write("a", "one\ntwo\nthree\n")
    path.chmod(0o600)
    await bench.call("read", path="a")
    reply = await bench.call("write", path="a", content="one\n2\nthree\nfour\n")
    assert path.read_text() == "one\n2\nthree\nfour\n"
    assert reply.text == "Changed a: 4 lines, 17 B."
    assert reply.summary == "+2 -1"
    assert path.stat().st_mode & 0o777 == 0o600
    assert bench.changes == [(path, "changed")]


async def test_a_file_that_was_not_read_or_has_changed_is_refused(bench: Bench) -> None:
    path = bench.write("a", "one\n")
    with pytest.raises(ToolError, match="not read in this session"):
        await bench.call("write", path="a", content="two\n")
    await bench.call("read", path="a")
    path.write_text("theirs\n")
    with pytest.raises(ToolError, match="has changed since"):
        await bench.call("write", path="a", content="two\n")
    assert path.read_text() == "theirs\n"


async def test_what_it_wrote_itself_it_may_write_again(bench: Bench) -> None:
    await bench.call("write", path="a", content="one\n")
    await bench.call("write", path="a", content="two\n")
    assert (bench.project / "a").read_text() == "two\n"


async def test_the_same_content_is_not_written(bench: Bench) -> None:
    path = bench.write("a", "one\n")
    await bench.call("read", path="a")
    before = path.stat()
    reply = await bench.call("write", path="a", content="one\n")
    assert reply.text == "a is so already; nothing was written."
    assert path.stat() == before
    assert bench.changes == []


async def test_another_encoding_is_not_lost_in_silence(bench: Bench) -> None:
    bench.write("a", "é\n".encode("cp1252"))
    await bench.call("read", path="a")
    reply = await bench.call("write", path="a", content="è\n")
    assert reply.text == "Changed a: 1 line, 3 B. It was Windows-1252, and is UTF-8 now."
    assert "-é\n+è" in reply.diff


async def test_links_stay_and_dangling_ones_get_their_target(bench: Bench) -> None:
    link = bench.project / "link"
    link.symlink_to("later/file")
    await bench.call("write", path="link", content="x")
    assert link.is_symlink()
    assert (bench.project / "later/file").read_text() == "x"


async def test_what_can_not_be_written_is_said(bench: Bench) -> None:
    bench.write("d/x", "")
    bench.write("file", "")
    (bench.project / "loop").symlink_to("loop")
    os.mkfifo(bench.project / "fifo")
    for path, why in (
        ("d", "d is a directory, not a file"),
        ("file/x", "can't write file/x: Not a directory"),
        ("loop", "can't write loop: Too many levels"),
        ("fifo", "fifo is a named pipe, not a file"),
        ("/proc/nothing/x", "can't write /proc/nothing/x: "),
        ("", "is no path"),
    ):
        with pytest.raises(ToolError, match=why):
            await bench.call("write", path=path, content="x")
    with pytest.raises(ToolError, match="half a surrogate pair at character 1"):
        await bench.call("write", path="a", content="x\ud800")
    assert bench.changes == []


async def test_a_read_only_file_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.write("a", "one\n")
    await bench.call("read", path="a")

    def read_only(_path: Path, mode: int) -> bool:
        return mode != os.W_OK

    monkeypatch.setattr(os, "access", read_only)  # as it is for anyone but root, who may write everything
    with pytest.raises(ToolError, match="a is read-only; it was left as it is"):
        await bench.call("write", path="a", content="two\n")
    assert path.read_text() == "one\n"


def test_a_file_that_changes_in_the_last_moment_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    before = load(path, tmp_path)
    path.write_text("theirs")
    with pytest.raises(ToolError, match="changed while it was about to be written"):
        replace(path, b"ours", before, tmp_path)
    with pytest.raises(ToolError, match="changed while it was about to be written"):
        replace(path, b"ours", None, tmp_path)
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("a", "theirs")]


def test_a_write_that_fails_leaves_the_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("one")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_files.os, "fsync", full)
    with pytest.raises(ToolError, match="can't write a: No space left on device"):
        replace(path, b"two", load(path, tmp_path), tmp_path)
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("a", "one")]


def test_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    try:
        os.setxattr(path, "user.note", b"mine")
    except (OSError, AttributeError):
        return  # a system or a file system without attributes
    replace(path, b"", load(path, tmp_path), tmp_path)
    assert os.getxattr(path, "user.note") == b"mine"
    assert path.read_bytes() == b""


@given(st.binary(max_size=300), st.binary(max_size=300))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_replace_any_bytes(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(old)
    replace(target(path, tmp_path), new, load(path, tmp_path), tmp_path)
    assert path.read_bytes() == new


async def test_what_the_gate_is_told(bench: Bench) -> None:
    assert bench.needs("write", path="a/../b", content="") == [Need("fs.write", str(bench.project / "b"))]
    assert bench.summary("write", path="a/b", content="") == "a/b"
