"""What the server saw, for the test to read and to wait for."""

import threading
import time
from collections.abc import Callable

from tests.support.llm.request import Outcome, Request


class Record:
    """The requests and mishaps of a server. Written by its thread, read and waited for by any."""

    def __init__(self) -> None:
        self.calls: list[Request] = []
        self.others: list[Request] = []
        self.unexpected: list[str] = []
        self._changed = threading.Condition()

    def arrived(self, request: Request, *, is_call: bool) -> None:
        """A request is here, and its answer is decided."""
        with self._changed:
            (self.calls if is_call else self.others).append(request)
            self._changed.notify_all()

    def ended(self, request: Request, outcome: Outcome) -> None:
        """A request's answer is over."""
        with self._changed:
            request.outcome = outcome
            request.ended_at = time.monotonic()
            self._changed.notify_all()

    def mishap(self, text: str) -> None:
        """Something the test did not script."""
        with self._changed:
            self.unexpected.append(text)
            self._changed.notify_all()

    def forget(self) -> None:
        """Be as if nothing had come yet."""
        with self._changed:
            self.calls, self.others, self.unexpected = [], [], []

    def wait_for(self, select: Callable[[], list[Request]], count: int, what: str, timeout: float) -> list[Request]:
        """Block until `select` gives so many requests, and return them. Raises `TimeoutError` with what was seen."""
        with self._changed:
            if self._changed.wait_for(lambda: len(select()) >= count, timeout):
                return select()
            seen = [f"{r.number} {r.wire} {r.status} {r.outcome} {r.problem or ''}" for r in self.calls]
            notes = "\n  ".join([*seen, *self.unexpected]) or "nothing"
        raise TimeoutError(f"no {what} within {timeout:g} s; the server saw:\n  {notes}")
