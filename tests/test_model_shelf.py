"""Favourite models and those chosen last are kept, whatever else is in the file and whoever else writes it."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from panto.model_shelf import MOST_FAVOURITES, MOST_RECENT, Shelf, change_shelf, read_shelf

NAMES = st.sampled_from([f"p/m{number}" for number in range(30)])


@given(st.lists(st.tuples(st.booleans(), NAMES), max_size=60))
def test_what_is_kept(steps: list[tuple[bool, str]]) -> None:
    shelf, favourites, recent = Shelf(), list[str](), list[str]()
    for favour, name in steps:
        shelf = shelf.toggled(name) if favour else shelf.chosen(name)
        where = favourites if favour else recent
        known = name in where
        if known:
            where.remove(name)
        if favour and not known:
            favourites.append(name)
        elif not favour:
            recent.insert(0, name)
    assert shelf == Shelf(tuple(favourites), tuple(recent[:MOST_RECENT]))


def test_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "deep/models.json"
    assert read_shelf(file) == Shelf()
    assert change_shelf(file, lambda shelf: shelf.toggled("a/b").chosen("c/d/e")) == Shelf(("a/b",), ("c/d/e",))
    assert read_shelf(file) == Shelf(("a/b",), ("c/d/e",))
    assert change_shelf(file, lambda shelf: shelf.toggled("a/b")).favourites == ()
    assert (file.stat().st_mode & 0o777) == 0o600


def test_favourites_have_an_end() -> None:
    shelf = Shelf()
    for number in range(MOST_FAVOURITES + 5):
        shelf = shelf.toggled(f"p/{number}")
    assert len(shelf.favourites) == MOST_FAVOURITES
    assert shelf.favourites[-1] == f"p/{MOST_FAVOURITES + 4}"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"null",
        b'{"favourites": 1, "recent": {"a": 1}}',
        b"\xff\xfe",
        json.dumps({"favourites": [1, None, "nameless", "p/\x1b[31m", "p/" + "x" * 1000], "recent": [[]]}).encode(),
    ],
)
def test_junk_is_as_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "models.json"
    file.write_bytes(content)
    assert read_shelf(file) == Shelf()
    assert change_shelf(file, lambda shelf: shelf.chosen("a/b")) == Shelf((), ("a/b",))
    assert read_shelf(file) == Shelf((), ("a/b",))


def test_what_can_be_read_among_junk_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_text('{"favourites": [1, "a/b", "nameless", "a/b"], "recent": ["c/d", null], "later": true}')
    assert read_shelf(file) == Shelf(("a/b",), ("c/d",))


def test_a_broken_file_is_put_aside_to_be_mended(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    broken = b'{"favourites": ["a/b",]}'
    file.write_bytes(broken)
    change_shelf(file, lambda shelf: shelf.chosen("c/d"))
    assert (tmp_path / "models.json.broken").read_bytes() == broken
    change_shelf(file, lambda shelf: shelf.chosen("e/f"))
    assert (tmp_path / "models.json.broken").read_bytes() == broken


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["a/b", "c/d\x1b", "/"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["favourites", "recent"]), inner),
    max_leaves=30,
)


@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()), NAMES)
def test_whatever_the_file_holds_it_is_read_and_changed(content: bytes, name: str) -> None:
    with TemporaryDirectory() as directory:
        file = Path(directory) / "models.json"
        file.write_bytes(content)
        before = read_shelf(file)
        after = change_shelf(file, lambda shelf: shelf.toggled(name).chosen(name))
        assert after == before.toggled(name).chosen(name) == read_shelf(file)
        assert all("/" in kept and kept.isprintable() for kept in (*after.favourites, *after.recent))


def test_a_directory_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "models.json/x").mkdir(parents=True)
    assert read_shelf(tmp_path / "models.json") == Shelf()
    with pytest.raises(OSError, match=r"models\.json"):
        change_shelf(tmp_path / "models.json", lambda shelf: shelf.chosen("a/b"))


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    names = [f"p/{number}" for number in range(40)]

    def favour(name: str) -> Shelf:
        return change_shelf(file, lambda shelf: shelf.toggled(name))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(favour, names))
    assert sorted(read_shelf(file).favourites) == sorted(names)
