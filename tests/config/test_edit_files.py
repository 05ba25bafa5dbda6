"""A settings file is written whole or not at all, where it should be, and over nobody's work."""

import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from panto.config import edit
from panto.config.edit import EditError, set_key, update_key
from panto.config.rewrite import Setting
from panto.config.source import MAX_BYTES, TomlValue
from tests.config.layers import TEXT
from tests.config.test_edit import refusal


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664])
def test_the_mode_stays_and_is_the_backups_too(file: Path, mode: int) -> None:
    file.chmod(mode)
    set_key(file, ("mode",), "ask")

    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert stat.S_IMODE((file.parent / "config.toml.bak").stat().st_mode) == mode


def test_a_link_stays_one_and_what_it_leads_to_is_changed(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "home/config.toml"
    link.parent.mkdir()
    link.symlink_to("../config.toml")
    set_key(link, ("mode",), "ask")

    assert link.is_symlink()
    assert file.read_text() == TEXT.replace('"plan"', '"ask"')
    assert (link.parent / "config.toml.bak").read_text() == TEXT


def test_a_link_that_leads_nowhere_yet_gets_its_file(tmp_path: Path) -> None:
    link = tmp_path / "config.toml"
    link.symlink_to("dotfiles/panto/config.toml")
    set_key(link, ("mode",), "ask")

    assert link.is_symlink()
    assert link.read_text() == 'mode = "ask"\n'


def test_a_link_out_of_a_project_is_not_followed(file: Path, tmp_path: Path) -> None:
    project = tmp_path / "project/.panto"
    project.mkdir(parents=True)
    (project / "config.toml").symlink_to(file)

    assert "leads out of" in refusal(project / "config.toml", ("mode",), "ask", within=project.parent)
    assert file.read_text() == TEXT


def test_nor_is_a_directory_that_is_one(file: Path, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.panto").symlink_to(file.parent)

    assert "leads out of" in refusal(tmp_path / "project/.panto/config.toml", ("mode",), "ask", tmp_path / "project")


def test_a_link_within_a_project_is(tmp_path: Path) -> None:
    (tmp_path / ".panto").mkdir()
    (tmp_path / ".panto/config.toml").symlink_to("../panto.toml")
    set_key(tmp_path / ".panto/config.toml", ("mode",), "ask", within=tmp_path)

    assert (tmp_path / "panto.toml").read_text() == 'mode = "ask"\n'


def test_a_file_does_not_grow_beyond_what_is_read(file: Path) -> None:
    file.write_text("#" * (MAX_BYTES - 5))

    assert refusal(file, ("mode",), "ask") == f"the file would be larger than {MAX_BYTES} bytes"


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_is_not_written_over(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "config.toml")

    assert refusal(tmp_path / "config.toml", ("mode",), "ask") == "it is not a regular file"


def test_a_loop_of_links_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to("config.toml")

    assert "symbolic links" in refusal(tmp_path / "config.toml", ("mode",), "ask")


def test_a_write_that_fails_leaves_the_file_and_no_rest(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    assert refusal(file, ("mode",), "ask") == "No space left on device"


def test_a_change_that_another_program_makes_meanwhile_is_not_lost(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite = edit.with_value
    others = ["theme = 'theirs'\n", "theme = 'theirs'\nmodel = 'a/b'\n"]

    def interrupted(text: str, key: tuple[str, ...], value: Setting) -> str:
        changed = rewrite(text, key, value)
        if others:
            file.write_text(others.pop(0))
        return changed

    monkeypatch.setattr(edit, "with_value", interrupted)

    assert set_key(file, ("mode",), "ask") is True
    assert tomllib.loads(file.read_text()) == {"theme": "theirs", "model": "a/b", "mode": "ask"}


def test_a_change_begins_again_with_what_another_program_wrote(file: Path) -> None:
    def add(present: "TomlValue | None") -> list[str]:
        if present == ["mcp.*"]:
            file.write_text('extensions.deny = ["theirs"]\n')
        return [*map(str, present), "ours"] if isinstance(present, list) else []

    assert update_key(file, ("extensions", "deny"), add)
    assert tomllib.loads(file.read_text()) == {"extensions": {"deny": ["theirs", "ours"]}}


def test_a_file_that_never_rests_is_given_up(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite = edit.with_value

    def interrupted(text: str, key: tuple[str, ...], value: Setting) -> str:
        file.write_text(f"{text}# again\n")
        return rewrite(text, key, value)

    monkeypatch.setattr(edit, "with_value", interrupted)

    with pytest.raises(EditError, match="keep writing"):
        set_key(file, ("mode",), "ask")
    assert tomllib.loads(file.read_text())["mode"] == "plan"
