"""From a toggle to the policy's new lists: the smallest change that makes it so and leaves all others as they were."""

import glob
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import cast

from panto.loader.policy import Policy
from panto.paths import Layer, Paths


def rewritten(policy: Policy, extension: str, on: bool, known: Iterable[str]) -> Policy:
    """The policy under which an extension is on, or off, and every other of the ``known`` ids is what it was.

    A glob of ``deny`` that stands in the way gives way to the other ids that it matches.
    """
    if policy.allows(extension) == on:
        return policy
    if not on:
        return replace(policy, deny=(*policy.deny, exactly(extension)))
    allow = policy.allow if _matches(extension, policy.allow) else (*policy.allow, exactly(extension))
    return replace(policy, allow=allow, deny=_not_denying(policy.deny, extension, known))


def exactly(extension: str) -> str:
    """The glob that matches this id and no other."""
    return glob.escape(extension)


def write(paths: Paths, layer: Layer, before: Policy, extension: str, on: bool, known: Iterable[str]) -> bool:
    """Have a layer's config.toml say that an extension is on, or off; whether the file had to be changed.

    ``before`` is the policy that is in effect for that file: its own lists, or those of the layers below where it has
    none. Raises `EditError`.
    """
    from panto.config.edit import update_key  # noqa: PLC0415 - only who writes pays for tomlkit

    known = tuple(known)

    def allow(present: object) -> Sequence[str]:
        return rewritten(replace(before, allow=_own(present, before.allow)), extension, on, known).allow

    def deny(present: object) -> Sequence[str]:
        return rewritten(replace(before, deny=_own(present, before.deny)), extension, on, known).deny

    after = rewritten(before, extension, on, known)
    within = paths.root if layer.name == "project" else None
    changed = False
    if after.deny != before.deny:
        changed |= update_key(layer.config_file, ("extensions", "deny"), deny, within=within)
    if after.allow != before.allow:
        changed |= update_key(layer.config_file, ("extensions", "allow"), allow, within=within)
    return changed


def _own(present: object, inherited: Sequence[str]) -> Sequence[str]:
    """A file's own list; the one that is in effect where it has none, or one that does not count."""
    if not isinstance(present, list):
        return inherited
    items = cast("list[object]", present)
    texts = [item for item in items if isinstance(item, str)]
    return texts if len(texts) == len(items) else inherited


def _not_denying(deny: Sequence[str], extension: str, known: Iterable[str]) -> tuple[str, ...]:
    others = sorted(set(known) - {extension})
    staying = [pattern for pattern in deny if not fnmatchcase(extension, pattern)]
    result: list[str] = []
    for pattern in deny:
        if pattern in staying:
            result.append(pattern)
            continue
        denied = [other for other in others if fnmatchcase(other, pattern)]
        result += [exactly(other) for other in denied if not _matches(other, (*staying, *result))]
    return tuple(result)


def _matches(extension: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(extension, pattern) for pattern in globs)
