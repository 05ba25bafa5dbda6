"""A home and a project for extensions on a stage."""

from pathlib import Path

import pytest


@pytest.fixture
def home_dir(tmp_path: Path) -> Path:
    """The user's home."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project."""
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"
