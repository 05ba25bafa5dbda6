"""The session store's tables, and how an older file becomes a newer one.

Entries are append-only and form a tree; a session's ``leaf`` says where in it the conversation is.
"""

import sqlite3

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            id      TEXT PRIMARY KEY,
            project TEXT NOT NULL,           -- the directory worked in, absolute
            created REAL NOT NULL,           -- seconds since 1970
            updated REAL NOT NULL,
            title   TEXT NOT NULL DEFAULT '',
            leaf    TEXT                     -- the entry that the conversation is at
        ) STRICT
        """,
        "CREATE INDEX sessions_by_project ON sessions (project, updated)",
        """
        CREATE TABLE entries (
            id      TEXT PRIMARY KEY,
            session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            parent  TEXT,                    -- the entry before it; NULL for a first one
            time    REAL NOT NULL,
            kind    TEXT NOT NULL,           -- 'message': body is a Message
            agent   TEXT NOT NULL,
            model   TEXT NOT NULL,           -- provider/model; '' where no model had a part in it
            body    BLOB NOT NULL            -- MessagePack
        ) STRICT
        """,
        "CREATE INDEX entries_by_session ON entries (session)",
    ),
)
"""The statements of each version: the n-th tuple brings a file of version n to n + 1."""


class NewerStoreError(Exception):
    """The file was written by a newer version of the program."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an open store up to date, all or nothing, also when another process does so at the same time.

    Raises `NewerStoreError` for one from the future.
    """
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    version = _version(connection)  # another process may have been quicker
    if version > len(MIGRATIONS):
        connection.execute("ROLLBACK")
        raise NewerStoreError(f"it is of version {version}; this program knows up to {len(MIGRATIONS)}")
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version
