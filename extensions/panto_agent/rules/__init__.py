"""``agent.rules``: the project's rules, and the user's, where the model reads them.

At session start the rules file of each layer (``AGENTS.md``, else ``CLAUDE.md``) becomes a message of the system
prompt. Later, a read below the project's root brings along the rules files between the place that was read and the
root. Each real file is injected once a session; the screen shows ``+ rules: <path>``, the model gets the text.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from panto import Assistant, Command, Host, Message, SessionStart, ToolError, ToolMessage, ToolResult, resolve_path
from panto_agent.rules._files import NAMES, Reader, RulesFile, real_path

READ = "std.read"
NOTE = "+ rules: "


class RulesSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[rules]``."""

    imports: bool = True
    """Whether a line ``@path`` in a rules file stands for that file's text."""


@dataclass
class Rules:
    """The rules of the present session: what was injected, from where, and what was not and why."""

    host: Host
    settings: RulesSettings
    injected: set[Path] = field(default_factory=set[Path])
    report: list[str] = field(default_factory=list[str])
    attaching: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.root = real_path(self.host.project)
        self.reader = Reader(self.root, self.settings.imports, self._problem)

    async def start(self, event: SessionStart) -> None:
        """Put each layer's rules into the system prompt, and take up what the history holds."""
        self.injected.clear()
        self.report.clear()
        for layer in self.host.layers:
            found = await asyncio.to_thread(self.reader.first, layer.rules, frozenset(self.injected))
            if found is not None and self._take(found, layer.name):
                event.system.append(found.section)
        self.injected |= await asyncio.to_thread(set, self._in_history(event.history))

    async def attach(self, event: ToolResult) -> None:
        """Append the rules between the place that was read and the root, the outermost first."""
        if event.is_error or not event.paths:
            return
        async with self.attaching:  # of two reads at once, the second must see what the first has brought
            await self._attach(event, event.paths[0])

    async def _attach(self, event: ToolResult, read: Path) -> None:
        place = await asyncio.to_thread(real_path, read)
        if not place.is_relative_to(self.root):
            return
        if read.name in NAMES or place.name in NAMES:
            self.injected.add(place)
        sections = [event.output]
        for directory in await asyncio.to_thread(_below, self.root, place):
            found = await asyncio.to_thread(self.reader.first, directory, frozenset(self.injected))
            if found is not None and self._take(found, "read"):
                sections.append(found.section)
                event.notes.append(f"{NOTE}{self._shown(found.path)}")
        event.output = "\n\n---\n\n".join(sections)

    async def describe(self, _arguments: str) -> str:
        """What was loaded, from where and how large, and what was not and why."""
        return "\n".join(self.report) or "No rules: there is no AGENTS.md or CLAUDE.md in any layer."

    def _take(self, found: RulesFile, source: str) -> bool:
        """Whether a file is to be injected now: it says something, and has not been injected yet."""
        where = f"{source}: {self._shown(found.path)}"
        if found.path in self.injected:
            self.report.append(f"- {where} is there already")
            return False
        self.injected.update((found.path, *found.imported))
        if not found.text.strip():
            self.report.append(f"- {where} is empty")
            return False
        self.report.append(f"- {where} ({found.size} bytes)")
        return True

    def _in_history(self, history: Iterable[Message]) -> Iterator[Path]:
        """The rules files that a history holds: those attached to a read, with what they import, and those read."""
        reader = Reader(self.root, self.settings.imports, lambda _problem: None)
        for path in _attached(history, self.host.project):
            yield path
            with suppress(OSError):  # it is gone since: so are its imports
                yield from reader.read(path).imported
        yield from _read(history, self.host.project)

    def _shown(self, path: Path) -> str:
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def _problem(self, text: str) -> None:
        self.report.append(f"- {text}")
        self.host.notify(text, "warning")


def _below(root: Path, place: Path) -> list[Path]:
    """The directories from below the root down to a place, which may be a file."""
    directory = place if place.is_dir() else place.parent
    parts = directory.relative_to(root).parts if directory.is_relative_to(root) else ()
    return [root.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]


def _attached(history: Iterable[Message], project: Path) -> Iterator[Path]:
    """The rules files that came along with reads."""
    for message in history:
        if isinstance(message, ToolMessage):
            for output in message.parts:
                yield from (real_path(project / note[len(NOTE) :]) for note in output.notes if note.startswith(NOTE))


def _read(history: Iterable[Message], project: Path) -> Iterator[Path]:
    """The rules files that were read themselves, under whatever name."""
    read: dict[str, str] = {}
    for message in history:
        if isinstance(message, Assistant):
            read.update({call.id: str(call.arguments.get("path", "")) for call in message.calls if call.name == READ})
        elif isinstance(message, ToolMessage):
            for path in (read.get(output.call_id, "") for output in message.parts if not output.is_error):
                with suppress(ToolError):
                    yield from _if_rules(resolve_path(path, project))


def _if_rules(path: Path) -> Iterator[Path]:
    real = real_path(path)
    if path.name in NAMES or real.name in NAMES:
        yield real


def activate(host: Host) -> None:
    """Switch the rules on."""
    rules = Rules(host, host.settings("rules", RulesSettings))
    host.on(SessionStart, rules.start)
    host.on(ToolResult, rules.attach, tool=READ)
    host.add_command(Command("rules", "list the rules files in force, and those left out", rules.describe))
