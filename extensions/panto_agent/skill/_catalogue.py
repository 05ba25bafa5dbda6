"""Which skills there are: the roots, what each holds, and which one a name stands for."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from panto import LayerDirectory
from panto_agent.skill._files import SKILL_FILE, reason_of
from panto_agent.skill._loader import refusal
from panto_agent.skill._reading import read_skill_header
from panto_agent.skill._records import SkillHeader, SkillWarning, WarningCode

_NO = frozenset({"false", "no", "off"})


class SkillsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[skills]``."""

    paths: tuple[str, ...] = ()
    """More directories that hold skills; what they hold wins over all others."""
    compat: bool = True
    """Whether the ``.claude/skills`` directories are looked into."""
    description_budget: int = 16_000
    """Characters that all descriptions together may take in the tool's description."""
    strict: bool = False
    """Whether a skill that breaks the format in any way is refused, as ``panto-py skills check`` would."""


@dataclass(frozen=True)
class Root:
    """A directory whose subdirectories may be skills. A configured one must be there.

    ``is_users``: it is the user's own. The project's are not, and a configured one may be a wish of the project's.
    """

    label: str
    path: Path
    configured: bool = False
    is_users: bool = False


@dataclass(frozen=True)
class Found:
    """A skill that was found, and those of the same name that it stands in front of, the nearest first."""

    header: SkillHeader
    root: Root
    shadowed: tuple["Found", ...] = ()

    @property
    def is_offered(self) -> bool:
        """Whether models may load it by themselves."""
        return not self.header.flag("disable-model-invocation")

    @property
    def is_for_users(self) -> bool:
        """Whether it may be loaded by hand: if its front matter does not say ``user-invocable: false``."""
        said = self.header.fields.get("user-invocable", "")
        return said.partition(" #")[0].strip(" \t").lower() not in _NO


@dataclass(frozen=True)
class Refused:
    """A skill that was found and not taken, and why."""

    warning: SkillWarning
    root: Root


@dataclass(frozen=True)
class Trouble:
    """A root that could not be looked into, in words for the user, and what to do about it."""

    text: str
    hint: str = ""


@dataclass(frozen=True)
class Catalogue:
    """All skills by name, sorted, what was refused, and where nothing could be read."""

    skills: dict[str, Found]
    refused: tuple[Refused, ...] = ()
    troubles: tuple[Trouble, ...] = ()


def roots(layers: Iterable[LayerDirectory], home: Path, project: Path, settings: SkillsSettings) -> list[Root]:
    """The roots, lowest priority first: the layers' own, then what agents share, the project's over the user's.

    A directory that is several of them, as where the project is the home directory, counts as the last.
    """
    own = {layer.name: layer.directory / "skills" for layer in layers}
    shared = ((".claude", settings.compat), (".agents", True), (".agent", True))
    places = [
        Root("base", own["base"], is_users=True),
        Root("user", own["user"], is_users=True),
        *(Root(f"~/{name}", home / name / "skills", is_users=True) for name, wanted in shared if wanted),
        *(Root(f"project {name}", project / name / "skills") for name, wanted in shared[:2] if wanted),
        Root("project", own["project"]),
        Root("project .agent", project / ".agent/skills"),
        *(Root("configured", _expanded(path, project), configured=True) for path in settings.paths),
    ]
    last = {_real(root.path): number for number, root in enumerate(places)}
    return [places[number] for number in sorted(last.values())]


def _expanded(path: str, project: Path) -> Path:
    try:
        return project / os.path.expanduser(path)  # noqa: PTH111 - that of pathlib raises for a user who is unknown
    except ValueError:  # a NUL in it: reading says what is wrong
        return project / path


def _real(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL in it
        return str(path)


def discover(places: Iterable[Root], *, strict: bool = False) -> Catalogue:
    """Read the front matter of every skill in these roots. Later roots win; a root that is absent is passed over.

    What is refused, or can't be read, hides nothing. ``strict`` refuses what the strict loader does.
    """
    by_name: dict[str, Found] = {}
    refused: list[Refused] = []
    troubles: list[Trouble] = []
    for root in places:
        try:
            directories = _directories(root.path)
        except FileNotFoundError:
            if root.configured:
                troubles.append(Trouble(f"{root.path} does not exist", "see [skills] paths in config.toml"))
            continue
        except (OSError, ValueError) as error:  # ValueError: no system can have such a path
            reason = reason_of(error) if isinstance(error, OSError) else str(error)
            troubles.append(Trouble(f"{root.path} can't be read ({reason})"))
            continue
        for directory in directories:
            header = _read(directory, strict=strict)
            if header is None:
                continue
            if isinstance(header, SkillWarning):
                refused.append(Refused(header, root))
                continue
            before = by_name.get(header.name)
            shadowed = () if before is None else (before, *before.shadowed)
            by_name[header.name] = Found(header, root, shadowed)
    return Catalogue(dict(sorted(by_name.items())), tuple(refused), tuple(troubles))


def _read(directory: Path, *, strict: bool) -> SkillHeader | SkillWarning | None:
    """What the skill in a directory says of itself, or why it is refused; None if there is no skill."""
    header = read_skill_header(directory / SKILL_FILE)
    if isinstance(header, SkillWarning) and header.code is WarningCode.READ_FAILED and _holds_none(directory):
        return None
    return (refusal(directory) if strict else None) or header


def _directories(root: Path) -> list[Path]:
    """The subdirectories by name, and the links of which can't be told where they lead. Raises OSError."""
    with os.scandir(root) as entries:
        return [root / name for name in sorted(entry.name for entry in entries if _may_be_directory(entry))]


def _may_be_directory(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir() or (entry.is_symlink() and not os.path.exists(entry.path))  # noqa: PTH110 - quicker
    except OSError:
        return True  # a circle of links: reading it says so


def _holds_none(directory: Path) -> bool:
    """Whether a directory that is there has no ``SKILL.md``, not even a broken one."""
    try:
        return stat.S_ISDIR(directory.stat().st_mode) and not _is_there(directory / SKILL_FILE)
    except OSError:
        return False


def _is_there(path: Path) -> bool:
    """Whether there is something of this name, be it a link to nowhere. Raises OSError if that can't be told."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True
