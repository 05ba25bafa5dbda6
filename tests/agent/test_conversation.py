import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from panto.agent.conversation import Conversation
from panto.messages import Message, Text, User
from panto.sessions.store import Entry, Session, Store, StoreError, memory_store, open_store


def said(text: str) -> User:
    return User((Text(text),))


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with await memory_store() as opened:
        yield opened


async def stored(store: Store, conversation: Conversation) -> list[Entry]:
    (session,) = await store.find(conversation.id)
    entries, _ = await store.entries(session)
    return entries


async def begun(store: Store) -> Conversation:
    return Conversation(store, await store.new_session(Path("/p")))


async def test_what_is_appended_is_in_both(store: Store) -> None:
    conversation = await begun(store)
    assert conversation.is_empty
    for text in "abc":
        await conversation.append(said(text))
    assert not conversation.is_empty
    assert conversation.messages == [said("a"), said("b"), said("c")]
    assert [entry.message for entry in await stored(store, conversation)] == conversation.messages


async def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    async with await open_store(tmp_path / "x.db") as store:
        first = await begun(store)
        await first.append(said("a"))
        (session,) = await store.find(first.id)
        entries, _ = await store.entries(session)
        again = Conversation(store, session, entries)
        await again.append(said("b"))
        assert again.messages == [said("a"), said("b")]
        assert [entry.message for entry in await stored(store, again)] == again.messages


async def test_appends_at_once_make_one_chain(store: Store) -> None:
    conversation = await begun(store)
    await asyncio.gather(*(conversation.append(said(str(number))) for number in range(50)))
    entries = await stored(store, conversation)
    assert [entry.message for entry in entries] == conversation.messages == [said(str(n)) for n in range(50)]
    assert [entry.parent for entry in entries] == [None, *(entry.id for entry in entries[:-1])]


async def test_a_cancelled_append_leaves_both_in_step(store: Store) -> None:
    """Whenever it is cancelled: what is stored is in the conversation, and was told."""
    conversation = await begun(store)
    told: list[str] = []
    for steps in range(12):
        text = str(steps)
        append = asyncio.create_task(conversation.append(said(text), lambda text=text: told.append(text)))
        for _ in range(steps):
            await asyncio.sleep(0)
        append.cancel()
        await asyncio.wait({append})
        entries = await stored(store, conversation) if told else []
        assert [entry.message for entry in entries] == conversation.messages == [said(text) for text in told]
    assert told


async def test_the_conversation_holds_what_was_stored(store: Store) -> None:
    conversation = await begun(store)
    await conversation.append(said("half \ud800"))
    assert conversation.messages == [said("half \ufffd")]


class Full(Store):
    """A store on a full disk."""

    async def append(self, session: Session, message: Message, *, agent: str = "") -> tuple[Session, Entry]:
        """Fail."""
        raise StoreError("it is full")


async def test_what_can_not_be_stored_is_not_in_it_either(store: Store) -> None:
    full = Full(vars(store)["_db"], None)
    conversation = Conversation(full, await store.new_session(Path("/p")))
    told: list[str] = []
    with pytest.raises(StoreError):
        await conversation.append(said("a"), lambda: told.append("a"))
    assert conversation.is_empty
    assert told == []
