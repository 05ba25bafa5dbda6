from pathlib import Path

import pytest

from tests.config.layers import TEXT, Layers


@pytest.fixture
def layers(home: Path) -> Layers:
    """Empty layers, the user's in the test's own home directory."""
    return Layers(home)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A settings file with something in it."""
    file = tmp_path / "config.toml"
    file.write_text(TEXT)
    return file
