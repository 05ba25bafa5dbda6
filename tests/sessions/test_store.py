import asyncio
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from panto.messages import Assistant, Message, System, Tool, ToolCall, ToolOutput
from panto.sessions.store import Session, Store, memory_store, open_store
from tests.sessions.filling import PROJECT, change, filled, said, texts_of
from tests.support.messages import messages


@given(st.lists(messages, max_size=6))
@settings(max_examples=40)
def test_what_is_appended_comes_back_in_order(said_before: list[Message]) -> None:
    async def round_trip() -> None:
        async with await memory_store() as store:
            session = await store.new_session(PROJECT)
            appended: list[object] = []
            for message in said_before:
                session, entry = await store.append(session, message)
                appended.append(entry)
            assert await store.entries(session) == (appended, 0)
            assert [entry.message for entry in (await store.entries(session))[0]] == said_before

    asyncio.run(round_trip())


async def test_each_entry_follows_the_one_before(store: Store) -> None:
    session = await filled(store, "a", "b", "c")
    entries, _ = await store.entries(session)
    assert [entry.parent for entry in entries] == [None, entries[0].id, entries[1].id]
    assert session.leaf == entries[-1].id
    assert session.updated == entries[-1].time


async def test_it_is_still_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "er" / "sessions.db"
    async with await open_store(file) as store:
        session = await filled(store, "a", "b")
    async with await open_store(file) as store:
        assert await store.latest(PROJECT) == session
        assert await texts_of(store, session) == ["a", "b"]
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_what_no_encoding_can_hold_is_replaced_in_store_and_memory_alike(store: Store) -> None:
    session = await store.new_session(PROJECT)
    odd: list[Message] = [
        said("half \ud83d and whole \ud83d\ude00"),
        Tool((ToolOutput("1", "std.list", "name\udcff.txt", notes=("\ud800",)),)),
        Assistant((ToolCall("1", "t", {"n": 10**30, "deep": [{"\ud800": -(10**30)}], "fine": 5}),)),
    ]
    entries = list[Message]()
    for message in odd:
        session, entry = await store.append(session, message)
        entries.append(entry.message)
    read, unreadable = await store.entries(session)
    assert unreadable == 0
    assert [entry.message for entry in read] == entries
    assert entries == [
        said("half \ufffd and whole 😀"),
        Tool((ToolOutput("1", "std.list", "name\ufffd.txt", notes=("\ufffd",)),)),
        Assistant((ToolCall("1", "t", {"n": hex(10**30), "deep": [{"\ufffd": hex(-(10**30))}], "fine": 5}),)),
    ]


async def test_a_session_that_is_never_used_leaves_nothing(store: Store) -> None:
    session = await store.new_session(PROJECT)
    assert await store.latest(PROJECT) is None
    assert await store.find(session.id) == []
    assert await store.entries(session) == ([], 0)


async def test_the_latest_of_a_project_is_the_one_used_last(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(1, 100))
    monkeypatch.setattr("time.time", lambda: float(next(now)))
    first = await filled(store, "a")
    second = await filled(store, "b")
    await filled(store, "c", project=Path("/work/shop2"))
    assert await store.latest(PROJECT) == second
    first, _ = await store.append(first, said("again"))
    assert await store.latest(PROJECT) == first
    assert await store.latest(Path("/work")) is None


async def test_a_project_whose_name_is_no_text(store: Store) -> None:
    project = Path("/work/caf\udce9")
    session = await filled(store, "a", project=project)
    found = await store.latest(project)
    assert found is not None
    assert found.id == session.id
    found, _ = await store.append(found, said("b"))
    assert await texts_of(store, found) == ["a", "b"]


async def test_sessions_are_found_by_the_beginning_of_their_id(store: Store) -> None:
    ids = ["abc", "abd", "a%c", "a_c", "a\\c", "b"]
    for name in ids:
        await store.append(Session(name, PROJECT, 1.0, 1.0), said("x"))
    for prefix in [*ids, "a", "ab", "a%", "a_", "a\\", "%", "_", "", "c"]:
        assert {session.id for session in await store.find(prefix)} == {name for name in ids if name.startswith(prefix)}


async def test_ten_are_found_at_most_newest_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(1, 100))
    monkeypatch.setattr("time.time", lambda: float(next(now)))
    for number in range(15):
        await store.append(Session(f"a{number:02}", PROJECT, 1.0, 1.0), said("x"))
    assert [session.id for session in await store.find("a")] == [f"a{number:02}" for number in range(14, 4, -1)]


@pytest.mark.parametrize(
    "body", [b"", b"\xc1", b"\x80", b"\x91" * 100_000 + b"\x90", b"\x82\xa4role\xa6system\xa4text\xa1\xff"]
)
async def test_what_can_not_be_read_is_left_out_and_counted(store: Store, body: bytes) -> None:
    session = await filled(store, "a", "b", "c")
    entries, _ = await store.entries(session)
    change(store.file, "UPDATE entries SET body = ? WHERE id = ?", body, entries[1].id)
    left, unreadable = await store.entries(session)
    assert left == [entries[0], entries[2]]
    assert unreadable == 1


async def test_a_message_of_a_kind_that_is_not_known_yet_is_left_out(store: Store) -> None:
    session = await filled(store, "a")
    change(store.file, "UPDATE entries SET body = ?", b"\x81\xa4role\xa6oracle")
    assert await store.entries(session) == ([], 1)


async def test_a_broken_chain_begins_behind_the_break(store: Store) -> None:
    session = await filled(store, "a", "b", "c", "d")
    entries, _ = await store.entries(session)
    change(store.file, "DELETE FROM entries WHERE id = ?", entries[1].id)
    assert await texts_of(store, session) == ["c", "d"]


async def test_branches_of_a_tree_are_read_from_their_leaf(store: Store) -> None:
    trunk = await filled(store, "a", "b")
    left, _ = await store.append(trunk, said("left"))
    right, _ = await store.append(trunk, said("right"))
    assert await texts_of(store, left) == ["a", "b", "left"]
    assert await texts_of(store, right) == ["a", "b", "right"]


async def test_writers_at_once_all_get_through(store: Store) -> None:
    sessions = [await store.new_session(PROJECT) for _ in range(20)]
    await asyncio.gather(*(store.append(session, said(session.id)) for session in sessions))
    assert len(await store.find("")) == 10
    for session in sessions:
        (found,) = await store.find(session.id)
        assert await texts_of(store, found) == [session.id]


async def test_a_cancelled_append_keeps_nobody_from_writing(store: Store) -> None:
    """Whenever it is cancelled: before each of the statements, and while one runs."""
    session = await filled(store, "first")
    for steps in range(12):
        append = asyncio.create_task(store.append(session, said("never mind")))
        for _ in range(steps):
            await asyncio.sleep(0)
        append.cancel()
        await asyncio.wait({append})
        session, _ = await store.append(session, said(str(steps)))
    assert (await texts_of(store, session))[-1] == "11"
    assert "never mind" not in await texts_of(store, session)


async def test_a_store_in_memory_keeps_nothing(tmp_path: Path) -> None:
    async with await memory_store() as store:
        session = await filled(store, "a")
        assert store.file is None
        assert await texts_of(store, session) == ["a"]
        session, _ = await store.append(session, System("late rules"))
    async with await memory_store() as store:
        assert await store.latest(PROJECT) is None
    assert list(tmp_path.iterdir()) == []
