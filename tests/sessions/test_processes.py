"""The store as several processes use it, and as one that is killed leaves it."""

import asyncio
import subprocess
import sys
from pathlib import Path

from panto.messages import User
from panto.sessions.store import open_store

REPOSITORY = Path(__file__).parents[2]


def writer(file: Path, name: str, *limit: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.sessions.writer", str(file), name, *limit],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )


async def stored(file: Path, name: str) -> list[str]:
    async with await open_store(file) as store:
        session = await store.latest(Path(f"/{name}"))
        assert session is not None
        entries, unreadable = await store.entries(session)
        assert unreadable == 0
        return [entry.message.text for entry in entries if isinstance(entry.message, User)]


async def test_a_killed_process_loses_nothing_that_it_had_said_is_stored(tmp_path: Path) -> None:
    file = tmp_path / "sessions.db"
    with writer(file, "killed") as process:
        assert process.stdout is not None
        acknowledged = [await asyncio.to_thread(process.stdout.readline) for _ in range(25)]
        process.kill()
        rest = process.stdout.read().splitlines()
    said = [line.strip() for line in acknowledged] + rest
    found = await stored(file, "killed")
    assert found[: len(said)] == said
    assert len(found) <= len(said) + 1  # one may have been stored and not been said any more


async def test_processes_that_begin_at_the_same_time_all_get_their_way(tmp_path: Path) -> None:
    file = tmp_path / "new" / "sessions.db"
    names = [f"process{number}" for number in range(5)]
    processes = [writer(file, name, "5") for name in names]
    for process in processes:
        await asyncio.to_thread(process.communicate)
        assert process.returncode == 0
    for name in names:
        assert await stored(file, name) == [f"{name}-{number}" for number in range(5)]
