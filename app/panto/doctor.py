"""`panto-py doctor`: what there is on this machine that the program depends on, and what is wrong with it."""

import asyncio
import locale
import os
import platform
import shutil
import sqlite3
import sys
import sysconfig
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from panto.auth import StoredKeys, keys_directory, read_stored
from panto.config import Config, load
from panto.config.diagnostics import short_path, visible
from panto.llm.offered import offered_providers
from panto.llm.types import Failure
from panto.models import Models
from panto.paths import Paths
from panto.process import ProcessError, run_process
from panto.terminal_probe import Terminal, multiplexer, probe

_GLYPHS = "● ◌ ┃ ▌ ▸ ▰▱ ✗ ╭─╮ é 日本"
_SECONDS = 10.0
"""How long a program may take to tell its version."""
_SETTINGS = ("TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "SSH_CONNECTION")


@dataclass(frozen=True)
class Finding:
    """One line. ``problem``: something does not work, and ``hint`` says what to do."""

    what: str
    says: str
    problem: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Tool:
    """A program that ours calls. ``needed_for``: what does not work without it; empty if there is another way."""

    name: str
    needed_for: str = ""
    without: str = ""


TOOLS = (
    Tool("git", "branches, changed files and undo"),
    Tool("rg", "searching and listing files"),
    Tool("bash", "the model's commands"),
    Tool("tmux", without="not used"),
)


def doctor(project: Path, environ: Mapping[str, str] = os.environ) -> tuple[list[str], bool]:
    """All findings as lines to print, and whether nothing is wrong."""
    paths = Paths.discover(project, environ)
    config, stored = load(paths), read_stored(keys_directory(paths))
    terminal = probe()
    sections = asyncio.run(_sections(paths, config, stored, terminal, environ))
    lines: list[str] = []
    for title, findings in sections.items():
        lines += [*([""] if lines else []), title, *(line for finding in findings for line in _lines(finding))]
    problems = sum(finding.problem for findings in sections.values() for finding in findings)
    told = "nothing is wrong" if not problems else f"{problems} {'thing is' if problems == 1 else 'things are'} wrong"
    return [*lines, "", told], not problems


async def _sections(
    paths: Paths, config: Config, stored: StoredKeys, terminal: Terminal, environ: Mapping[str, str]
) -> dict[str, list[Finding]]:
    return {
        "Program": [
            Finding("panto-py", version("panto-py")),
            Finding("python", f"{platform.python_version()}  {sys.executable}"),
            Finding("system", platform.platform()),
        ],
        "Terminal": list(_terminal(terminal, environ)),
        "Tools": [finding async for finding in _tools()],
        "Places": list(_places(paths)),
        "Settings": list(_settings(config)),
        "Providers": [finding async for finding in _providers(config, stored, environ)],
    }


def _terminal(terminal: Terminal, environ: Mapping[str, str]) -> Iterator[Finding]:
    yield from (Finding(name, environ[name]) for name in _SETTINGS if environ.get(name))
    if not sys.stdout.isatty():
        yield Finding("terminal", "standard output is none, so it is not asked")
    else:
        size = shutil.get_terminal_size()
        yield Finding("size", f"{size.columns} x {size.lines}")
        yield Finding("name", terminal.name or "it does not say")
        yield Finding("Shift+Enter", _told(terminal.kitty_keys, "is told from Enter", "is Enter; Alt+Enter or Ctrl+J"))
        yield Finding("pictures", _told(terminal.synchronised, "are shown when they are whole", "may flicker"))
    if multiplexer():
        yield Finding("inside of", multiplexer())
    encoding = locale.getpreferredencoding(do_setlocale=False)
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    yield Finding("encoding", encoding, problem=not is_utf8, hint="" if is_utf8 else "set LANG to a UTF-8 locale")
    yield Finding("font", f"{_GLYPHS}   (what is a box here, the font does not have)")


def _told(answer: bool | None, yes: str, no: str) -> str:
    return "it does not say" if answer is None else yes if answer else no


async def _tools() -> AsyncIterator[Finding]:
    for tool in TOOLS:
        path = shutil.which(tool.name, path=sysconfig.get_path("scripts")) or shutil.which(tool.name)
        if path is not None:
            yield Finding(tool.name, f"{await _version(path)}  {path}".strip())
        elif tool.needed_for:
            yield Finding(tool.name, "not found", problem=True, hint=f"install it: {tool.needed_for} depend on it")
        else:
            yield Finding(tool.name, f"not found; {tool.without}")


async def _version(path: str) -> str:
    """The first line of what a program says of its version; empty if it says nothing."""
    for argument in ("--version", "-V"):
        try:
            result = await run_process([path, argument], cwd=Path("/"), timeout_seconds=_SECONDS)
        except ProcessError:
            return ""
        if result.ok:
            return result.output.text.strip().partition("\n")[0]
    return ""


def _places(paths: Paths) -> Iterator[Finding]:
    for layer in paths.layers:
        there = "" if layer.config_file.exists() else "  (not there)"
        yield Finding(f"{layer.name} config", f"{short_path(layer.config_file)}{there}")
    yield Finding("log", short_path(paths.log_file))
    yield _writable("state", paths.state)
    yield _writable("cache", paths.cache)
    yield _database(paths.database)


def _writable(name: str, directory: Path) -> Finding:
    """Whether something can be written into a directory, or it can be made."""
    nearest = next(path for path in (directory, *directory.parents) if path.exists())
    fine = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
    hint = "" if fine else f"make {short_path(nearest)} a directory that you can write to"
    return Finding(name, short_path(directory) + ("" if fine else "  can't be written to"), problem=not fine, hint=hint)


def _database(file: Path) -> Finding:
    if not file.exists():
        return Finding("sessions", f"{short_path(file)}  (none yet)")
    size = f"{file.stat().st_size / 1e6:.1f} MB"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            (told,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            (count,) = connection.execute("SELECT count(*) FROM sessions").fetchone()
    except sqlite3.Error as error:
        told, count = str(error), 0
    if told == "ok":
        return Finding("sessions", f"{count} in {short_path(file)}, {size}, sound")
    return Finding(
        "sessions", f"{short_path(file)}: {told}", problem=True, hint="move the file away to begin a new one"
    )


def _settings(config: Config) -> Iterator[Finding]:
    if not config.diagnostics:
        yield Finding("config", "nothing to complain of")
    for found in config.diagnostics:
        yield Finding(found.severity, str(found), problem=True)


async def _providers(config: Config, stored: StoredKeys, environ: Mapping[str, str]) -> AsyncIterator[Finding]:
    providers = [one for one in offered_providers(config, environ, stored) if one.set_up]
    if not providers:
        hint = (
            "set a key in the environment or with panto-py auth, or describe a server in config; --demo needs neither"
        )
        yield Finding("providers", "none is set up", problem=True, hint=hint)
    models = Models(config, environ, stored, None)
    try:
        answers = await asyncio.gather(*(models.listed(one.name) for one in providers))
    finally:
        await models.close()
    for one, answer in zip(providers, answers, strict=True):
        if isinstance(answer, Failure):
            yield Finding(one.name, answer.message, problem=True, hint=answer.hint)
        else:
            yield Finding(one.name, f"answers, with {len(answer)} models")


def _lines(finding: Finding) -> Sequence[str]:
    mark = "!" if finding.problem else " "
    lines = [visible(f" {mark} {finding.what:<15} {finding.says}".rstrip())]
    return [*lines, visible(f"   {'':<15} {finding.hint}")] if finding.hint else lines
