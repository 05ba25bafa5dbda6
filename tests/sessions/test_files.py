"""What can be wrong with a file, and what happens then."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import aiosqlite
import pytest

from panto.sessions.schema import MIGRATIONS, NewerStoreError, migrate
from panto.sessions.store import Store, StoreError, open_store
from tests.sessions.filling import PROJECT, change, filled, said, texts_of


async def test_a_file_from_the_future_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sessions.db"
    async with await open_store(file) as store:
        session = await filled(store, "a")
    change(file, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match=r"version .* use a newer panto-py") as caught:
        await open_store(file)
    assert str(file) in str(caught.value)
    change(file, f"PRAGMA user_version = {len(MIGRATIONS)}")
    async with await open_store(file) as store:
        assert await texts_of(store, session) == ["a"]


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database, however long it may be" * 100)


def directory(file: Path) -> None:
    file.mkdir()


@pytest.mark.parametrize("make", [garbage, directory])
async def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path, make: Callable[[Path], None]) -> None:
    file = tmp_path / "sessions.db"
    make(file)
    before = file.read_bytes() if file.is_file() else b""
    with pytest.raises(StoreError, match="can't be opened") as caught:
        await open_store(file)
    assert str(file) in str(caught.value)
    assert (file.read_bytes() if file.is_file() else b"") == before


async def test_so_is_a_place_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be opened"):
        await open_store(tmp_path / "file" / "sessions.db")


async def test_a_failed_write_is_a_store_error_and_changes_nothing(store: Store) -> None:
    session = await filled(store, "a")
    change(store.file, "CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT raise(ABORT, 'disk I/O error'); END")
    with pytest.raises(StoreError, match=r"can't be written \(disk I/O error\)") as caught:
        await store.append(session, said("b"))
    assert str(store.file) in str(caught.value)
    assert await store.latest(PROJECT) == session
    change(store.file, "DROP TRIGGER full")
    session, _ = await store.append(session, said("c"))
    assert await texts_of(store, session) == ["a", "c"]


async def test_a_failed_commit_is_undone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = await filled(store, "a")
    database = vars(store)["_db"]
    assert isinstance(database, aiosqlite.Connection)
    connection = vars(database)["_connection"]

    class Full:
        """The connection, on a disk that is full when it comes to it."""

        def __getattr__(self, name: str) -> object:
            return getattr(connection, name)

        def commit(self) -> None:
            raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(database, "_connection", Full())
        with pytest.raises(StoreError, match="database or disk is full"):
            await store.append(session, said("b"))
    session, _ = await store.append(session, said("c"))
    assert await texts_of(store, session) == ["a", "c"]


async def test_a_store_that_can_not_be_read_is_a_store_error(store: Store) -> None:
    session = await filled(store, "a")
    change(store.file, "ALTER TABLE entries RENAME TO gone")
    with pytest.raises(StoreError, match="can't be read") as caught:
        await store.entries(session)
    assert str(store.file) in str(caught.value)
    change(store.file, "ALTER TABLE sessions RENAME TO gone_too")
    for reading in (store.latest(PROJECT), store.find("a")):
        with pytest.raises(StoreError, match="can't be read"):
            await reading


def test_bringing_a_file_up_to_date_is_done_once_and_all_or_nothing(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    connection.execute("CREATE TABLE entries (id)")  # in the way of the migration's second table
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(connection)
    connection.execute("ROLLBACK")
    assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("entries",)]
    connection.execute("DROP TABLE entries")
    migrate(connection)
    migrate(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    connection.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerStoreError, match="of version 99"):
        migrate(connection)
    connection.close()


def test_another_process_may_bring_it_up_to_date_first(tmp_path: Path) -> None:
    file = tmp_path / "x.db"

    class Slow(sqlite3.Connection):
        def execute(self, sql: str, *_: object) -> sqlite3.Cursor:
            if sql.startswith("BEGIN"):
                other = sqlite3.connect(file, isolation_level=None)
                migrate(other)
                other.close()
            return super().execute(sql)

    connection = sqlite3.connect(file, isolation_level=None, factory=Slow)
    migrate(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert not connection.in_transaction
    connection.close()
