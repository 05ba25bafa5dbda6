"""The list of files that come with a skill."""

import os
from pathlib import Path

import pytest

from panto_agent.skill import _bundle
from panto_agent.skill._bundle import MAX_LISTED, MAX_SEEN, bundled


def test_files_are_listed_by_path_with_their_sizes(tmp_path: Path) -> None:
    for path in (
        "b/z.md",
        "b/a.md",
        "a.txt",
        "SKILL.md",
        "deep/SKILL.md",
        ".git/config",
        "x/node_modules/y.js",
        ".dot",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("12345")
    assert bundled(tmp_path) == [
        "- .dot (5 bytes)",
        "- a.txt (5 bytes)",
        "- b/a.md (5 bytes)",
        "- b/z.md (5 bytes)",
        "- deep/SKILL.md (5 bytes)",
    ]


def test_links_out_of_the_skill_loops_and_what_is_no_file_are_left_out(tmp_path: Path) -> None:
    own = tmp_path / "skill"
    (own / "sub").mkdir(parents=True)
    (own / "sub/in.md").write_text("12345")
    (tmp_path / "secret").write_text("x")
    (tmp_path / "skill-secret").write_text("x")
    (own / "inside").symlink_to("sub/in.md")
    for name, target in {
        "out": "../secret",
        "near": "../skill-secret",
        "absolute": str(tmp_path / "secret"),
        "up": "..",
        "self": ".",
        "loop": "loop",
        "gone": "nowhere",
        "linked-directory": "sub",
    }.items():
        (own / name).symlink_to(target)
    os.mkfifo(own / "pipe")
    expected = ["- inside (5 bytes)", "- sub/in.md (5 bytes)"]
    assert bundled(own) == expected
    (tmp_path / "link").symlink_to("skill")
    assert bundled(tmp_path / "link") == expected


def test_odd_names_make_one_line_each(tmp_path: Path) -> None:
    (tmp_path / "a\n- b\x1b[31m").write_text("1")
    (tmp_path / os.fsdecode(b"\xff")).write_text("1")
    assert bundled(tmp_path) == ["- a\\n- b\\x1b[31m (1 bytes)"]


def test_of_many_files_some_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    for number in range(MAX_LISTED + 7):
        (tmp_path / f"{number:04}").touch()
    lines = bundled(tmp_path)
    assert len(lines) == MAX_LISTED + 1
    assert lines[-1] == "- … and 7 more"


def test_the_walk_ends_somewhere_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MAX_SEEN + 1):
        (tmp_path / f"{number}").touch()
    looked_at = 0
    real = _bundle.is_text_name

    def counting(name: str) -> bool:
        nonlocal looked_at
        looked_at += 1
        return real(name)

    monkeypatch.setattr(_bundle, "is_text_name", counting)
    lines = bundled(tmp_path)
    assert looked_at == MAX_SEEN
    assert lines[-1] == f"- … and at least {MAX_SEEN - MAX_LISTED} more"


def test_directories_without_files_end_the_walk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bundle, "MAX_SEEN", 10)
    for number in range(20):
        (tmp_path / f"{number}/inner").mkdir(parents=True)
    assert bundled(tmp_path) == ["- … and more"]


def test_what_is_gone_meanwhile_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / name).write_text("1")
    (tmp_path / "link").symlink_to("c")
    real = os.path.realpath

    def vanishing(path: str) -> str:
        (tmp_path / "b").unlink(missing_ok=True)
        return real(path)

    monkeypatch.setattr(_bundle.os.path, "realpath", vanishing)
    assert bundled(tmp_path) == ["- a (1 bytes)", "- c (1 bytes)", "- link (1 bytes)"]
    monkeypatch.undo()
    assert bundled(tmp_path / "nowhere") == []
