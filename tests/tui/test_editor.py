"""The editor: how it is told where to go, what is opened, and what is not."""

import os
from pathlib import Path

import pytest

from panto.tui.editor import FORMS, EditorError, editor_command, file_within, start_apart

FILE = Path("/project/-a b.py")


def stub(directory: Path, name: str, script: str = "exit 0") -> Path:
    """A program of some name."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def argv(directory: Path, editor: str, **more: str) -> tuple[list[str], bool]:
    """What is started for an editor, without the directory, and whether it takes the terminal."""
    stub(directory, editor.split(maxsplit=1)[0])
    command = editor_command({"EDITOR": editor, "PATH": str(directory), **more}, FILE, 12, 3)
    return [Path(command.argv[0]).name, *command.argv[1:]], command.in_terminal


@pytest.mark.parametrize(
    ("editor", "arguments", "in_terminal"),
    [
        ("vim", ["+call cursor(12,3)", str(FILE)], True),
        ("nvim", ["+call cursor(12,3)", str(FILE)], True),
        ("vi", ["+12", str(FILE)], True),
        ("nano", ["+12,3", str(FILE)], True),
        ("emacs", ["+12:3", str(FILE)], True),
        ("emacs -nw", ["-nw", "+12:3", str(FILE)], True),
        ("emacsclient", ["+12:3", str(FILE)], False),
        ("emacsclient -t", ["-t", "+12:3", str(FILE)], True),
        ("hx", [f"{FILE}:12:3"], True),
        ("helix", [f"{FILE}:12:3"], True),
        ("micro", ["+12:3", str(FILE)], True),
        ("code", ["--goto", f"{FILE}:12:3"], False),
        ("code --wait", ["--wait", "--goto", f"{FILE}:12:3"], False),
        ("codium", ["--goto", f"{FILE}:12:3"], False),
        ("cursor", ["--goto", f"{FILE}:12:3"], False),
        ("subl", [f"{FILE}:12:3"], False),
        ("zed", [f"{FILE}:12:3"], False),
        ("idea", ["--line", "12", str(FILE)], False),
        ("kate", ["--line", "12", "--column", "3", str(FILE)], False),
        ("gedit", ["+12", str(FILE)], False),
        ("never-heard-of", [str(FILE)], True),
        ("vim -c 'set nu'", ["-c", "set nu", "+call cursor(12,3)", str(FILE)], True),
    ],
)
def test_every_editor_is_told_in_its_own_way(
    tmp_path: Path, editor: str, arguments: list[str], in_terminal: bool
) -> None:
    assert argv(tmp_path, editor) == ([editor.split(maxsplit=1)[0], *arguments], in_terminal)


def test_emacs_has_a_window_where_there_is_a_display(tmp_path: Path) -> None:
    assert argv(tmp_path, "emacs", DISPLAY=":0")[1] is False
    assert argv(tmp_path, "emacs -nw", DISPLAY=":0")[1] is True


@pytest.mark.parametrize("editor", sorted(FORMS))
def test_without_a_line_it_is_the_path_alone(tmp_path: Path, editor: str) -> None:
    program = stub(tmp_path, editor)
    assert editor_command({"EDITOR": str(program)}, FILE).argv == [str(program), str(FILE)]


def test_visual_comes_before_editor(tmp_path: Path) -> None:
    vi, nano = stub(tmp_path, "vi"), stub(tmp_path, "nano")
    environment = {"VISUAL": str(vi), "EDITOR": str(nano)}
    assert editor_command(environment, FILE).argv[0] == str(vi)
    assert editor_command({**environment, "VISUAL": " "}, FILE).argv[0] == str(nano)


@pytest.mark.parametrize(
    ("environment", "message", "hint"),
    [
        ({}, "no editor is set", "EDITOR"),
        ({"EDITOR": "vim 'x"}, "EDITOR can't be read", "quote"),
        ({"VISUAL": "not-there --x"}, "the editor in VISUAL is not there: not-there", "installed"),
        ({"EDITOR": "''"}, "the editor in EDITOR is not there", "installed"),
    ],
)
def test_what_is_wrong_with_the_setting_is_told(environment: dict[str, str], message: str, hint: str) -> None:
    with pytest.raises(EditorError, match=message) as caught:
        editor_command({"PATH": "/nowhere", **environment}, FILE)
    assert hint in caught.value.hint


def test_only_files_of_the_project_are_opened(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    for name in ("-x.py", "a b.py"):
        (project / name).write_text("")
        assert file_within(project, name) == (project / name).resolve()
    assert file_within(project, str(project / "-x.py")) == (project / "-x.py").resolve()
    secret = tmp_path / "secret"
    secret.write_text("")
    (project / "link").symlink_to(secret)
    os.mkfifo(project / "pipe")
    (project / "round").symlink_to("round")
    for name in ("../secret", str(secret), "link", "/etc/passwd"):
        with pytest.raises(EditorError, match="outside of the project"):
            file_within(project, name)
    for name in ("pipe", ".", "none.py", "nul\0", "round", "x" * 5000, "\ud800"):
        with pytest.raises(EditorError, match="no such file"):
            file_within(project, name)


def test_a_path_may_have_the_side_of_a_diff_in_front(tmp_path: Path) -> None:
    for name in ("x.py", "b/y.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert file_within(tmp_path, "a/x.py") == (tmp_path / "x.py").resolve()
    assert file_within(tmp_path, "b/y.py") == (tmp_path / "b/y.py").resolve()
    for name in ("a/../../etc/passwd", "b//etc/passwd"):
        with pytest.raises(EditorError):
            file_within(tmp_path, name)


def test_a_program_with_a_window_is_not_waited_for(tmp_path: Path) -> None:
    fifo = tmp_path / "end"
    os.mkfifo(fifo)
    assert start_apart([str(stub(tmp_path, "window", f"read x < '{fifo}'"))]) == 0
    fifo.write_text("over\n")


def test_how_it_fails_at_once_is_told(tmp_path: Path) -> None:
    assert start_apart([str(stub(tmp_path, "broken", "exit 3"))]) == 3
    with pytest.raises(EditorError, match="can't be started"):
        start_apart([str(tmp_path / "nothing")])
