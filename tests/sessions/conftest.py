from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from panto.sessions.store import Store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A store in a file."""
    async with await open_store(tmp_path / "state" / "sessions.db") as opened:
        yield opened
