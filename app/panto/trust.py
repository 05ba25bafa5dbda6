"""What a project's own config may grant: nothing, as long as the user has not said that they trust it.

A cloned repository can carry a config. It may forbid and set the look; it may not allow commands, loosen the mode, or
send the conversation to a server of its own.
"""

from dataclasses import replace

from panto.config import Config, load
from panto.events import Mode
from panto.loader.policy import Policy
from panto.paths import Paths

_PROJECT = "project"
_TIGHTEST_FIRST: tuple[Mode, ...] = ("plan", "ask", "build")


def trusted_allow_rules(config: Config) -> tuple[tuple[str, ...], int]:
    """The allow rules that count, and how many of the project's do not."""
    rules = config.permissions.allow
    kept = tuple(
        rule for number, rule in enumerate(rules) if config.origin("permissions", "allow", number).layer != _PROJECT
    )
    return kept, len(rules) - len(kept)


def trusted_mode(config: Config, paths: Paths) -> Mode:
    """The mode to begin with: a project can tighten it, never loosen it.

    With a layer left out because its file is broken, its rules are not in force: so everything that changes asks.
    """
    modes: list[Mode] = [config.mode]
    if config.origin("mode").layer == _PROJECT:
        modes.append(_without_project(paths).mode)
    if config.ignored:
        modes.append("ask")
    return next(mode for mode in _TIGHTEST_FIRST if mode in modes)


def trusts_project(_paths: Paths) -> bool:
    """Whether the user has said that they trust this project. Nobody has been asked yet, and so nobody has."""
    return False


def trusted_policy(config: Config, paths: Paths) -> Policy:
    """Which extensions are on: a project can switch off, never on what the user has switched off."""
    merged = Policy(config.extensions.allow, config.extensions.deny)
    if _PROJECT not in (config.origin("extensions", key).layer for key in ("allow", "deny")):
        return merged
    users = _without_project(paths).extensions
    return replace(merged, within=Policy(users.allow, users.deny))


def _without_project(paths: Paths) -> Config:
    return load(replace(paths, project=paths.user))


def own_server(config: Config, provider: str) -> str | None:
    """The address that the project's config gives a provider; None if it gives none."""
    found = config.providers.get(provider)
    if found is None or not found.base_url:
        return None
    return found.base_url if config.origin("providers", provider, "base_url").layer == _PROJECT else None
