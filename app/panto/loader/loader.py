"""Switches extensions on and off. A broken one is one diagnostic with file and line; the rest load."""

import asyncio
import importlib
import inspect
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeAlias

from panto.bus import Rank, contained, words
from panto.events import Notification
from panto.extension import Host, Shell
from panto.loader.policy import Policy
from panto.loader.sources import BUILT_IN, LAYERS, Candidate, Sources, forget, forget_module, make_importable

ACTIVATION_SECONDS = 30.0
"""How long an extension's ``activate`` may take."""

State: TypeAlias = Literal["on", "off", "denied", "untrusted", "broken"]


@dataclass
class Extension:
    """An extension that was found, and what became of it. ``why`` says what is wrong with a broken one."""

    candidate: Candidate
    state: State = "off"
    why: str = ""
    host: Host | None = None

    @property
    def id(self) -> str:
        """Its ``suite.name``."""
        return self.candidate.id

    @property
    def rank(self) -> Rank:
        """Its place in the order of handlers."""
        return Rank(LAYERS.index(self.candidate.layer), self.id)


class Loader:
    """Knows every extension there is. `load` once, then `switch_on` and `switch_off` at any time."""

    def __init__(self, shell: Shell, sources: Sources, policy: Policy) -> None:
        self._shell = shell
        self._sources = sources
        self._policy = policy
        self._extensions: dict[str, Extension] = {}
        self._activating = asyncio.Lock()

    @property
    def extensions(self) -> list[Extension]:
        """All extensions, in the order of their handlers."""
        return sorted(self._extensions.values(), key=lambda extension: extension.rank)

    def extension(self, extension_id: str) -> Extension:
        """The extension of that id. Raises `KeyError` if there is none."""
        return self._extensions[extension_id]

    async def load(self) -> None:
        """Find everything and switch on what the policy allows. Problems are told on the bus, none is raised.

        What is not built in is read anew, also if it was loaded before in this process.
        """
        candidates, problems = await asyncio.to_thread(self._sources.find)
        for candidate in candidates:
            if candidate.layer != BUILT_IN:
                forget(candidate)
        for problem in problems:
            self._warn(f"extensions: {problem.where}: {problem.message}")
        self._extensions = {candidate.id: Extension(candidate) for candidate in candidates}
        for glob in self._policy.idle(self._extensions):
            self._warn(f"extensions: the glob {glob!r} matches none", "panto-py extensions lists all ids")
        async with self._activating:
            for extension in self.extensions:
                await self._start(extension)
        self._tell_untrusted()
        self._tell_exceeding()

    async def switch_on(self, extension_id: str) -> Extension:
        """Switch one on, whatever the policy says; but never one that is not trusted. A broken one is read anew.

        Raises `KeyError` for an id that does not exist.
        """
        extension = self._extensions[extension_id]
        async with self._activating:
            if not extension.candidate.trusted:
                extension.state = "untrusted"
            elif extension.state != "on":
                if extension.state == "broken":
                    forget_module(extension.candidate.module)
                await self._activate(extension)
        return extension

    def switch_off(self, extension_id: str) -> Extension:
        """Switch one off and take back all that it registered. Raises `KeyError` for an unknown id."""
        extension = self._extensions[extension_id]
        if extension.state != "untrusted":
            self._close(extension, "off")
        return extension

    def close(self) -> None:
        """Switch all off, in the reverse order of their handlers."""
        for extension in reversed(self.extensions):
            if extension.host is not None:
                self._close(extension, "off")

    async def _start(self, extension: Extension) -> None:
        if not self._policy.allows(extension.id):
            extension.state = "denied"
        elif not extension.candidate.trusted:
            extension.state = "untrusted"
        else:
            await self._activate(extension)

    async def _activate(self, extension: Extension) -> None:
        extension.host = host = Host(extension.rank, self._shell)
        try:
            with self._shell.bus.record(extension.id).timed("load"):
                await self._run_activate(extension, host)
        except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises, the rest still loads
            if extension.host is not host:
                return  # it was switched off meanwhile, and so could register nothing more
            self._close(extension, "broken")
            extension.why = _fault(error, extension.candidate)
            self._shell.bus.fault(extension.rank, "load", extension.why)
        else:
            if extension.host is host:
                extension.state, extension.why = "on", ""

    async def _run_activate(self, extension: Extension, host: Host) -> None:
        with contained():
            module = await asyncio.to_thread(_import, extension.candidate)
            activate = getattr(module, "activate", None)
            if not callable(activate):
                raise TypeError("it has no function activate(host)")
            result = activate(host)
        if inspect.isawaitable(result):
            await self._shell.bus.limited(result, ACTIVATION_SECONDS, name=f"{extension.id}: activate")

    def _close(self, extension: Extension, state: State) -> None:
        host, extension.host = extension.host, None
        extension.state = state
        if host is not None:
            host.close()

    def _tell_untrusted(self) -> None:
        names = [extension.id for extension in self.extensions if extension.state == "untrusted"]
        if names:
            self._warn(
                f"this project brings code that is not run: {', '.join(names)}",
                "if you trust it, name its directory in [extensions] paths of your own config.toml",
            )

    def _tell_exceeding(self) -> None:
        names = [extension.id for extension in self.extensions if self._policy.exceeds(extension.id)]
        if names:
            self._shell.bus.tell(
                Notification(
                    f"this project's config does not switch on what yours switches off: {', '.join(names)}",
                    hint="a project's lists in [extensions] can only switch off; /extensions shows which line decides",
                )
            )

    def _warn(self, text: str, hint: str = "") -> None:
        self._shell.bus.tell(Notification(text, "warning", hint))


def _import(candidate: Candidate) -> ModuleType:
    make_importable(candidate)
    module = importlib.import_module(candidate.module)
    if module.__file__ is None or Path(module.__file__).parent.resolve() != candidate.file.parent.resolve():
        raise ImportError(f"{candidate.module} is another module already: {module.__file__}")
    return module


def _fault(error: Exception, candidate: Candidate) -> str:
    """What went wrong, with the line in the extension's own files where it did."""
    own = candidate.file.parent
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_relative_to(own):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(own)]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(candidate.file)
    return f"{where}: {words(error)}"
