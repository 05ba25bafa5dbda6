"""Which extensions are switched on: globs over their ids, deny over allow."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Policy:
    """The globs of ``[extensions]``."""

    allow: Sequence[str] = ("*",)
    deny: Sequence[str] = ()
    within: "Policy | None" = None
    """One that must allow it, too."""

    def allows(self, extension: str) -> bool:
        """Whether an extension of that id is on."""
        own = _any(extension, self.allow) and not _any(extension, self.deny)
        return own and (self.within is None or self.within.allows(extension))

    def exceeds(self, extension: str) -> bool:
        """Whether these globs would have an extension on which the policy that it is within does not allow."""
        return replace(self, within=None).allows(extension) and not self.allows(extension)

    def idle(self, extensions: Iterable[str]) -> list[str]:
        """The globs that match none of these ids: most likely misspelled. ``*`` is never one."""
        ids = list(extensions)
        globs = dict.fromkeys((*self.allow, *self.deny))
        return [glob for glob in globs if glob != "*" and not any(fnmatchcase(name, glob) for name in ids)]


def _any(extension: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(extension, glob) for glob in globs)
