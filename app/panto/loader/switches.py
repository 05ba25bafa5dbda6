"""Switches extensions for the user: now, and in a config.toml for every start from the next one on."""

import asyncio
from dataclasses import dataclass

from panto.bus import Bus
from panto.config.diagnostics import short_path
from panto.events import Notification
from panto.loader.facts import Facts, facts
from panto.loader.loader import Extension, Loader
from panto.loader.rewriting import write
from panto.loader.rulings import Rulings, Target
from panto.paths import Layer, Paths


@dataclass(frozen=True)
class Switches:
    """A loader's extensions, with what the config files say about them. The files are read anew each time."""

    loader: Loader
    paths: Paths
    bus: Bus

    async def facts(self) -> list[Facts]:
        """What there is to know about each extension now, in the order of their handlers."""
        rulings = await asyncio.to_thread(Rulings.read, self.paths)
        return [
            facts(extension, self.bus.record(extension.id), rulings.of(extension.id))
            for extension in self.loader.extensions
        ]

    async def switch(self, extension_id: str, on: bool, target: Target) -> Notification:
        """Switch an extension and write it down; what came of both, to be told to the user.

        What can't be written holds for now. What the target has no say in is refused, and nothing is changed. Raises
        `KeyError` for an id that does not exist.
        """
        from panto.config.edit import EditError  # noqa: PLC0415 - only who writes pays for tomlkit

        extension = self.loader.extension(extension_id)
        rulings = await asyncio.to_thread(Rulings.read, self.paths)
        refusal = _refusal(extension, rulings, target) if on else None
        if refusal is not None:
            return refusal
        if on:
            await self.loader.switch_on(extension_id)
        else:
            self.loader.switch_off(extension_id)
        try:
            wrote = await asyncio.to_thread(self._write, rulings, extension_id, on, target)
        except EditError as error:
            return _not_written(extension, error)
        now = await asyncio.to_thread(Rulings.read, self.paths)
        return _told(extension, on, now, self._layer(target) if wrote else None)

    def _write(self, rulings: Rulings, extension_id: str, on: bool, target: Target) -> bool:
        known = [extension.id for extension in self.loader.extensions]
        return write(self.paths, self._layer(target), rulings.policy(target), extension_id, on, known)

    def _layer(self, target: Target) -> Layer:
        return self.paths.project if target == "project" else self.paths.user


def _refusal(extension: Extension, rulings: Rulings, target: Target) -> Notification | None:
    """Why an extension can't be switched on; None if it can."""
    if not extension.candidate.trusted:
        return Notification(
            f"{extension.id} is code that this project brings: it is not run",
            "warning",
            "if you trust it, name its directory in [extensions] paths of your own config.toml",
        )
    users = rulings.users_ruling(extension.id)
    if target == "project" and not users.allowed:
        return Notification(
            f"a project can't switch on what your own config switches off: {users}, {users.origin}",
            "warning",
            "choose the user's config.toml, and switch it on there",
        )
    return None


def _told(extension: Extension, on: bool, rulings: Rulings, wrote: Layer | None) -> Notification:
    """What came of a switch that no file stood in the way of. ``wrote``: the layer whose file was changed."""
    if extension.state == "broken":
        return Notification(f"{extension.id} was tried, and is broken", "error", extension.why)
    ruling = rulings.of(extension.id)
    if ruling.allowed != on:
        return Notification(
            f"{_now(extension)}, and {_state(not on)} again from the next start on: {ruling}, {ruling.origin}",
            "warning",
            f"choose the {_owner(ruling.origin.layer)} config.toml to change that" if on else "",
        )
    if wrote is None:
        return Notification(f"{_now(extension)}, as the config has it")
    return Notification(f"{_now(extension)}, and from the next start on: {short_path(wrote.config_file)}")


def _not_written(extension: Extension, error: Exception) -> Notification:
    return Notification(f"{_now(extension)}, but not from the next start on: it is not written", "warning", str(error))


def _now(extension: Extension) -> str:
    return f"{extension.id} is {extension.state} now"


def _state(on: bool) -> str:
    return "on" if on else "off"


def _owner(layer: str) -> str:
    return "project's" if layer == "project" else "user's"
