"""The file of favourite and recent models: kept in one step, bounded, and ignored where it is broken."""

import logging
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from panto.favourites import (
    MOST_FAVOURITES,
    MOST_RECENT,
    Favourites,
    add_recent,
    read_favourites,
    toggle_favourite,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where it is; the directory is not there yet."""
    return tmp_path / "state/models.json"


def test_marks_come_and_go_and_stay_on_the_disk(file: Path) -> None:
    assert read_favourites(file) == Favourites()
    toggle_favourite(file, "a/one")
    assert toggle_favourite(file, "b/two") == Favourites(("b/two", "a/one"))
    assert read_favourites(file) == Favourites(("b/two", "a/one"))
    assert toggle_favourite(file, "b/two") == Favourites(("a/one",))
    assert read_favourites(file) == Favourites(("a/one",))


def test_the_latest_choice_comes_first_and_once(file: Path) -> None:
    toggle_favourite(file, "a/one")
    for name in ("a/one", "b/two", "a/one"):
        add_recent(file, name)
    assert read_favourites(file) == Favourites(("a/one",), ("a/one", "b/two"))


def test_there_are_never_too_many(file: Path) -> None:
    for number in range(MOST_RECENT + 3):
        add_recent(file, f"a/{number}")
    recent = read_favourites(file).recent
    assert (len(recent), recent[0]) == (MOST_RECENT, f"a/{MOST_RECENT + 2}")
    names = ",".join(f'"a/{number}"' for number in range(MOST_FAVOURITES + 50))
    file.write_text(f'{{"favourites": [{names}], "recent": ["{"x" * 5_000}", ""]}}')
    found = read_favourites(file)
    assert (len(found.favourites), found.recent) == (MOST_FAVOURITES, ())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"favourites": 7}', b"\xff\xfe", b"[" * 300_000, b"[" * 9_000])
def test_a_broken_file_is_ignored_with_a_line_in_the_log_and_then_replaced(
    file: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert read_favourites(file) == Favourites()
    assert f"{file} is ignored" in caplog.text
    add_recent(file, "a/one")
    assert read_favourites(file) == Favourites((), ("a/one",))


def test_what_cannot_be_written_is_logged_and_holds_for_now(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        assert add_recent(tmp_path / "state/models.json", "a/one") == Favourites((), ("a/one",))
    assert "is not written" in caplog.text


def test_nothing_is_left_beside_it(file: Path) -> None:
    toggle_favourite(file, "a/one")
    add_recent(file, "half a surrogate \ud800")
    assert [found.name for found in file.parent.iterdir()] == [file.name]
    assert read_favourites(file) == Favourites(("a/one",))


@given(st.binary(max_size=200))
def test_no_content_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("state") / "models.json"
    file.write_bytes(content)
    read_favourites(file)
