"""Layers of settings on disk, for tests."""

from collections.abc import Mapping
from pathlib import Path

from panto.config import Config, load
from panto.config.source import TomlValue
from panto.paths import Paths

TEXT = """\
# my settings
mode = "plan"  # careful

[extensions]
deny = ["mcp.*"]  # slow
"""


class Layers:
    """The three layers of a home and a project below a directory, to write settings into and load them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.paths = Paths.discover(directory / "project", {"HOME": str(directory)}, platform="linux")

    def write(self, layer: str, text: str | bytes) -> Path:
        """Write a layer's settings file."""
        [file] = [each.config_file for each in self.paths.layers if each.name == layer]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def load(self, command_line: Mapping[str, TomlValue] | None = None, **texts: str) -> Config:
        """Load what is there, after writing the layers' texts that are given by name."""
        for layer, text in texts.items():
            self.write(layer, text)
        return load(self.paths, command_line)
