"""The rooms put together, without a screen: config, bus, extensions, store, model and session.

`Program` is an async context. The screen watches its bus from the start, then calls `load` and `open_session`; both
tell the bus of what goes wrong and raise nothing for what files, servers and extensions may do.
"""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from panto.agent.conversation import Conversation
from panto.agent.model_call import Model, ModelUnavailable
from panto.agent.session import AgentSession
from panto.auth import StoredKeys, keys_directory, read_stored
from panto.bus import Bus
from panto.config import Config, load as load_config
from panto.config.diagnostics import short_path
from panto.config.source import TomlValue
from panto.events import AppStart, AppStop, Mode, ModeChange, ModelChange, Notification, SessionReason, Severity
from panto.extension import LayerDirectory, Shell
from panto.loader import Loader, Sources, Switches, Target
from panto.model_shelf import change_shelf
from panto.models import Models
from panto.offers import Offers
from panto.paths import Paths
from panto.permissions.approval import Approve
from panto.permissions.gate import Gate, read_rules
from panto.permissions.guard import Guard
from panto.sessions.store import Session, Store, StoreError, memory_store, open_store
from panto.tools import ToolBox
from panto.trust import trusted_allow_rules, trusted_mode, trusted_policy, trusts_project

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    """What the command line asked for."""

    project: Path
    model: str | None = None
    mode: Mode | None = None
    theme: str | None = None
    demo: bool = False
    thinking: str | None = None
    """How much the model thinks, if that was chosen since the start."""
    resume: str | None = None
    """The beginning of a session's id; empty for the project's latest; None for a new session."""

    def settings(self) -> dict[str, TomlValue]:
        """The options that are settings, as the uppermost layer of the config."""
        given: dict[str, str | None] = {
            "model": "demo/panto-demo" if self.demo else self.model,
            "mode": self.mode,
            "theme": self.theme,
            "thinking": self.thinking,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass
class Program:
    """Everything that runs behind the screen. Made by `open_program`."""

    options: Options
    paths: Paths
    config: Config
    bus: Bus
    approve: Approve
    tools: ToolBox = field(default_factory=ToolBox)
    offers: Offers = field(default_factory=Offers)
    session: AgentSession | None = None
    stored: StoredKeys = field(default_factory=StoredKeys)

    def __post_init__(self) -> None:
        permissions = self.config.permissions
        allowed, self._left_out = trusted_allow_rules(self.config)
        rules, self._rule_problems = read_rules(permissions.deny, permissions.ask, allowed)
        self.gate = Gate(self.paths.root, trusted_mode(self.config, self.paths), rules)
        self._first_mode = self.gate.mode
        self.guard = Guard(self.gate, self.approve)
        wire_log = self.paths.wire_log if self.config.debug.wire else None
        self.models = Models(self.config, os.environ, self.stored, wire_log)
        self.loader = Loader(
            Shell(
                bus=self.bus,
                tools=self.tools,
                offers=self.offers,
                guard=self.guard,
                settings=self.config,
                project=self.paths.root,
                home=Path.home(),
                layers=tuple(
                    LayerDirectory(layer.name, layer.directory, layer.rules_dir) for layer in self.paths.layers
                ),
                trusts_project=trusts_project(self.paths),
            ),
            _sources(self.config, self.paths),
            trusted_policy(self.config, self.paths),
        )
        self.switches = Switches(self.loader, self.paths, self.bus)
        self._toggling = asyncio.Lock()
        self._store: Store | None = None

    async def load(self) -> None:
        """Load the extensions, and tell what is wrong with the config."""
        for diagnostic in self.config.diagnostics:
            self.notify(str(diagnostic), "error" if diagnostic.severity == "error" else "warning")
        for problem in self._rule_problems:
            self.notify(f"[permissions]: {problem}", "warning")
        if self._left_out:
            self.notify(
                f"{self._left_out} allow rules of this project's config do not count",
                "warning",
                "a project can forbid, not allow; put those you want into your own config.toml",
            )
        if self.gate.mode != self.config.mode:
            self.notify(f"the mode is {self.gate.mode}, not {self.config.mode}: {self._why_tighter()}", "warning")
        if self.config.debug.wire:
            self.notify(f"[debug] wire is on: requests and answers are written to {short_path(self.paths.wire_log)}")
        known = len(self.config.diagnostics)
        await self.loader.load()
        for diagnostic in (*self.config.diagnostics[known:], *self.config.unclaimed()):
            self.notify(str(diagnostic), "warning")
        await self.bus.emit(AppStart(self.paths.root))

    async def open_session(self) -> AgentSession:
        """Open the session that the options ask for, or a new one."""
        self._store = await self._open_store()
        found = await self._session_to_resume(self._store)
        session = found or await self._store.new_session(self.paths.root)
        entries, unreadable = await self._store.entries(session) if found else ([], 0)
        if unreadable:
            self.notify(f"{unreadable} entries of this session can't be read and are left out", "warning")
        return await self._begin(Conversation(self._store, session, entries), "resume" if found else "new")

    async def new_session(self) -> AgentSession:
        """Begin a new session in place of the present one, which must be idle."""
        if self._store is None:
            return await self.open_session()
        session = await self._store.new_session(self.paths.root)
        return await self._begin(Conversation(self._store, session), "clear")

    def queued(self) -> tuple[str, ...]:
        """What was said and is not delivered yet, in order."""
        return () if self.session is None else self.session.queued

    def options_now(self) -> Options:
        """The options that lead back here: the same session, and what the user has chosen since the start."""
        session = self.session
        empty = session is None or session.conversation.is_empty
        return replace(
            self.options,
            model=self.options.model if self.models.name == self.config.model else self.models.name,
            demo=self.options.demo and self.models.name == self.config.model,
            mode=self.options.mode if self.gate.mode == self._first_mode else self.gate.mode,
            thinking=self.options.thinking if self.models.thinking == self.config.thinking else self.models.thinking,
            resume=None if session is None or empty else session.conversation.id,
        )

    async def close(self) -> None:
        """Close everything that `load` and `open_session` opened."""
        await self.bus.emit(AppStop())
        self.loader.close()
        await self.models.close()
        if self._store is not None:
            await self._store.close()

    async def set_mode(self, mode: Mode) -> None:
        """Change the mode. Only the user may."""
        self.gate.mode = mode
        await self.bus.emit(ModeChange(mode))

    async def set_model(self, name: str) -> None:
        """Talk to another model from the next turn on. It is remembered as one that was chosen."""
        self.models.choose(name)
        await self.bus.emit(ModelChange(name))
        if self.models.problem() is None:
            with suppress(OSError):  # a state directory that can't be written is told of by what needs it more
                await asyncio.to_thread(change_shelf, self.paths.model_shelf, lambda shelf: shelf.chosen(name))

    async def toggle_extension(self, extension_id: str, on: bool, layer: Target) -> Notification:
        """Switch an extension on or off: now, and in a layer's config.toml for every later start.

        The session feels it with its next request: tools and handlers come and go, and the system prompt is made anew.
        What comes back is to be told to the user. Raises `KeyError` for an id that does not exist.
        """
        async with self._toggling:
            extension = self.loader.extension(extension_id)
            before = extension.state
            told = await self.switches.switch(extension_id, on, layer)
            if extension.state == "on" != before:
                await self.bus.emit(AppStart(self.paths.root), to=extension_id)
            if self.session is not None and "on" in (before, extension.state) and extension.state != before:
                await self.session.start("resume")
        return told

    def notify(self, text: str, severity: Severity = "info", hint: str = "") -> None:
        """Tell the user something."""
        self.bus.tell(Notification(text, severity, hint))

    async def choose_model(self, name: str | None = None) -> Model | ModelUnavailable:
        """The model of that name; without one, the model that is chosen."""
        return await self.models.current(name)

    def _why_tighter(self) -> str:
        if self.config.ignored:
            return "a config file could not be read, and so its rules are not in force; Shift+Tab changes it"
        return "a project can tighten the mode, not loosen it; Shift+Tab changes it"

    async def _begin(self, conversation: Conversation, reason: SessionReason) -> AgentSession:
        self.session = AgentSession(
            bus=self.bus,
            tools=self.tools,
            guard=self.guard,
            conversation=conversation,
            project=self.paths.root,
            choose_model=self.choose_model,
            log_file=self.paths.log_file,
        )
        await self.session.start(reason)
        return self.session

    async def _open_store(self) -> Store:
        try:
            return await open_store(self.paths.database)
        except StoreError as error:
            self.notify(str(error), "error", "this session works, but nothing of it is kept")
            return await memory_store()

    async def _session_to_resume(self, store: Store) -> Session | None:
        wanted = self.options.resume
        if wanted is None:
            return None
        if not wanted:
            latest = await store.latest(self.paths.root)
            if latest is None:
                self.notify("there is no session of this project yet; this is a new one")
            return latest
        found = await store.find(wanted)
        if len(found) == 1:
            return found[0]
        which = f"{len(found)} sessions begin" if found else "no session begins"
        self.notify(f"{which} with {wanted!r}; this is a new one", "warning", "give more of the id")
        return None


@asynccontextmanager
async def open_program(options: Options, approve: Approve) -> AsyncGenerator[Program]:
    """A program for one project, with its bus running; everything is closed behind it."""
    paths = await asyncio.to_thread(Paths.discover, options.project)
    config = await asyncio.to_thread(load_config, paths, options.settings())
    stored = await asyncio.to_thread(read_stored, keys_directory(paths))
    async with Bus() as bus:
        program = Program(options, paths, config, bus, approve, stored=stored)
        try:
            yield program
        finally:
            await program.close()


def _sources(config: Config, paths: Paths) -> Sources:
    return Sources(
        layers=tuple((layer.name, layer.extensions) for layer in paths.layers),
        paths=tuple(_extension_path(config, number) for number in range(len(config.extensions.paths))),
        packages=config.extensions.packages,
        paths_layer=_layer(config, "paths"),
        packages_layer=_layer(config, "packages"),
    )


def _extension_path(config: Config, number: int) -> Path:
    """A directory with extensions; a relative one is relative to the file that names it."""
    file = config.origin("extensions", "paths", number).file
    path = Path(config.extensions.paths[number]).expanduser()
    return path if file is None else file.parent / path


def _layer(config: Config, key: str) -> str:
    """The layer that a list of extensions comes from, which decides whether it is trusted."""
    layer = config.origin("extensions", key).layer
    return layer if layer in ("base", "user", "project") else "user"
