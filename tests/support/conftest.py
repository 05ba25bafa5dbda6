"""What the tests of the test support share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.llm.client import HEADERS
from tests.support.terminal import Terminal
from tests.support.tty.launching import Start, launch


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    """A client that would rather fail than wait for ever."""
    with httpx.Client(headers=HEADERS, timeout=30, trust_env=False) as client:
        yield client


@pytest.fixture
def places(tmp_path: Path, home: Path) -> tuple[Path, Path]:
    """A working directory and a home."""
    return tmp_path, home


@pytest.fixture
def sh(places: tuple[Path, Path]) -> Start:
    """Starts shell commands."""

    def start(script: str, **options: object) -> Terminal:
        return launch(["/bin/sh", "-c", script], places, options)

    return start


@pytest.fixture
def py(places: tuple[Path, Path]) -> Start:
    """Starts Python programs."""

    def start(script: str, **options: object) -> Terminal:
        return launch([sys.executable, "-c", script], places, options)

    return start
