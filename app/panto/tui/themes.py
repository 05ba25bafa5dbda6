"""The themes that there are, by name. Each is read when it is wanted: the start reads one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from panto.tui.palette import Palette, PaletteError, read_palette, theme_directory

DEFAULT = "panto-dark"


class Themes:
    """The themes that ship, and those in further directories: one there stands before others of its name.

    A later directory comes before an earlier one.
    """

    def __init__(self, directories: Sequence[Path] = ()) -> None:
        self._directories = (theme_directory(), *directories)
        self._read: dict[str, Palette] = {}

    def names(self) -> list[str]:
        """All names, in their order."""
        return sorted(self._files())

    def palette(self, name: str) -> Palette:
        """The palette of a theme. Raises `PaletteError` if there is none of that name, or its file is no theme."""
        found = self._read.get(name)
        if found is None:
            file = self._files().get(name)
            if file is None:
                raise PaletteError(f"there is no theme {name!r}; there are {', '.join(self.names())}")
            found = self._read[name] = read_palette(file)
        return found

    def all(self) -> Iterator[Palette]:
        """Every theme that can be used."""
        for name in self.names():
            try:
                yield self.palette(name)
            except PaletteError:
                continue

    def _files(self) -> dict[str, Path]:
        return {file.stem: file for directory in self._directories for file in directory.glob("*.toml")}
