"""Command lines for the user's shell: which one, and in what environment."""

from pathlib import Path

from panto.process.shell import quiet, shell_program


def test_nothing_pages() -> None:
    assert quiet({"PAGER": "less", "A": "b", "FORCE_COLOR": "1"}).items() >= {"PAGER": "cat", "A": "b"}.items()
    assert "FORCE_COLOR" not in quiet({"FORCE_COLOR": "1"})


def program(directory: Path, name: str) -> str:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_which_shell(tmp_path: Path) -> None:
    zsh, fish = program(tmp_path / "own", "zsh"), program(tmp_path / "own", "fish")
    bash, sh = program(tmp_path / "both", "bash"), program(tmp_path / "both", "sh")
    only_sh = program(tmp_path / "one", "sh")
    both = str(tmp_path / "both")
    assert shell_program({"SHELL": zsh, "PATH": both}) == zsh
    assert shell_program({"SHELL": fish, "PATH": both}) == bash
    assert shell_program({"SHELL": "/gone/zsh", "PATH": both}) == bash
    assert shell_program({"SHELL": fish, "PATH": str(tmp_path / "one")}) == only_sh
    assert shell_program({"PATH": str(tmp_path)}) == "/bin/sh"
    assert sh
