"""What the config files say about each extension now, and in which file and line."""

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from panto.config import Config, Origin, load
from panto.config.diagnostics import quoted
from panto.loader.policy import Policy
from panto.paths import Paths

Target: TypeAlias = Literal["user", "project"]
"""The layers whose config.toml a toggle can be written to."""


@dataclass(frozen=True)
class Ruling:
    """What decides that an extension is allowed or not: a glob of one of the two lists, and where it stands.

    ``glob`` is empty where none of ``allow`` matches.
    """

    allowed: bool
    glob: str
    origin: Origin

    def __str__(self) -> str:
        """As in ``denied by "agent.*"``. Safe to print."""
        if not self.glob:
            return "no glob of allow matches"
        return f"{'allowed' if self.allowed else 'denied'} by {quoted(self.glob)}"


@dataclass(frozen=True)
class Rulings:
    """The config files as they were when they were read: all layers, and all but the project's."""

    merged: Config
    users: Config

    @classmethod
    def read(cls, paths: Paths) -> "Rulings":
        """Read the files. Blocks on the disk for milliseconds."""
        return cls(load(paths), load(replace(paths, project=paths.user)))

    def of(self, extension: str) -> Ruling:
        """What decides about an extension. The project's lists can only forbid what the user's allow."""
        users = self.users_ruling(extension)
        return _ruling(self.merged, extension) if users.allowed else users

    def users_ruling(self, extension: str) -> Ruling:
        """What would decide about an extension in a project without a config."""
        return _ruling(self.users, extension)

    def policy(self, layer: Target) -> Policy:
        """The lists that are in effect for a layer's file: its own, or those of the layers below where it has none."""
        extensions = (self.merged if layer == "project" else self.users).extensions
        return Policy(extensions.allow, extensions.deny)


def _ruling(config: Config, extension: str) -> Ruling:
    lists = config.extensions
    for at, glob in enumerate(lists.deny):
        if fnmatchcase(extension, glob):
            return Ruling(False, glob, config.origin("extensions", "deny", at))
    for at, glob in enumerate(lists.allow):
        if fnmatchcase(extension, glob):
            return Ruling(True, glob, config.origin("extensions", "allow", at))
    return Ruling(False, "", config.origin("extensions", "allow"))
