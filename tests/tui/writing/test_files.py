"""What is written is kept: by several programs at once, bounded, for no one else to read, and over a crash."""

import multiprocessing
from pathlib import Path

import pytest

from panto.tui.writing import history_file
from panto.tui.writing.draft_file import open_draft
from panto.tui.writing.history_file import append_history, read_history
from panto.tui.writing.keeper import Keeper
from panto.tui.writing.written import Written


def _append_many(file: Path, name: str) -> None:
    for number in range(50):
        append_history(file, Written(f"{name} {number}"))


def test_several_programs_add_to_one_file(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    context = multiprocessing.get_context("spawn")
    programs = [context.Process(target=_append_many, args=(file, name)) for name in ("a", "b", "c")]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    texts = [written.text for written in read_history(file)]
    assert sorted(texts) == sorted(f"{name} {number}" for name in "abc" for number in range(50))
    assert [text for text in texts if text.startswith("a")] == [f"a {number}" for number in range(50)]
    assert file.stat().st_mode & 0o777 == 0o600


def test_half_a_line_spoils_no_other(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    append_history(file, Written("first"))
    with file.open("ab") as opened:
        opened.write(b'{"text": "ha')
    append_history(file, Written("last"))
    assert [written.text for written in read_history(file)] == ["first", "last"]


def test_the_file_is_bounded_and_its_end_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "history.jsonl"
    monkeypatch.setattr(history_file, "MOST_BYTES", 4_000)
    for number in range(300):
        append_history(file, Written(f"text {number}"))
        assert file.stat().st_size < 5_000
    assert read_history(file)[-1] == Written("text 299")
    monkeypatch.setattr(history_file, "MOST_ENTRIES", 8)
    for number in range(30):
        append_history(file, Written(f"more {number}"))
        assert len(file.read_bytes().splitlines()) <= 11
    assert read_history(file)[-1] == Written("more 29")


def test_a_text_that_is_far_too_long_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    append_history(file, Written("x" * history_file.LONGEST))
    assert read_history(file) == []


def test_a_draft_is_taken_up_by_the_next_program_and_by_one_only(tmp_path: Path) -> None:
    first = open_draft(tmp_path)
    assert first is not None
    first.write(Written("half a thought"))
    second = open_draft(tmp_path)
    assert second is not None
    assert second.found == Written()
    second.write(Written("another"))
    first.close()
    third = open_draft(tmp_path)
    assert third is not None
    assert third.found == Written("half a thought")
    third.write(Written())
    third.close()
    second.close()
    fourth = open_draft(tmp_path)
    assert fourth is not None
    assert fourth.found == Written("another")
    fourth.close()


async def test_the_keeper_writes_in_order_and_all_of_it(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "prompts"
    keeper = Keeper(directory)
    opened = keeper.open()
    keeper.remember(Written("one"))
    for number in range(20):
        keeper.keep_draft(Written(f"draft {number}"))
    keeper.remember(Written("two"))
    assert await opened == ([], Written())
    await keeper.close()
    keeper.remember(Written("too late"))
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o077 for file in directory.glob("*.json*") if file.suffix != ".lock"} == {0}
    again = Keeper(directory)
    assert await again.open() == ([Written("one"), Written("two")], Written("draft 19"))
    again.keep_draft(Written("  "))
    await again.close()
    last = Keeper(directory)
    assert await last.open() == ([Written("one"), Written("two")], Written())
    await last.close()


async def test_a_file_where_the_directory_should_be_is_no_fault_of_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "prompts").write_text("")
    keeper = Keeper(tmp_path / "prompts")
    assert await keeper.open() == ([], Written())
    keeper.remember(Written("x"))
    keeper.keep_draft(Written("y"))
    await keeper.close()
