"""std.read through the real tool."""

import os
import socket
import subprocess
import sys
import unicodedata
from io import BytesIO
from pathlib import Path

import pytest

from panto import Need, ToolError
from panto_std._lines import read_lines

from .conftest import Bench

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


async def test_lines_are_numbered_and_exact(bench: Bench) -> None:
    path = bench.write("a.py", "def f():\n\treturn 1  \n\n")
    reply = await bench.call("read", path="a.py")
    assert reply.text == "1\tdef f():\n2\t\treturn 1  \n3\t"
    assert reply.summary == "1-3"
    assert reply.paths == (path,)
    assert not reply.is_error


async def test_a_last_line_without_an_end_counts(bench: Bench) -> None:
    bench.write("a", "one\ntwo")
    assert (await bench.call("read", path="a")).text == "1\tone\n2\ttwo"


async def test_part_of_a_file(bench: Bench) -> None:
    bench.write("a", "".join(f"line {number}\n" for number in range(1, 901)))
    reply = await bench.call("read", path="a", offset=10, limit=2)
    assert reply.text == "10\tline 10\n11\tline 11\n[lines 10-11 of 900; go on with offset=12]"
    assert reply.summary == "lines 10-11 of 900"
    end = await bench.call("read", path="a", offset=900)
    assert end.text == "900\tline 900\n[lines 900-900 of 900]"


async def test_numbers_as_strings_and_offset_zero_are_taken(bench: Bench) -> None:
    bench.write("a", "one\ntwo\n")
    assert (await bench.call("read", path="a", offset="2", limit=None)).text.startswith("2\ttwo")
    assert (await bench.call("read", path="a", offset=0)).summary == "1-2"


async def test_every_part_leads_to_the_next_until_all_was_read(bench: Bench) -> None:
    lines = [f"{number} {'x' * (number % 90)}" for number in range(1, 5000)]
    bench.write("a", "\n".join(lines) + "\n")
    seen: list[str] = []
    offset = 1
    while True:
        reply = await bench.call("read", path="a", offset=offset, limit=9_000)
        *body, note = reply.text.split("\n")
        assert len(body) <= 2000
        assert len(reply.text.encode()) < 51_000
        seen += (line.partition("\t")[2] for line in body)
        _, go_on, following = note.partition("offset=")
        if not go_on:
            break
        offset = int(following.rstrip("]"))
    assert seen == lines


@pytest.mark.parametrize("size", [1, 70_000, 600_000])
async def test_a_long_line_is_cut_with_its_true_length(bench: Bench, size: int) -> None:
    bench.write("a", "short\n" + "é" * (2000 + size) + "\nend\n")
    reply = await bench.call("read", path="a")
    assert reply.text == f"1\tshort\n2\t{'é' * 2000}… [line cut: it has {2000 + size:,} characters]\n3\tend"
    bench.write("b", "é" * 2000 + "\r\n")
    assert "cut" not in (await bench.call("read", path="b")).text


async def test_an_offset_beyond_the_end_is_said(bench: Bench) -> None:
    bench.write("a", "one\ntwo")
    for offset in (3, 10**12):
        with pytest.raises(ToolError, match=rf"a has 2 lines, so there is no line {offset:,}$"):
            await bench.call("read", path="a", offset=offset)


def test_there_are_no_lines_behind_an_end_without_a_line_end() -> None:
    lines = read_lines(BytesIO(b"one\ntwo"), 3, 5)
    assert (lines.text, lines.last, lines.total) == ("", 0, 2)


async def test_an_empty_file(bench: Bench) -> None:
    bench.write("a", "")
    reply = await bench.call("read", path="a")
    assert (reply.text, reply.summary) == ("(empty file)", "empty")
    with pytest.raises(ToolError, match="0 lines"):
        await bench.call("read", path="a", offset=2)


async def test_line_ends_and_marks_are_not_text(bench: Bench) -> None:
    bench.write("a", b"\xef\xbb\xbfone\r\ntwo\r\n")
    reply = await bench.call("read", path="a")
    assert reply.text == "1\tone\n2\ttwo\n[lines end in CR LF]"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
async def test_a_byte_order_mark_says_the_encoding(bench: Bench, codec: str) -> None:
    bench.write("a", "\ufeffgrün\nblau\n".encode(codec))
    reply = await bench.call("read", path="a")
    assert reply.text == f"1\tgrün\n2\tblau\n[not UTF-8 but {codec.upper()}]"


@pytest.mark.parametrize(
    ("data", "text", "name"),
    [
        ("naïve café – ok\n".encode("cp1252"), "naïve café – ok", "Windows-1252"),
        (b"a\x81b\xe9\n", "a\x81bé", "Latin-1"),
        ("grün blau €\n".encode() + b"\xff", "grün blau €\n2\t\ufffd", "UTF-8 with stray bytes"),
    ],
)
async def test_other_encodings_are_read_and_named(bench: Bench, data: bytes, text: str, name: str) -> None:
    bench.write("a", data)
    reply = await bench.call("read", path="a")
    assert reply.text == f"1\t{text}\n[not UTF-8 but {name}]"


async def test_a_character_across_chunks_is_whole(bench: Bench) -> None:
    text = "x" + "€" * 400_000
    bench.write("a", text + "\nend\n")
    reply = await bench.call("read", path="a")
    assert f"it has {len(text):,} characters" in reply.text
    assert reply.text.endswith("\n2\tend")


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.txt", PNG, "image/png"),
        ("a.ts", b"\xff\xd8\xff\xe0" + b"\0" * 9, "image/jpeg"),
        ("a", b"GIF89a" + b"\0" * 9, "image/gif"),
        ("a.png", b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
async def test_images_are_known_by_their_content(bench: Bench, name: str, data: bytes, media_type: str) -> None:
    path = bench.write(name, data)
    reply = await bench.call("read", path=name)
    assert [(image.media_type, image.data) for image in reply.images] == [(media_type, data)]
    assert f"{len(data)} bytes" in reply.text
    assert reply.paths == (path,)


async def test_what_is_only_named_like_an_image_is_text(bench: Bench) -> None:
    bench.write("a.svg", "<svg/>\n")
    bench.write("a.png", "no image\n")
    assert (await bench.call("read", path="a.svg")).text == "1\t<svg/>"
    assert (await bench.call("read", path="a.png")).text == "1\tno image"


async def test_an_image_that_is_too_large_is_said(bench: Bench) -> None:
    bench.write("big.png", PNG + b"\0" * 5_000_000)
    with pytest.raises(ToolError, match=r"big\.png is an image of more than 5\.0 MB.*smaller copy"):
        await bench.call("read", path="big.png")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a\0b", "(binary file, 3 bytes: not text)"),
        (b"%PDF-1.7\nx", "(PDF file, 10 bytes: not text)"),
        (b"PK\x03\x04abc", "(zip archive file, 7 bytes: not text)"),
    ],
)
async def test_binary_files_are_named_with_their_size(bench: Bench, data: bytes, said: str) -> None:
    bench.write("a", data)
    assert (await bench.call("read", path="a")).text == said


async def test_a_directory_is_listed(bench: Bench) -> None:
    bench.write("src/a.py", "x")
    reply = await bench.call("read", path="src")
    assert reply.text == "a.py  1 B"
    assert reply.paths == (bench.project / "src",)


async def test_a_missing_file_names_what_is_near(bench: Bench) -> None:
    bench.write("src/totals.py", "")
    bench.write("README.md", "")
    with pytest.raises(ToolError, match=r"^src/total\.py is not there\. Near it: src/totals\.py$"):
        await bench.call("read", path="src/total.py")
    with pytest.raises(ToolError, match=r"^readme\.MD is not there\. Near it: README\.md$"):
        await bench.call("read", path="readme.MD")
    with pytest.raises(ToolError, match=r"^scr/a/b\.py is not there\. Near it: src$"):
        await bench.call("read", path="scr/a/b.py")
    with pytest.raises(ToolError, match=r"^zzz/q is not there: the project has no zzz$"):
        await bench.call("read", path="zzz/q")


@pytest.mark.parametrize("name", ["fifo", "socket", "/dev/zero", "/dev/tty"])
async def test_what_is_no_file_is_refused_at_once(bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(bench.project / "fifo")
    monkeypatch.chdir(bench.project)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(ToolError, match=r"is (a named pipe|a socket|a device), not a file"):
            await bench.call("read", path=name)


async def test_link_circles_and_files_as_directories_are_said(bench: Bench) -> None:
    (bench.project / "loop").symlink_to("loop")
    bench.write("file", "")
    with pytest.raises(ToolError, match="can't read loop: Too many levels"):
        await bench.call("read", path="loop")
    with pytest.raises(ToolError, match="can't read file/x: Not a directory"):
        await bench.call("read", path="file/x")
    with pytest.raises(ToolError, match="File name too long"):
        await bench.call("read", path="x" * 300)


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        ("Screenshot 2025-01-02 at 3.04.05\u202fPM.txt", "Screenshot 2025-01-02 at 3.04.05 PM.txt"),
        ("it\u2019s.txt", "it's.txt"),
        ("it's.txt", "it\u2019s.txt"),
        (unicodedata.normalize("NFD", "café.txt"), unicodedata.normalize("NFC", "café.txt")),
        (unicodedata.normalize("NFC", "café.txt"), unicodedata.normalize("NFD", "café.txt")),
        ("a\u00a0b/c d.txt", "a b/c\u2009d.txt"),
    ],
)
async def test_names_that_look_the_same_are_found(bench: Bench, there: str, asked: str) -> None:
    path = bench.write(there, "found\n")
    reply = await bench.call("read", path=asked)
    assert reply.text == "1\tfound"
    assert reply.paths == (path,)
    assert bench.needs("read", path=asked) == [Need("fs.read", str(path))]


async def test_the_exact_name_wins_and_a_doubtful_one_is_not_guessed(bench: Bench) -> None:
    bench.write("a\u00a0b", "no-break\n")
    bench.write("a\u2009b", "thin\n")
    with pytest.raises(ToolError, match="Near it: "):
        await bench.call("read", path="a b")
    bench.write("a b", "plain\n")
    assert (await bench.call("read", path="a b")).text == "1\tplain"


async def test_home_and_at_signs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(bench.project))
    bench.write("a", "x\n")
    assert (await bench.call("read", path="~/a")).text == "1\tx"
    assert (await bench.call("read", path="@a")).text == "1\tx"
    assert (await bench.call("read", path="./b/../a")).text == "1\tx"


async def test_names_that_are_no_text_are_shown_as_text(bench: Bench) -> None:
    (bench.project / os.fsdecode(b"caf\xe9\n")).write_text("x")
    reply = await bench.call("read", path=".")
    assert reply.text == "caf\\xe9\\n  1 B"
    with pytest.raises(ToolError) as caught:
        await bench.call("read", path="cafe")
    str(caught.value).encode()


async def test_how_the_screen_names_a_call(bench: Bench) -> None:
    assert bench.summary("read", path=str(bench.project / "src/a.py")) == "src/a.py"
    assert bench.summary("read", path="/etc/hosts") == "/etc/hosts"
    assert bench.summary("read", path="a\x1b[2Kb") == "a\\x1b[2Kb"
    assert bench.summary("read", path="\0") == "\\x00"


async def test_a_large_file_takes_little_memory(bench: Bench, tmp_path: Path) -> None:
    """In a process of its own, whose peak can be measured."""
    big = tmp_path / "big"
    with big.open("wb") as file:
        for _ in range(80):
            file.write(b"0123456789abcde\n" * 65_536)
    program = (
        "import resource, sys\n"
        "from panto_std._lines import read_lines\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "lines = read_lines(open(sys.argv[1], 'rb'), 5_242_879, 5)\n"
        "print(lines.total, lines.last, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    said = subprocess.run([sys.executable, "-c", program, big], capture_output=True, text=True, check=True).stdout
    total, last, grown = map(int, said.split())
    assert (total, last) == (5_242_880, 5_242_880)
    assert grown < 20_000 * (1024 if sys.platform == "darwin" else 1)
