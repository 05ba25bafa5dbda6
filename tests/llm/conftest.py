"""Fixtures of the model layer's tests."""

from collections.abc import AsyncGenerator

import pytest

from panto.llm.client import Clients


@pytest.fixture
async def clients() -> AsyncGenerator[Clients]:
    """Connections, closed after the test."""
    async with Clients() as pool:
        yield pool
