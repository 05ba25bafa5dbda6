"""Listing files: what is ignored is left out, links are not followed, and a home directory is nobody's project."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from panto.tui.files.listing import Listing, in_repository, list_files


def made(root: Path, *paths: str) -> None:
    """Files below a directory."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


async def listed(root: Path, *, hidden: bool = False) -> set[str]:
    """All paths that are found."""
    listing = Listing()
    async with asyncio.timeout(60):
        await list_files(root, listing, hidden=hidden)
    assert listing.done
    return {path for chunk in listing.chunks for path in chunk.paths.splitlines()}


async def test_in_a_repository_what_is_ignored_is_left_out(home: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    made(tmp_path, "a.py", "src/b.py", "build/c.o", ".env", ".github/ci.yml")
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "src/loop").symlink_to(tmp_path)
    assert home.is_dir()
    assert await listed(tmp_path) == {"a.py", "src/", "src/b.py", "src/loop"}
    assert {".env", ".github/ci.yml", ".github/"} <= await listed(tmp_path, hidden=True)


async def test_outside_of_one_only_some_levels_are_listed(tmp_path: Path) -> None:
    made(tmp_path, "a/b/c/near.txt", "a/b/c/d/e/f/far.txt")
    found = await listed(tmp_path)
    assert "a/b/c/near.txt" in found
    assert "a/b/c/d/e/f/far.txt" not in found


async def test_without_programs_that_can_it_is_done_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, "a/b.txt", ".hidden/c.txt")
    (tmp_path / "a/loop").symlink_to(tmp_path)

    def nothing(_program: str, path: str | None = None) -> None:
        del path

    monkeypatch.setattr("shutil.which", nothing)
    assert await listed(tmp_path) == {"a/", "a/b.txt", "a/loop"}


async def test_names_that_can_t_be_typed_are_left_out(tmp_path: Path) -> None:
    made(tmp_path, "good.txt", "e\x1b[31mvil.txt", "two\nlines.txt")
    (tmp_path / os.fsdecode(b"bad\xff.txt")).write_text("")
    assert await listed(tmp_path) == {"good.txt"}


async def test_cancelling_ends_it(tmp_path: Path) -> None:
    made(tmp_path, *(f"d{number}/f.txt" for number in range(200)))
    listing = Listing()
    task = asyncio.create_task(list_files(tmp_path, listing, hidden=False))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert listing.done


def test_a_home_directory_is_no_repository_even_if_git_keeps_it(home: Path) -> None:
    (home / ".git").mkdir()
    project = home / "src/shop"
    (project / ".git").mkdir(parents=True)
    assert in_repository(project)
    assert in_repository(project / "deep")
    assert not in_repository(home / "other")
    assert not in_repository(home)
