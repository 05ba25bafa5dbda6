"""A world with layers to put extensions into, and a loader that finds them."""

import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest

from panto.bus import Bus, Rank
from panto.events import Event, ExtensionError, Notification
from panto.extension import LayerDirectory, Shell
from panto.loader import Loader, Sources
from panto.loader.policy import Policy
from tests.support.extension_host import left_behind, make_shell


@dataclass
class World:
    """Directories, a shell, and what was told."""

    root: Path
    shell: Shell
    notices: list[str] = field(default_factory=list[str])
    faults: list[ExtensionError] = field(default_factory=list[ExtensionError])

    @property
    def marks(self) -> list[str]:
        """What extensions have left behind by running."""
        file = self.root / "marks"
        return file.read_text().split() if file.exists() else []

    def mark(self, word: str) -> str:
        """A line of code that leaves a mark."""
        return f"with open({str(self.root / 'marks')!r}, 'a') as marks: marks.write('{word} ')"

    def write(self, path: str, code: str) -> Path:
        """Put a file into this world."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(code), encoding="utf-8")
        return file

    def extension(self, path: str, word: str = "", body: str = "pass") -> Path:
        """Put an extension there that leaves marks when it is imported and when it is activated."""
        word = word or Path(path).stem
        lines = [self.mark(f"import:{word}"), "def activate(host):", f"    {self.mark(f'on:{word}')}", f"    {body}"]
        return self.write(path, "\n".join(lines) + "\n")

    def sources(self, **places: Sequence[str]) -> Sources:
        """Where to look: the layers' directories, and ``paths`` and ``packages``."""
        return Sources(
            layers=[(layer, self.root / layer) for layer in ("base", "user", "project")],
            paths=[self.root / path for path in places.get("paths", ())],
            packages=places.get("packages", ()),
            paths_layer=places.get("paths_layer", ["user"])[0],
            packages_layer="user",
        )

    def loader(
        self, sources: Sources | None = None, allow: Sequence[str] = ("*",), deny: Sequence[str] = ("std.*", "agent.*")
    ) -> Loader:
        """A loader without the built-in suites."""
        return Loader(self.shell, sources or self.sources(), Policy(allow, deny))

    async def load(self, loader: Loader | None = None) -> dict[str, str]:
        """Load all; the states by id, without those of the built-in suites."""
        loader = loader or self.loader()
        await loader.load()
        await self.shell.bus.settle()
        return {one.id: one.state for one in loader.extensions if one.candidate.layer != "built-in"}

    def left(self) -> dict[str, int]:
        """All that is registered anywhere."""
        return left_behind(self.shell)


@pytest.fixture(autouse=True)
def imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is imported here is forgotten behind the test."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("panto_") and not name.startswith(("panto_std", "panto_agent")):
            del sys.modules[name]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Bus() as bus:
        layers = tuple(LayerDirectory(name, tmp_path / name, tmp_path / name) for name in ("base", "user", "project"))
        made = World(tmp_path, make_shell(bus, tmp_path, tmp_path, layers))

        def note(event: Event) -> None:
            if isinstance(event, Notification):
                made.notices.append(event.text)
            elif isinstance(event, ExtensionError):
                made.faults.append(event)

        bus.watch((Notification, ExtensionError), note, rank=Rank(0, "test"))
        yield made
