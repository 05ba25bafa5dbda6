"""A conversation in memory and in the store: what is in the one is in the other."""

import asyncio
from collections.abc import Callable, Iterable

from panto.messages import Message
from panto.sessions.store import Entry, Session, Store


class Conversation:
    """The messages of one session, appended to in order, each stored before `append` returns."""

    def __init__(self, store: Store, session: Session, entries: Iterable[Entry] = ()) -> None:
        self._store = store
        self._session = session
        entries = tuple(entries)
        self._messages = [entry.message for entry in entries]
        self._times = [entry.time for entry in entries]
        self._appending = asyncio.Lock()

    @property
    def id(self) -> str:
        """The session's id."""
        return self._session.id

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first."""
        return self._messages.copy()

    @property
    def history(self) -> list[tuple[float, Message]]:
        """All messages, oldest first, each with when it was stored, in seconds since the epoch."""
        return list(zip(self._times, self._messages, strict=True))

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been said, and so nothing been stored."""
        return not self._messages

    async def append(self, message: Message, then: Callable[[], None] = lambda: None) -> None:
        """Store a message, have it in the conversation, then call ``then``. A cancelled caller changes nothing of this.

        Raises `StoreError` if it can't be stored; the conversation is then as it was.
        """
        work = asyncio.ensure_future(self._append(message, then))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait({work})
            raise

    async def _append(self, message: Message, then: Callable[[], None]) -> None:
        async with self._appending:
            self._session, entry = await self._store.append(self._session, message)
            self._messages.append(entry.message)
            self._times.append(entry.time)
            then()
