"""Where extensions come from: the built-in suites, installed packages, checkouts, and the layers' own files.

Finding one never runs its code. An id is ``suite.name``: a package's name without ``panto_``, and a module in it.
Names that start with ``_`` are skipped: they are what a suite's modules share.
"""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

BUILT_IN_SUITES = ("panto_std", "panto_agent")
ENTRY_POINT_GROUP = "panto.extensions"
LAYERS = ("built-in", "base", "user", "project")
"""In the order in which their handlers run."""


@dataclass(frozen=True)
class Candidate:
    """An extension that could be loaded: its id, its layer, and the module that holds it."""

    id: str
    layer: str
    module: str
    file: Path
    trusted: bool = True


@dataclass(frozen=True)
class SourceProblem:
    """A place where extensions were expected and none could be had."""

    where: str
    message: str


@dataclass(frozen=True)
class Sources:
    """The places to look at. ``layers`` are ``(name, extensions directory)``, lowest first.

    ``paths`` and ``packages`` come from the layer ``configured_by``; what the project's layer names is not trusted.
    """

    layers: Sequence[tuple[str, Path]] = ()
    paths: Sequence[Path] = ()
    packages: Sequence[str] = ()
    paths_layer: str = "user"
    packages_layer: str = "user"

    def find(self) -> tuple[list[Candidate], list[SourceProblem]]:
        """All candidates there are, and the places that had none. The first of equal ids counts."""
        problems: list[SourceProblem] = []
        found: dict[str, Candidate] = {}
        for candidate in self._all(problems):
            first = found.setdefault(candidate.id, candidate)
            if first is not candidate:
                problems.append(
                    SourceProblem(str(candidate.file), f"{candidate.id} is left out: {first.file} has that id already")
                )
        return list(found.values()), problems

    def _all(self, problems: list[SourceProblem]) -> Iterator[Candidate]:
        for suite in BUILT_IN_SUITES:
            yield from _package(suite, "built-in")
        for name in self.packages:
            yield from _installed(name, self.packages_layer, problems)
        for path in self.paths:
            yield from _checkout(path, self.paths_layer, problems)
        for layer, directory in self.layers:
            yield from _files(layer, directory)


def _package(package: str, layer: str) -> Iterator[Candidate]:
    """The extensions of an importable package, one for each of its modules."""
    spec = importlib.util.find_spec(package)
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    suite = package.rpartition(".")[2].removeprefix("panto_")
    for location in locations:
        for module in sorted(pkgutil.iter_modules([location]), key=lambda info: info.name):
            if not module.name.startswith("_"):
                yield Candidate(
                    f"{suite}.{module.name}",
                    layer,
                    f"{package}.{module.name}",
                    _module_file(Path(location), module.name, is_package=module.ispkg),
                    trusted=layer != "project",
                )


def _module_file(directory: Path, name: str, *, is_package: bool) -> Path:
    return directory / name / "__init__.py" if is_package else directory / f"{name}.py"


def _installed(name: str, layer: str, problems: list[SourceProblem]) -> Iterator[Candidate]:
    wanted = _canonical(name)
    points = [
        point
        for point in entry_points(group=ENTRY_POINT_GROUP)
        if point.dist is not None and _canonical(point.dist.name) == wanted
    ]
    if not points:
        problems.append(
            SourceProblem(name, f"no installed package of that name offers extensions (group {ENTRY_POINT_GROUP})")
        )
    for point in points:
        yield from _package(point.module, layer)


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _checkout(path: Path, layer: str, problems: list[SourceProblem]) -> Iterator[Candidate]:
    """The ``panto_*`` packages of a checkout, in its root or in ``src`` or ``extensions`` below it."""
    roots = [root for root in (path, path / "src", path / "extensions") if any(root.glob("panto_*/__init__.py"))]
    if not roots:
        problems.append(SourceProblem(str(path), "no package whose name begins with panto_ is there"))
    for root in roots:
        if str(root) not in sys.path:
            sys.path.append(str(root))
        importlib.invalidate_caches()
        for package in sorted(init.parent.name for init in root.glob("panto_*/__init__.py")):
            yield from _package(package, layer)


def _files(layer: str, directory: Path) -> Iterator[Candidate]:
    """A layer's own files: ``foo/bar.py`` is ``foo.bar``, and ``bar.py`` is ``user.bar`` in the user's layer."""
    if not directory.is_dir():
        return
    home = f"panto_layer_{layer}"
    package = ModuleType(home, f"The {layer} layer's own extensions.")
    package.__path__ = [str(directory)]
    sys.modules[home] = package
    for file in sorted((*directory.glob("*.py"), *directory.glob("*/*.py"))):
        parts = file.relative_to(directory).with_suffix("").parts
        if any(part.startswith("_") for part in parts):
            continue
        suite = parts[0] if len(parts) == 2 else layer
        module = ".".join((home, *parts))
        yield Candidate(f"{suite}.{parts[-1]}", layer, module, file, trusted=layer != "project")
