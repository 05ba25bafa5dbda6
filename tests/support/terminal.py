"""A program in a real terminal, for tests: keys in, screen out.

    with Terminal.start(["panto-py", "--demo"], cwd=project, home=tmp_path / "home") as terminal:
        terminal.wait_for("demo model")
        terminal.type_text("read README.md")
        terminal.press("enter")
        terminal.wait_for(re.compile(r"README\\.md +1-\\d+"))

A thread reads all the program writes, so it never blocks on a test that looks elsewhere. Nothing here sleeps: each wait
ends with the output, the exit or the signal it waits for.
"""

import re
import signal
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

from tests.support.tty.keys import encode, encode_mouse, encode_paste, encode_text
from tests.support.tty.process import Child, Process, environment
from tests.support.tty.pump import ProgramEndedError, Pump
from tests.support.tty.screen import Cell, Cursor, Screen

__all__ = ["Cell", "Cursor", "Process", "ProgramEndedError", "Terminal", "Wanted"]

Wanted: TypeAlias = "str | re.Pattern[str] | Callable[[Terminal], object]"
"""A text somewhere on the screen, a pattern in it, or anything that can be asked of the terminal."""

MOUSE_MODES = {1000, 1002, 1003}
BRACKETED_PASTE = 2004
APPLICATION_CURSOR = 1
WHEEL = {"up": 64, "down": 65}


class Terminal:
    """A running program and its screen. Made by `start`; `close`, or leaving the `with` block, leaves no process."""

    def __init__(self, pump: Pump) -> None:
        self._pump = pump

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        *,
        cwd: Path,
        home: Path,
        env: Mapping[str, str | None] | None = None,
        columns: int = 100,
        rows: int = 30,
        sync: bool = True,
        keyboard: Literal["legacy", "kitty"] = "legacy",
        clusters: bool = True,
        record: bool = False,
    ) -> Self:
        """Start a program.

        `home`: a directory for HOME and the XDG places. `env`: more variables; None takes one away. `sync`: the
        terminal knows synchronised updates, so that no half-drawn screen is seen. `keyboard`: whether it speaks the
        kitty keyboard protocol when asked to. `clusters`: whether it takes a grapheme cluster as one character.
        `record`: keep each picture in `pictures`.
        """
        child = Child(argv, cwd, environment(home, env or {}), columns, rows)
        screen = Screen(columns, rows, clusters=clusters)
        return cls(Pump(child, screen, sync=sync, kitty=keyboard == "kitty", record=record))

    def lines(self) -> list[str]:
        """The rows, blanks at their ends left out."""
        with self._pump.still() as screen:
            return [screen.row(y) for y in range(screen.lines)]

    def screen_text(self) -> str:
        """The rows, joined by line ends."""
        return "\n".join(self.lines())

    def cell(self, x: int, y: int) -> Cell:
        """A cell, counted from 0."""
        with self._pump.still() as screen:
            return screen.cell(x, y)

    def find(self, text: str) -> tuple[int, int] | None:
        """The cell where a text begins that stands in one row; None if it is not there."""
        with self._pump.still() as screen:
            return screen.find(text)

    @property
    def cursor(self) -> Cursor:
        """The cursor. At the end of a full row, it is in the last column."""
        with self._pump.still() as screen:
            cursor = screen.cursor
            return Cursor(min(cursor.x, screen.columns - 1), cursor.y, not cursor.hidden)

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is on."""
        with self._pump.still() as screen:
            return screen.alternate

    @property
    def modes(self) -> frozenset[int]:
        """The private modes that are on: 1003 the mouse, 2004 bracketed paste, 25 the cursor, and so on."""
        with self._pump.still() as screen:
            return frozenset(screen.private_modes)

    @property
    def title(self) -> str:
        """The window's title."""
        with self._pump.still() as screen:
            return screen.title

    @property
    def bells(self) -> int:
        """How often the bell rang."""
        with self._pump.still() as screen:
            return screen.bells

    @property
    def clipboard(self) -> str:
        """What the program copied last (OSC 52)."""
        with self._pump.changed:
            return self._pump.interpreter.clipboard

    @property
    def raw(self) -> bytes:
        """All bytes the program wrote so far."""
        with self._pump.changed:
            return bytes(self._pump.raw)

    @property
    def pictures(self) -> list[str]:
        """Each picture that differed from the one before, if they are recorded."""
        with self._pump.changed:
            return list(self._pump.pictures)

    def wait_for(self, wanted: Wanted, timeout: float = 30.0) -> None:
        """Block until the screen shows it. Seconds; raises `TimeoutError`, or `ProgramEndedError` at once."""
        self._pump.wait(lambda: self._shows(wanted), f"{_name(wanted)} on the screen", timeout)

    def wait_gone(self, wanted: Wanted, timeout: float = 30.0) -> None:
        """Block until the screen no longer shows it. Seconds; raises `TimeoutError`, or `ProgramEndedError` at once."""
        self._pump.wait(lambda: not self._shows(wanted), f"screen without {_name(wanted)}", timeout)

    def wait_exit(self, timeout: float = 30.0) -> int:
        """Block until the program has ended and all it wrote is here; its exit status. Raises `TimeoutError`."""
        return self._pump.wait_exit(timeout)

    @property
    def pid(self) -> int:
        """The program's process id, which is its session's too."""
        return self._pump.child.popen.pid

    @property
    def exit_status(self) -> int | None:
        """How it ended: None if it runs, negative if a signal ended it."""
        with self._pump.changed:
            return self._pump.exit_status

    def descendants(self) -> list[Process]:
        """The live processes that came of the program, itself left out; orphans too."""
        return self._pump.child.descendants()

    def wait_no_descendants(self, timeout: float = 30.0) -> None:
        """Block until no process is left that came of the program. Seconds; raises `TimeoutError` that names them."""
        if left := self._pump.child.wait_no_descendants(timeout):
            names = "\n  ".join(f"{process.pid} {process.command}" for process in left)
            raise TimeoutError(f"processes left after {timeout:g} s:\n  {names}")

    def send_signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        self._pump.child.popen.send_signal(number)

    def send(self, text: str) -> None:
        """Send characters as they are; ``\\udc80`` to ``\\udcff`` are single bytes that are no text."""
        self._pump.send(text)

    def type_text(self, text: str) -> None:
        """Type a text, key by key; a line end is the enter key."""
        with self._pump.changed:
            self.send(encode_text(text, kitty=self._pump.interpreter.kitty_flags))

    def press(self, *keys: str) -> None:
        """Press keys: `enter`, `ctrl+c`, `shift+tab`, `pageup`, `alt+1`, `f1`, `a`. Raises `ValueError`.

        In the old encoding, an escape and the key right behind it are one key with alt, so nothing but another escape
        may follow one here: wait for what it does first.
        """
        with self._pump.still() as screen:
            flags = self._pump.interpreter.kitty_flags
            if not flags and any(first == "escape" != second for first, second in pairwise(keys)):
                raise ValueError("what follows escape at once would be taken for alt and that key; wait in between")
            cursor_keys = APPLICATION_CURSOR in screen.private_modes
            self.send("".join(encode(key, kitty=flags, application_cursor=cursor_keys) for key in keys))

    def paste(self, text: str) -> None:
        """Paste a text, bracketed if the program has asked for that."""
        self.send(encode_paste(text, bracketed=BRACKETED_PASTE in self.modes))

    def click(self, x: int, y: int, button: int = 0) -> None:
        """Click a mouse button (0 left, 1 middle, 2 right) in a cell. Raises `RuntimeError` as `drag` does."""
        self.drag((x, y), (x, y), button)

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: int = 0) -> None:
        """Press a button in a cell, release it in another. Raises `RuntimeError` if the program takes no mouse."""
        moved = encode_mouse(button + 32, *end, pressed=True) if end != start else ""
        self._mouse(encode_mouse(button, *start, pressed=True) + moved + encode_mouse(button, *end, pressed=False))

    def wheel(self, direction: Literal["up", "down"], x: int, y: int) -> None:
        """Turn the wheel by one step over a cell. Raises `RuntimeError` as `drag` does."""
        self._mouse(encode_mouse(WHEEL[direction], x, y, pressed=True))

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        with self._pump.still() as screen:
            screen.set_size(columns, rows)
            self._pump.child.resize(columns, rows)

    def close(self) -> None:
        """End the program and whatever came of it: TERM, and KILL for what stays. Safe to call again."""
        self._pump.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _shows(self, wanted: Wanted) -> bool:
        if isinstance(wanted, str):
            return wanted in self.screen_text()
        if isinstance(wanted, re.Pattern):
            return wanted.search(self.screen_text()) is not None
        return bool(wanted(self))

    def _mouse(self, report: str) -> None:
        if not self.modes & MOUSE_MODES:
            raise RuntimeError("the program has not asked for the mouse")
        self.send(report)


def _name(wanted: Wanted) -> str:
    return repr(wanted.pattern if isinstance(wanted, re.Pattern) else wanted)
