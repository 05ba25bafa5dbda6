"""Paths of pictures, as terminals paste and drop them."""

import os
import struct
from pathlib import Path
from shlex import quote

import pytest

from panto.tui.writing.pictures import MOST_BYTES, NoPictureError, picture_paths, read_pictures

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 3, 2) + b"\x08\x02\x00\x00\x00"


@pytest.mark.parametrize(
    ("pasted", "paths"),
    [
        ("/tmp/shot.png", ["/tmp/shot.png"]),
        ("'/tmp/my shot.PNG' ", ["/tmp/my shot.PNG"]),
        ("/tmp/my\\ shot.jpeg", ["/tmp/my shot.jpeg"]),
        ("file:///tmp/my%20shot.webp\n", ["/tmp/my shot.webp"]),
        ('"/tmp/a.gif" /tmp/b.jpg', ["/tmp/a.gif", "/tmp/b.jpg"]),
        ("shot.png", []),
        ("look at /tmp/shot.png", []),
        ("/tmp/shot.png please", []),
        ("/tmp/notes.txt", []),
        ("'/tmp/shot.png", []),
        ("https://example.com/shot.png", []),
        ("", []),
    ],
)
def test_paths(pasted: str, paths: list[str]) -> None:
    assert picture_paths(pasted) == paths


def test_a_path_with_blanks_as_it_is_if_there_is_such_a_file(tmp_path: Path) -> None:
    file = tmp_path / "Screenshot 1 at 10.00.png"
    assert picture_paths(str(file)) == []
    file.write_bytes(PNG)
    assert picture_paths(str(file)) == [str(file)]
    assert picture_paths(quote(str(file))) == [str(file)]


def test_a_picture_is_what_its_bytes_say(tmp_path: Path) -> None:
    file = tmp_path / "really.jpg"
    file.write_bytes(PNG)
    (picture,) = read_pictures([str(file)])
    assert (picture.name, picture.image.media_type, picture.image.data) == ("really.jpg", "image/png", PNG)


def test_what_is_none_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    with (tmp_path / "big.png").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    os.mkfifo(tmp_path / "pipe.png")
    for name, told in (
        ("text.png", "no picture that models can be shown"),
        ("big.png", "too large to attach: 3.9 MB, at most 3.9 MB"),
        ("pipe.png", "is not a file"),
        ("gone\x1b[2J.png", "can't be read: No such file"),
    ):
        with pytest.raises(NoPictureError, match=told) as caught:
            read_pictures([str(tmp_path / name)])
        assert "\x1b" not in str(caught.value)
