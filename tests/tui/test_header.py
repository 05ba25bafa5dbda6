"""The line on top, and the state of the work tree that it shows."""

import subprocess
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from panto.tui.header import GitState, Header, git_state, short_directory


def git(project: Path, *arguments: str) -> None:
    """Run git with a name of its own."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)


async def test_a_directory_that_is_no_repository_has_no_state(tmp_path: Path) -> None:
    assert await git_state(tmp_path) is None


async def test_the_branch_and_the_changed_files_are_counted(tmp_path: Path) -> None:
    git(tmp_path, "init")
    assert await git_state(tmp_path) == GitState("main", 0)
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-m", "a")
    (tmp_path / "a").write_text("b")
    (tmp_path / "new").write_text("n")
    state = await git_state(tmp_path)
    assert state == GitState("main", 2)
    assert str(state) == "main +2"


async def test_a_repository_cannot_have_a_program_run(tmp_path: Path) -> None:
    git(tmp_path, "init")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(trap))
    assert await git_state(tmp_path) is not None
    assert not (tmp_path / "sprung").exists()


async def test_without_git_there_is_no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await git_state(tmp_path) is None


def test_the_home_directory_is_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert short_directory(tmp_path / "src/shop") == "~/src/shop"
    assert short_directory(tmp_path) == "~"
    assert short_directory(Path("/srv")) == "/srv"


class _Top(App[None]):
    def compose(self) -> ComposeResult:
        yield Header()


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (40, "~/src/shop  main +2              model/x"),
        (30, "~/src/shop  main +2    model/x"),
        (26, "~/src/shop         model/x"),
        (15, "~/src/shop     "),
        (6, "~/src…"),
    ],
)
async def test_what_does_not_fit_is_left_out_by_priority(width: int, shown: str) -> None:
    app = _Top()
    async with app.run_test(size=(width, 3)):
        header = app.query_one(Header)
        header.directory, header.git, header.model = "~/src/shop", GitState("main", 2), "model/x"
        assert header.render().plain == shown


async def test_a_hostile_branch_name_is_only_shown() -> None:
    app = _Top()
    async with app.run_test(size=(60, 3)):
        header = app.query_one(Header)
        header.directory, header.git = "~", GitState("[red]x\x1b[2J", 0)
        assert "[red]x␛[2J" in header.render().plain
