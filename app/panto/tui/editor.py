"""Opening a file at a line in the user's editor.

Editors that live in the terminal take the place of the screen until they end. Those with a window of their own are
started and left alone.
"""

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from textual.app import App, SuspendNotSupported

VARIABLES = ("VISUAL", "EDITOR")
"""Where the user says which editor they like: the first that is set."""
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
_SIDES = ("a/", "b/")
"""What diffs put in front of paths."""
_START_SECONDS = 1.0
"""How long a program with a window is watched for an early end."""
_NOT_FOUND = "set EDITOR to a program that is installed, as in: export EDITOR=nano"


class EditorError(Exception):
    """A file can't be opened. ``hint`` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def has_display(environment: Mapping[str, str]) -> bool:
    """Whether a window could open."""
    return any(environment.get(name) for name in _DISPLAYS)


@dataclass(frozen=True)
class Form:
    """How an editor is told where to go: ``{path}``, ``{line}`` and ``{column}`` stand for what they say.

    ``in_terminal``: it runs in the terminal. ``terminal_flags`` and ``window_flags`` make it do otherwise; with
    ``follows_display`` it has a window wherever there can be one.
    """

    arguments: Sequence[str]
    in_terminal: bool = True
    terminal_flags: frozenset[str] = field(default_factory=frozenset[str])
    window_flags: frozenset[str] = field(default_factory=frozenset[str])
    follows_display: bool = False

    def is_in_terminal(self, arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
        """Whether it runs in the terminal, with these arguments of the user's own and in this environment."""
        if not self.terminal_flags.isdisjoint(arguments):
            return True
        if not self.window_flags.isdisjoint(arguments) or (self.follows_display and has_display(environment)):
            return False
        return self.in_terminal


_PLACE = "{path}:{line}:{column}"
_TERMINAL_EMACS = frozenset({"-nw", "--no-window-system", "-t", "-tty", "--tty", "--nw"})
_VIM = Form(("+call cursor({line},{column})", "{path}"), window_flags=frozenset({"-g"}))
_PLUS = Form(("+{line}", "{path}"))
_PLUS_COMMA = Form(("+{line},{column}", "{path}"))
_PLUS_COLON = Form(("+{line}:{column}", "{path}"))
_COLONS = Form((_PLACE,))
_GOTO = Form(("--goto", _PLACE), in_terminal=False)
_WINDOW_COLONS = Form((_PLACE,), in_terminal=False)
_JETBRAINS = Form(("--line", "{line}", "{path}"), in_terminal=False)
_UNKNOWN = Form(("{path}",))

FORMS: Mapping[str, Form] = {
    **dict.fromkeys(("vim", "nvim", "vim.basic", "vim.nox"), _VIM),
    **dict.fromkeys(("vi", "view", "nvi", "vim.tiny", "joe", "jed", "ne", "mg", "mcedit"), _PLUS),
    **dict.fromkeys(("nano", "pico", "rnano"), _PLUS_COMMA),
    **dict.fromkeys(("micro", "kak"), _PLUS_COLON),
    **dict.fromkeys(("hx", "helix"), _COLONS),
    "emacs": Form(_PLUS_COLON.arguments, terminal_flags=_TERMINAL_EMACS, follows_display=True),
    "emacsclient": Form(_PLUS_COLON.arguments, in_terminal=False, terminal_flags=_TERMINAL_EMACS),
    **dict.fromkeys(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "positron"), _GOTO),
    **dict.fromkeys(("subl", "sublime_text", "zed", "zeditor"), _WINDOW_COLONS),
    **dict.fromkeys(("idea", "pycharm", "webstorm", "goland", "clion", "rider", "rubymine", "phpstorm"), _JETBRAINS),
    "kate": Form(("--line", "{line}", "--column", "{column}", "{path}"), in_terminal=False),
    "mate": Form(("--line", "{line}", "{path}"), in_terminal=False),
    **dict.fromkeys(("gedit", "xed", "pluma"), Form(("+{line}", "{path}"), in_terminal=False)),
    **dict.fromkeys(("gvim", "mvim"), Form(_PLUS.arguments, in_terminal=False)),
}
"""Editors by the name of their program. Any other is given the path alone, and the terminal."""


@dataclass(frozen=True)
class Command:
    """A program to start, and whether it needs the terminal."""

    argv: Sequence[str]
    in_terminal: bool


def editor_command(environment: Mapping[str, str], path: Path, line: int = 0, column: int = 0) -> Command:
    """The command that opens a file; lines and columns count from 1, and 0 is for none.

    ``path`` is absolute, so that no editor takes it for an option. Raises `EditorError`.
    """
    variable = next((name for name in VARIABLES if environment.get(name, "").strip()), "")
    if not variable:
        raise EditorError("no editor is set", "set EDITOR before the program starts, as in: export EDITOR=nano")
    try:
        program, *own = shlex.split(environment[variable])
    except ValueError as error:
        raise EditorError(
            f"{variable} can't be read: {error}", f"quote it like a command in a shell: {variable}"
        ) from error
    found = shutil.which(program, path=environment.get("PATH")) if program else None
    if found is None:
        raise EditorError(f"the editor in {variable} is not there: {program}", _NOT_FOUND)
    form = FORMS.get(Path(program).name.removesuffix(".exe"), _UNKNOWN)
    arguments = form.arguments if line > 0 else ("{path}",)
    place = {"path": str(path), "line": str(max(1, line)), "column": str(max(1, column))}
    filled = [argument.format_map(place) for argument in arguments]
    return Command([found, *own, *filled], form.is_in_terminal(own, environment))


def file_within(project: Path, path: str) -> Path:
    """The file that a path means in a project, with all links followed. Raises `EditorError`; reads the disk.

    What was said by others may name any file there is: only those of the project are opened.
    """
    try:
        root = project.resolve()
        file = (root / path).resolve()
        if path.startswith(_SIDES) and not file.exists():
            file = (root / path[2:]).resolve()
        is_file = file.is_file()
    except (OSError, ValueError, RuntimeError) as error:
        raise EditorError(f"there is no such file: {path}") from error
    if not file.is_relative_to(root):
        raise EditorError(f"{path} is outside of the project", "open it by yourself if you mean to")
    if not is_file:
        raise EditorError(f"there is no such file: {path}")
    return file


async def edit(app: App[str], command: Command) -> None:
    """Start an editor, and wait for its end if it is in the place of the screen. Raises `EditorError`."""
    if command.in_terminal:
        status = await _in_place_of(app, command.argv)
    else:
        status = await asyncio.to_thread(start_apart, command.argv)
    if status:
        raise EditorError(f"{Path(command.argv[0]).name} ended with status {status}")


def start_apart(argv: Sequence[str]) -> int:
    """Start a program that has a window of its own. Gives its status if it ends at once, else 0; takes up to a second.

    Raises `EditorError`.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - what the user has set
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise EditorError(f"{argv[0]} can't be started: {error.strerror}", _NOT_FOUND) from error
    try:
        return process.wait(_START_SECONDS)
    except subprocess.TimeoutExpired:
        # It may outlive us, and must not be waited for at our end; but if it ends before, it should not stay a zombie.
        threading.Thread(target=process.wait, name="window", daemon=True).start()
        return 0


async def _in_place_of(app: App[str], argv: Sequence[str]) -> int:
    """Run a program on the terminal while the screen is away. Nothing is drawn meanwhile, but all else goes on."""
    try:
        with app.batch_update(), app.suspend(), _without_signals():
            return await _run_on_terminal(argv)
    except SuspendNotSupported as error:
        raise EditorError("the screen can't be left here", "set EDITOR to an editor with a window") from error


async def _run_on_terminal(argv: Sequence[str]) -> int:
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise EditorError(f"there is no terminal: {error.strerror}") from error
    try:
        process = await asyncio.create_subprocess_exec(*argv, stdin=terminal, stdout=terminal, stderr=terminal)
    except OSError as error:
        raise EditorError(f"{argv[0]} can't be started: {error.strerror}", _NOT_FOUND) from error
    finally:
        os.close(terminal)
    try:
        return await process.wait()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        raise


@contextlib.contextmanager
def _without_signals() -> Generator[None]:
    """Keys that end a program are for the editor, while it has the terminal: not for us."""
    numbers = (signal.SIGINT, signal.SIGQUIT)
    # A handler, and not SIG_IGN, which the editor would inherit.
    before = {number: signal.signal(number, _let_pass) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _let_pass(_number: int, _frame: object) -> None:
    """Does nothing with a signal."""
