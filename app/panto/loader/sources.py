"""Where extensions come from: the built-in suites, installed packages, checkouts, and the layers' own files.

Finding one neither runs its code nor lets it be imported: that takes `make_importable`. An id is ``suite.name``: a
package's name without ``panto_``, and a module in it. Names that start with ``_`` are skipped: they are what a suite's
modules share.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

BUILT_IN_SUITES = ("panto_std", "panto_agent")
ENTRY_POINT_GROUP = "panto.extensions"
BUILT_IN = "built-in"
LAYERS = (BUILT_IN, "base", "user", "project")
"""In the order in which their handlers run."""


@dataclass(frozen=True)
class Candidate:
    """An extension that could be loaded: its id, its layer, and the module that holds it.

    ``root`` is the directory that Python must know for ``module`` to be found; None if it is installed.
    """

    id: str
    layer: str
    module: str
    file: Path
    trusted: bool = True
    root: Path | None = None


@dataclass(frozen=True)
class SourceProblem:
    """A place where extensions were expected and none could be had."""

    where: str
    message: str


@dataclass(frozen=True)
class Sources:
    """The places to look at. ``layers`` are ``(name, extensions directory)``, lowest first.

    ``paths_layer`` and ``packages_layer`` name the layers that ``paths`` and ``packages`` come from; what the project's
    layer names is not trusted.
    """

    layers: Sequence[tuple[str, Path]] = ()
    paths: Sequence[Path] = ()
    packages: Sequence[str] = ()
    paths_layer: str = "user"
    packages_layer: str = "user"

    def find(self) -> tuple[list[Candidate], list[SourceProblem]]:
        """All candidates there are, and the places that had none.

        The first of equal ids counts, but one that is not trusted never keeps out one that is.
        """
        problems: list[SourceProblem] = []
        found: dict[str, Candidate] = {}
        for candidate in sorted(self._all(problems), key=lambda candidate: not candidate.trusted):
            first = found.setdefault(candidate.id, candidate)
            if first is not candidate:
                problems.append(
                    SourceProblem(str(candidate.file), f"{candidate.id} is left out: {first.file} has that id already")
                )
        return list(found.values()), problems

    def _all(self, problems: list[SourceProblem]) -> Iterator[Candidate]:
        for suite in BUILT_IN_SUITES:
            yield from _modules(suite, _locations(suite), BUILT_IN)
        for name in self.packages:
            yield from _installed(name, self.packages_layer, problems)
        for path in self.paths:
            yield from _checkout(path, self.paths_layer, problems)
        for layer, directory in self.layers:
            yield from _files(layer, directory)


def make_importable(candidate: Candidate) -> None:
    """Let Python find a candidate's module, and with it whatever else lies in its ``root``."""
    root = candidate.root
    if root is None:
        return
    importlib.invalidate_caches()
    home = candidate.module.partition(".")[0]
    if home.startswith(_LAYER_HOME):
        _make_home(home, root)
    elif str(root) not in sys.path:
        sys.path.append(str(root))


def forget(candidate: Candidate) -> None:
    """Let Python read a candidate's module anew when it is imported next, and what it shares with its suite."""
    home, _, _ = candidate.module.rpartition(".")
    if home.startswith(_LAYER_HOME):
        home = home.partition(".")[0]
    forget_module(candidate.module if home in BUILT_IN_SUITES else home)


def forget_module(name: str) -> None:
    """Let Python read a module anew when it is imported next, and all that lie in it."""
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]


_LAYER_HOME = "panto_layer_"
"""The package that a layer's own files are modules of, but for the layer's name: there is no such directory."""


def _make_home(home: str, root: Path) -> None:
    known = sys.modules.get(home)
    if known is not None and list(known.__path__) == [str(root)]:
        return
    forget_module(home)  # what is known comes from another directory
    package = ModuleType(home, "A layer's own extensions.")
    package.__path__ = [str(root)]
    sys.modules[home] = package


def _modules(package: str, locations: Iterable[str], layer: str, root: Path | None = None) -> Iterator[Candidate]:
    """The extensions of a package, one for each of its modules."""
    suite = package.rpartition(".")[2].removeprefix("panto_")
    for location in locations:
        for module in sorted(pkgutil.iter_modules([location]), key=lambda info: info.name):
            if not module.name.startswith("_"):
                file = Path(location, module.name, "__init__.py" if module.ispkg else "").with_suffix(".py")
                name = f"{package}.{module.name}"
                yield Candidate(f"{suite}.{module.name}", layer, name, file, layer != "project", root)


def _locations(package: str) -> list[str]:
    """The directories of an importable package; none if it is no package. Runs no code, not even its parents'."""
    path: list[str] | None = None
    name = ""
    for part in package.split("."):
        name = f"{name}.{part}" if name else part
        spec = _spec(name, path)
        if spec is None or spec.submodule_search_locations is None:
            return []
        path = list(spec.submodule_search_locations)
    return path or []


def _spec(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    specs = (finder.find_spec(name, path) for finder in sys.meta_path)
    return next((spec for spec in specs if spec is not None), None)


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
        locations = _locations(point.module)
        if not locations:
            problems.append(
                SourceProblem(name, f"its entry point {point.name} names {point.module}, which is no package")
            )
        yield from _modules(point.module, locations, layer)


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _checkout(path: Path, layer: str, problems: list[SourceProblem]) -> Iterator[Candidate]:
    """The ``panto_*`` packages of a checkout, in its root or in ``src`` or ``extensions`` below it."""
    packages = [
        init.parent
        for root in (path, path / "src", path / "extensions")
        for init in sorted(root.glob("panto_*/__init__.py"))
    ]
    if not packages:
        problems.append(SourceProblem(str(path), "no package whose name begins with panto_ is there"))
    for package in packages:
        yield from _modules(package.name, [str(package)], layer, package.parent)


def _files(layer: str, directory: Path) -> Iterator[Candidate]:
    """A layer's own files: ``foo/bar.py`` is ``foo.bar``, and ``bar.py`` is ``user.bar`` in the user's layer."""
    for file in sorted((*directory.glob("*.py"), *directory.glob("*/*.py"))):
        parts = file.relative_to(directory).with_suffix("").parts
        if any(part.startswith("_") for part in parts):
            continue
        suite = parts[0] if len(parts) == 2 else layer
        module = ".".join((f"{_LAYER_HOME}{layer}", *parts))
        yield Candidate(f"{suite}.{parts[-1]}", layer, module, file, layer != "project", directory)
