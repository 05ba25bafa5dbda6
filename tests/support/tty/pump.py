"""The threads behind a terminal: output goes to the screen at once, input goes out in order."""

import os
import selectors
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from tests.support.tty.interpreter import Interpreter
from tests.support.tty.parser import Parser
from tests.support.tty.process import Child
from tests.support.tty.screen import Screen

FRAME_LIMIT = 1.0
"""Seconds after which a terminal shows an update that the program began and does not end."""

GRACE = 5.0
"""Seconds a program has to go after TERM."""

CHUNK = 64 * 1024


class ProgramEndedError(Exception):
    """The program ended while its screen was waited for."""


class Pump:
    """Keeps a screen up to date with a program. Whoever looks at `screen` or `interpreter` holds `changed`."""

    def __init__(self, child: Child, screen: Screen, *, sync: bool, kitty: bool, record: bool) -> None:
        self.child = child
        self.screen = screen
        self.interpreter = Interpreter(screen, self.send, synchronised=sync, kitty=kitty)
        self.changed = threading.Condition()
        self.raw = bytearray()
        self.pictures: list[str] = []
        self.exit_status: int | None = None
        self.drained = False
        self._record = record
        self._parser = Parser()
        self._outgoing = bytearray()
        self._update_began: float | None = None
        self._fault: Exception | None = None
        self._closing = False
        self._wake_reader, self._wake_writer = os.pipe()
        os.set_blocking(self._wake_reader, False)
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._run, self._reap)]
        for thread in self._threads:
            thread.start()

    def send(self, text: str) -> None:
        """Put characters on their way to the program."""
        with self.changed:
            self._outgoing += text.encode(errors="surrogateescape")
        self._wake()

    def picture(self) -> str:
        """The screen in a frame."""
        rows = [self.screen.row(y) for y in range(self.screen.lines)]
        edge = "+" + "-" * self.screen.columns + "+"
        return "\n".join([edge, *(f"|{row}" for row in rows), edge])

    @contextmanager
    def still(self) -> Generator[Screen]:
        """The screen between two updates; it stays as it is while it is held."""
        with self.changed:
            self.changed.wait_for(self._settled, FRAME_LIMIT)
            self._raise_fault()
            yield self.screen

    def wait(self, condition: Callable[[], bool], what: str, timeout: float) -> None:
        """Block until a finished picture meets a condition. Raises `TimeoutError` or `ProgramEndedError`."""
        deadline = time.monotonic() + timeout
        with self.changed:
            while True:
                self._raise_fault()
                if self._settled() and condition():
                    return
                rest = deadline - time.monotonic()
                if self.drained:
                    raise ProgramEndedError(f"no {what}: the program ended with {self.exit_status}\n{self.picture()}")
                if rest <= 0:
                    raise TimeoutError(f"no {what} within {timeout:g} s\n{self.picture()}")
                self.changed.wait(min(rest, FRAME_LIMIT))

    def wait_exit(self, timeout: float) -> int:
        """Block until the program has ended and all it wrote is here. Raises `TimeoutError`."""
        with self.changed:
            self.changed.wait_for(lambda: self.drained, timeout)
            self._raise_fault()
            if not self.drained or self.exit_status is None:
                raise TimeoutError(f"the program did not end within {timeout:g} s\n{self.picture()}")
            return self.exit_status

    def close(self) -> None:
        """End the program and whatever came of it: TERM, and KILL for what stays. Safe to call again."""
        if self._closing:
            return
        with self.changed:
            for number in (signal.SIGTERM, signal.SIGKILL):
                if self.exit_status is None:
                    self.child.popen.send_signal(number)
                    self.changed.wait_for(lambda: self.exit_status is not None, GRACE)
        self.child.kill_descendants(GRACE)
        self._closing = True
        self._wake()
        for thread in self._threads:
            thread.join()
        for fd in (self.child.fd, self._wake_reader, self._wake_writer):
            os.close(fd)

    def _settled(self) -> bool:
        """Whether the picture is meant to be seen: no update is under way, or one that was begun and forgotten."""
        began = self._update_began
        return began is None or self.drained or time.monotonic() - began > FRAME_LIMIT

    def _raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _wake(self) -> None:
        os.write(self._wake_writer, b"\0")

    def _reap(self) -> None:
        status = self.child.popen.wait()
        with self.changed:
            self.exit_status = status
            self.changed.notify_all()
        self._wake()

    def _run(self) -> None:
        try:
            self._loop()
        except Exception as error:  # noqa: BLE001 - whoever waits must see it, and not wait for ever
            with self.changed:
                self._fault = error
                self.changed.notify_all()

    def _loop(self) -> None:
        """Until the end: read what is there, write what is wanted. After the program's exit, read what is left."""
        connected = True
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_reader, selectors.EVENT_READ)
            selector.register(self.child.fd, selectors.EVENT_READ)
            while not self._closing:
                ready = {key.fd for key, _ in selector.select()}
                if self._wake_reader in ready:
                    os.read(self._wake_reader, CHUNK)
                exited = self.exit_status is not None
                if connected:
                    connected = self._read(all_there_is=exited) and self._write()
                    if not connected:
                        selector.unregister(self.child.fd)
                    else:
                        writing = selectors.EVENT_WRITE if self._outgoing else 0
                        selector.modify(self.child.fd, selectors.EVENT_READ | writing)
                if exited and not self.drained:
                    with self.changed:
                        self.drained = True
                        self.changed.notify_all()

    def _read(self, *, all_there_is: bool) -> bool:
        """Read once, or until there is nothing; whether the terminal still has another end."""
        while True:
            try:
                data = os.read(self.child.fd, CHUNK)
            except BlockingIOError:
                return True
            except OSError:  # nobody has the other end open any more
                return False
            if not data:
                return False
            self._show(data)
            if not all_there_is:
                return True

    def _write(self) -> bool:
        with self.changed:
            if not self._outgoing:
                return True
            try:
                sent = os.write(self.child.fd, self._outgoing)
            except BlockingIOError:
                return True
            except OSError:
                return False
            del self._outgoing[:sent]
            return True

    def _show(self, data: bytes) -> None:
        with self.changed:
            self.raw += data
            for token in self._parser.feed(data):
                before = self.screen.synchronising
                self.interpreter.play(token)
                if before and not self.screen.synchronising:
                    self._end_update()
                elif self.screen.synchronising and not before:
                    self._update_began = time.monotonic()
            if not self.screen.synchronising:
                self._end_update()
            self.changed.notify_all()

    def _end_update(self) -> None:
        self._update_began = None
        if self._record and (picture := self.picture()) != (self.pictures[-1] if self.pictures else None):
            self.pictures.append(picture)
