from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agent.stage import Stage, staged


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """A session with a scripted model."""
    async with staged(tmp_path) as made:
        yield made
