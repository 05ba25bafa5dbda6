"""The clipboard: the terminal is asked, and whatever else there is; a text that goes nowhere is told of."""

import base64
import os
from pathlib import Path

import pytest

from panto.tui import clipboard
from panto.tui.clipboard import LONGEST_SEQUENCE, copy, sequence, ways


def program(directory: Path, name: str, body: str) -> Path:
    """Puts a program of that name where programs are looked for."""
    file = directory / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No desktop, no tmux, and a directory for programs in front of the usual ones."""
    for name in ("TMUX", "WAYLAND_DISPLAY", "DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def test_the_sequence_holds_the_text_as_utf_8() -> None:
    text = "日本 \x1b[31m\n"
    encoded = sequence(text).removeprefix("\x1b]52;c;").removesuffix("\x07")
    assert base64.b64decode(encoded).decode() == text
    assert sequence("\ud800").startswith("\x1b]52;c;")
    assert sequence("x" * LONGEST_SEQUENCE) == ""


async def test_the_terminal_is_asked(bare: Path) -> None:
    written: list[str] = []
    assert await copy("hello", written.append) == ""
    assert written == [sequence("hello")]
    assert bare.is_dir()


async def test_a_text_that_is_too_long_for_everything_is_told_of(bare: Path) -> None:
    written: list[str] = []
    assert "too long" in await copy("x" * LONGEST_SEQUENCE, written.append)
    assert written == []
    assert bare.is_dir()


async def test_the_desktop_gets_any_length(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = bare / "taken"
    program(bare, "wl-copy", f"cat > {taken}")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    text = "é" * LONGEST_SEQUENCE
    assert await copy(text, lambda _: None) == ""
    assert taken.read_text(encoding="utf-8") == text


async def test_a_program_that_fails_or_hangs_is_done_without(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare, "xclip", "exec sleep 60")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(clipboard, "_SECONDS", 0.01)
    assert "too long" in await copy("x" * LONGEST_SEQUENCE, lambda _: None)
    program(bare, "xclip", "exit 1")
    assert await copy("short", lambda _: None) == ""


def test_tmux_and_one_of_the_desktop_s_are_tried(bare: Path) -> None:
    for name in ("tmux", "wl-copy", "xclip", "xsel", "pbcopy"):
        program(bare, name, "")
    everything = {"TMUX": "x", "WAYLAND_DISPLAY": "x", "DISPLAY": "x"}
    assert [way.command[0] for way in ways(everything, "linux")] == ["tmux", "wl-copy"]
    assert [way.command[0] for way in ways({"DISPLAY": ":0"}, "linux")] == ["xclip"]
    assert [way.command[0] for way in ways({}, "darwin")] == ["pbcopy"]
    assert list(ways({}, "linux")) == []
