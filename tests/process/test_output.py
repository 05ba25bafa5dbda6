"""What is kept of output: true counts, bounded memory, no escapes, wherever the bytes were cut."""

import re
from pathlib import Path

from hypothesis import given, settings, strategies as st

from panto.process.output import Captured, Keep, OutputBuffer, PlainText

PIECES = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            [
                "\n",
                "\r\n",
                "\r",
                "\x1b[31m",
                "\x1b[0m",
                "\x1b]0;title\x07",
                "\x1b]8;;http://x\x1b\\",
                "\x1b",
                "\x1b[",
                "\x1bM",
            ]
        ),
    ),
    max_size=30,
)
BYTES = st.one_of(PIECES.map(lambda pieces: "".join(pieces).encode()), st.binary(max_size=400))


def captured(chunks: list[bytes], keep: Keep) -> Captured:
    buffer = OutputBuffer(keep)
    for chunk in chunks:
        buffer.feed(chunk)
    return buffer.finish()


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


@given(BYTES, st.lists(st.integers(0, 10_000), max_size=12), st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=300)
def test_what_is_kept_does_not_depend_on_how_the_bytes_came(data: bytes, cuts: list[int], head: int, tail: int) -> None:
    keep = Keep(head, tail)
    assert captured(split(data, cuts), keep) == captured([data], keep)


@given(BYTES, st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=300)
def test_counts_are_true_and_nothing_is_lost_or_doubled(data: bytes, head: int, tail: int) -> None:
    whole = captured([data], Keep(10_000, 10_000))
    part = captured([data], Keep(head, tail))
    assert part.bytes == whole.bytes == len(data)
    assert part.lines == whole.lines == len(whole.text.split("\n")) - whole.text.endswith("\n") - (not whole.text)
    kept = len(part.head.encode()) + len(part.tail.encode())
    if not part.gap_bytes:
        assert part.text == whole.text
        return
    assert kept <= head + tail
    assert whole.text.startswith(part.head)
    assert whole.text.endswith(part.tail)
    assert kept + part.gap_bytes == len(whole.text.encode())
    gap = whole.text.encode()[len(part.head.encode()) :][: part.gap_bytes]
    assert part.gap_lines == gap.count(b"\n")


@given(BYTES)
def test_no_control_character_is_left(data: bytes) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", captured([data], Keep()).text)


def test_the_text_is_what_a_person_would_read() -> None:
    said = b"\x1b[1;32mok\x1b[0m \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\\r\n10%\r100%\n\x1b(Bend\x07"
    assert captured([said], Keep()).text == "ok link\n10%\n100%\nend"


def test_plain_text_comes_out_as_soon_as_it_is_certain() -> None:
    plain = PlainText()
    assert plain.feed("ab\x1b[3") == "ab"
    assert plain.feed("1mred") == "red"


def test_long_output_keeps_whole_lines_of_both_ends_and_says_what_is_missing() -> None:
    lines = [f"line {number}\n" for number in range(1, 100_001)]
    part = captured(["".join(lines).encode()], Keep(1_000, 500))
    missing = re.fullmatch(r"(.*\n)\[([\d,]+) lines, ([\d,]+) bytes left out\]\n(.*)", part.text, re.DOTALL)
    assert missing is not None
    head, count, size, tail = missing.groups()
    shown = (head + tail).splitlines(keepends=True)
    assert shown == lines[: len(head.splitlines())] + lines[-len(tail.splitlines()) :]
    assert int(count.replace(",", "")) == 100_000 - len(shown)
    assert int(size.replace(",", "")) == sum(map(len, lines)) - len("".join(shown))
    assert part.lines == 100_000


def test_one_endless_line_is_cut_inside_with_its_bytes_counted() -> None:
    part = captured([b"x" * 50_000, b"y" * 50_000], Keep(100, 200))
    assert part.text == "x" * 100 + "\n[99,700 bytes left out]\n" + "y" * 200
    assert part.lines == 1


def test_characters_are_not_cut_in_half() -> None:
    part = captured(["ä".encode() * 1000], Keep(101, 101))
    assert part.head == "ä" * 50
    assert part.tail == "ä" * 50
    assert part.gap_bytes == 1800


def test_memory_does_not_grow_with_the_output() -> None:
    buffer = OutputBuffer(Keep(1_000, 1_000))
    for _ in range(500):
        buffer.feed(b"z" * 65_536)
    held = vars(buffer)
    assert len(held["_head"]) + len(held["_tail"]) < 100_000
    assert buffer.finish().bytes == 500 * 65_536


def test_the_log_holds_every_byte_as_it_came(tmp_path: Path) -> None:
    log = tmp_path / "log"
    chunks = [b"\x1b[31mred\xff\n"] * 50
    part = captured(chunks, Keep(50, 50, log))
    assert log.read_bytes() == b"".join(chunks)
    assert part.log == log
    assert part.log_bytes == part.bytes
    assert f"all of it in {log}]" in part.text


def test_there_is_no_log_if_nothing_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    coloured = b"\x1b[31m\x1b[0m" * 100  # much to log, nothing to read
    part = captured([coloured, b"short"], Keep(50, 50, log))
    assert part.text == "short"
    assert part.log is None
    assert not log.exists()


def test_a_log_that_can_not_be_written_does_no_harm(tmp_path: Path) -> None:
    part = captured([b"x" * 1000], Keep(50, 50, tmp_path / "missing" / "log"))
    assert part.log is None
    assert "[900 bytes left out]" in part.text
