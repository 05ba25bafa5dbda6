"""Which skills there are: the roots, what each holds, and which one a name stands for."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from panto import LayerDirectory
from panto_agent.skill._reading import read_skill_header
from panto_agent.skill._records import SkillHeader, SkillWarning


class SkillsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[skills]``."""

    paths: tuple[str, ...] = ()
    """More directories that hold skills; what they hold wins over all others."""
    compat: bool = True
    """Whether the ``.claude/skills`` directories are looked into."""
    description_budget: int = 16_000
    """Characters that all descriptions together may take in the tool's description."""


@dataclass(frozen=True)
class Root:
    """A directory whose subdirectories may be skills. A configured one must be there."""

    label: str
    path: Path
    configured: bool = False


@dataclass(frozen=True)
class Found:
    """A skill that was found, and those of the same name that it stands in front of."""

    header: SkillHeader
    root: Root
    shadowed: tuple[SkillHeader, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """All skills by name, sorted, and what was refused or missing."""

    skills: dict[str, Found]
    refused: tuple[SkillWarning, ...]
    missing: tuple[Root, ...]


def roots(layers: Iterable[LayerDirectory], home: Path, project: Path, settings: SkillsSettings) -> list[Root]:
    """The roots, lowest priority first: the layers' own, then what agents share, the project's over the user's."""
    own = {layer.name: layer.directory / "skills" for layer in layers}
    shared = ((".claude", settings.compat), (".agents", True), (".agent", True))
    return [
        Root("base", own["base"]),
        Root("user", own["user"]),
        *(Root(f"~/{name}", home / name / "skills") for name, wanted in shared if wanted),
        *(Root(f"project {name}", project / name / "skills") for name, wanted in shared[:2] if wanted),
        Root("project", own["project"]),
        Root("project .agent", project / ".agent/skills"),
        *(
            Root("configured", project / Path(os.path.expanduser(path)), configured=True)  # noqa: PTH111 - never raises
            for path in settings.paths
        ),
    ]


def discover(places: Iterable[Root], unreadable: Callable[[Root, OSError], None]) -> Catalogue:
    """Read the front matter of every skill in these roots. Later roots win; a root that is absent is passed over."""
    by_name: dict[str, Found] = {}
    refused: list[SkillWarning] = []
    missing: list[Root] = []
    for root in places:
        try:
            directories = list(_directories(root.path))
        except FileNotFoundError:
            if root.configured:
                missing.append(root)
            continue
        except OSError as error:
            unreadable(root, error)
            continue
        for directory in directories:
            header = read_skill_header(directory / "SKILL.md")
            if isinstance(header, SkillWarning):
                refused.append(header)
                continue
            before = by_name.get(header.name)
            shadowed = () if before is None else (before.header, *before.shadowed)
            by_name[header.name] = Found(header, root, shadowed)
    return Catalogue(dict(sorted(by_name.items())), tuple(refused), tuple(missing))


def _directories(root: Path) -> Iterator[Path]:
    """The subdirectories that have a ``SKILL.md``, by name."""
    with os.scandir(root) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir())
    for name in names:
        if os.path.lexists(root / name / "SKILL.md"):
            yield root / name
