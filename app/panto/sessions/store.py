"""The conversations on disk: one SQLite file, appended to as things happen.

What `Store.append` was awaited for is on the disk: a killed process loses nothing that it had shown.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypeAlias

import aiosqlite
import msgspec

from panto.messages import Assistant, Message, new_id
from panto.sessions.encoding import decoded, encoded
from panto.sessions.schema import NewerStoreError, migrate

BUSY_SECONDS = 10.0
"""How long to wait for another process that is writing."""


class StoreError(Exception):
    """The session store can't be used. The message says which file, why, and what to do."""


@dataclass(frozen=True)
class Session:
    """One conversation: where it was held, when, and how to name it."""

    id: str
    project: Path
    created: float
    updated: float
    title: str = ""
    leaf: str | None = None


@dataclass(frozen=True)
class Entry:
    """One thing that happened in a session, as it was stored."""

    id: str
    parent: str | None
    time: float
    message: Message


_PUT_SESSION = (
    "INSERT INTO sessions (id, project, created, updated, title, leaf) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET updated = excluded.updated, leaf = excluded.leaf"
)
_PUT_ENTRY = (
    "INSERT INTO entries (id, session, parent, time, kind, agent, model, body) VALUES (?, ?, ?, ?, 'message', ?, ?, ?)"
)
_Value: TypeAlias = str | bytes | float | None
_Statement: TypeAlias = tuple[str, tuple[_Value, ...]]


class Store:
    """An open session store. Use `open_store`."""

    def __init__(self, connection: aiosqlite.Connection, file: Path | None) -> None:
        self._db = connection
        self.file = file
        """Where it is; None for one that is only in memory."""

    async def new_session(self, project: Path) -> Session:
        """Begin a session. It is stored with its first entry, so that one without any leaves nothing behind."""
        now = time.time()
        return Session(new_id(), project, now, now)

    async def append(self, session: Session, message: Message, *, agent: str = "") -> tuple[Session, Entry]:
        """Store one message behind the session's leaf, durably. Gives the session as it is then, and the entry.

        The entry holds the message as it was stored. Raises `StoreError` if it was not.
        """
        message, body = encoded(message)
        entry = Entry(new_id(), session.leaf, time.time(), message)
        model = message.model if isinstance(message, Assistant) else ""
        after = replace(session, leaf=entry.id, updated=entry.time)
        await self._written(
            (
                _PUT_SESSION,
                (after.id, _spelled(after.project), after.created, after.updated, after.title, after.leaf),
            ),
            (_PUT_ENTRY, (entry.id, after.id, entry.parent, entry.time, agent, model, body)),
        )
        return after, entry

    async def latest(self, project: Path) -> Session | None:
        """The project's session that was used last; None if it has none."""
        rows = await self._sessions("WHERE project = ? ORDER BY updated DESC LIMIT 1", _spelled(project))
        return rows[0] if rows else None

    async def find(self, prefix: str) -> list[Session]:
        """The sessions whose id begins so, newest first; at most ten."""
        pattern = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        return await self._sessions("WHERE id LIKE ? ESCAPE '\\' ORDER BY updated DESC LIMIT 10", pattern)

    async def entries(self, session: Session) -> tuple[list[Entry], int]:
        """The entries from the first to the session's leaf, and how many of them could not be read.

        What can't be read is left out; a chain that is broken begins behind the break.
        """
        query = (
            "WITH RECURSIVE chain (id, parent, time, body, depth) AS ("
            " SELECT id, parent, time, body, 0 FROM entries WHERE id = ?"
            " UNION ALL"
            " SELECT e.id, e.parent, e.time, e.body, depth + 1 FROM entries e JOIN chain ON e.id = chain.parent)"
            " SELECT id, parent, time, body FROM chain ORDER BY depth DESC"
        )
        found: list[Entry] = []
        unreadable = 0
        for entry_id, parent, at, body in await self._rows(query, session.leaf):
            try:
                found.append(Entry(entry_id, parent, at, decoded(body)))
            except msgspec.DecodeError:
                unreadable += 1
        return found, unreadable

    async def close(self) -> None:
        """Close the file."""
        await self._db.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _sessions(self, condition: str, *values: str) -> list[Session]:
        query = f"SELECT id, project, created, updated, title, leaf FROM sessions {condition}"  # noqa: S608 - own text
        return [
            Session(key, Path(project), created, updated, title, leaf)
            for key, project, created, updated, title, leaf in await self._rows(query, *values)
        ]

    async def _rows(self, query: str, *values: str | None) -> list[sqlite3.Row]:
        try:
            return list(await self._db.execute_fetchall(query, values))
        except sqlite3.Error as error:
            raise StoreError(f"{self.file}: can't be read ({error})") from error

    async def _written(self, *statements: _Statement) -> None:
        """Run statements as one transaction, in one go on the connection's own thread: a turn waits for it.

        A caller that is cancelled meanwhile changes nothing: all of it is written, or nothing.
        """
        try:
            await _on_its_thread(self._db, lambda connection: _transaction(connection, statements))
        except sqlite3.Error as error:
            raise StoreError(f"{self.file}: can't be written ({error}); is the disk full?") from error


def _transaction(connection: sqlite3.Connection, statements: Iterable[_Statement]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement, values in statements:
            connection.execute(statement, values)
        connection.commit()
    except BaseException:  # nothing half-written stays behind, whatever ended this; it goes on being raised
        connection.rollback()
        raise


async def _on_its_thread(database: aiosqlite.Connection, function: Callable[[sqlite3.Connection], None]) -> None:
    """Run a function on a connection's thread, which aiosqlite has no public way to do."""
    await database._execute(function, database._conn)  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]


def _spelled(project: Path) -> str:
    """A project's path as the store has it, also one whose name is no text."""
    return os.fsencode(project).decode("utf-8", "backslashreplace")


async def open_store(file: Path) -> Store:
    """Open the store, making it if there is none. Raises `StoreError` if that can't be done."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Store(await _connect(str(file)), file)
    except NewerStoreError as error:
        raise StoreError(f"{file}: {error}; use a newer panto-py, or move the file away") from error
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{file}: can't be opened ({error})") from error


async def memory_store() -> Store:
    """A store that keeps nothing beyond the process."""
    return Store(await _connect(":memory:"), None)


async def _connect(where: str) -> aiosqlite.Connection:
    connection = aiosqlite.connect(where, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        await connection
    except BaseException:  # its thread ends by itself, maybe only after the event loop; it is waited for
        await asyncio.to_thread(connection._thread.join)  # pyright: ignore[reportPrivateUsage] - it offers no other way
        raise
    try:
        await connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
        )
        await _on_its_thread(connection, migrate)
    except BaseException:  # nothing half-made stays behind, whatever ended this; it goes on being raised
        await connection.close()
        raise
    return connection
