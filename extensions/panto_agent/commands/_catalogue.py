"""Which commands there are: the places looked into, what each holds, and which file a name stands for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from panto import LayerDirectory
from panto_agent.commands._document import CommandFileError, read_command_file
from panto_agent.commands._walk import SUFFIX, Fault, Walk
from panto_agent.skill._files import is_text_name
from panto_agent.skill._records import shown

NAME = re.compile(r"[A-Za-z][\w:.-]*")
"""What the prompt takes for a command's name."""


class CommandsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[commands]``."""

    compat: bool = True
    """Whether the project's ``.claude/commands`` is looked into."""


@dataclass(frozen=True)
class Root:
    """A directory that may hold command files. ``own``: they are the user's, not the project's."""

    label: str
    path: Path
    own: bool = False


@dataclass(frozen=True)
class Found:
    """A command that was found, what its file said of it then, and the files of its name that it stands in front of."""

    name: str
    path: Path
    root: Root
    description: str
    hint: str
    shadowed: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """All commands by name, sorted, and what was refused."""

    commands: dict[str, Found]
    refused: tuple[Fault, ...]


def roots(layers: Iterable[LayerDirectory], project: Path, *, compat: bool) -> list[Root]:
    """The places, lowest priority first."""
    own = {layer.name: layer.directory / "commands" for layer in layers}
    shared = (".claude", ".agents") if compat else (".agents",)
    return [
        Root("base", own["base"], own=True),
        Root("user", own["user"], own=True),
        *(Root(f"project {name}", project / name / "commands") for name in shared),
        Root("project", own["project"]),
    ]


def discover(places: Iterable[Root], inside: Path | None) -> Catalogue:
    """Read the command files in these places. Later places win.

    ``inside`` is the real path that a project's files may not lead out of, None if they may.
    """
    commands: dict[str, Found] = {}
    refused: list[Fault] = []
    for root in places:
        limit = None if root.own else inside
        walk = Walk(root.path, limit)
        for path in walk.files():
            try:
                name = _name(path.relative_to(root.path))
                file = read_command_file(path, limit)
            except CommandFileError as error:
                refused.append(Fault(path, error.reason, error.line))
                continue
            before = commands.get(name)
            shadowed = () if before is None else (before.path, *before.shadowed)
            commands[name] = Found(name, path, root, file.description, file.hint, shadowed)
        refused.extend(walk.faults)
    return Catalogue(dict(sorted(commands.items())), tuple(refused))


def _name(path: Path) -> str:
    """The name of a command, by its file's path below the root. Raises `CommandFileError` if it can be none."""
    name = ":".join(path.parts).removesuffix(SUFFIX)
    if not is_text_name(name) or NAME.fullmatch(name) is None:
        raise CommandFileError(
            f"/{shown(name)} is no name for a command: one starts with a letter from a to z and goes on with"
            " letters, digits and any of _ . -"
        )
    return name
