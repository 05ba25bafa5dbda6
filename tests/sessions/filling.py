"""Sessions with something in them."""

import sqlite3
from pathlib import Path

from panto.messages import Text, User
from panto.sessions.store import Session, Store

PROJECT = Path("/work/shop")


def said(text: str) -> User:
    """What a user says."""
    return User((Text(text),))


async def filled(store: Store, *texts: str, project: Path = PROJECT) -> Session:
    """A session in which these texts were said."""
    session = await store.new_session(project)
    for text in texts:
        session, _ = await store.append(session, said(text))
    return session


async def texts_of(store: Store, session: Session) -> list[str]:
    """What was said in a session."""
    entries, _ = await store.entries(session)
    return [entry.message.text for entry in entries if isinstance(entry.message, User)]


def change(file: Path | None, statement: str, *values: object) -> None:
    """Change the file behind the store's back."""
    assert file is not None
    connection = sqlite3.connect(file)
    with connection:
        connection.execute(statement, values)
    connection.close()
