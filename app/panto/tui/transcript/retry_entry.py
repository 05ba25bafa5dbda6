"""A request that is waiting to be made again: one line that says why, and counts down."""

import math
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from panto.tui.transcript.block import Block, Look, text_blocks
from panto.tui.transcript.duration import duration
from panto.tui.transcript.entry import Entry

_LONGEST_REASON = 200
"""Characters: a server may say much, and why nothing happens is to be seen at a glance."""


class RetryEntry(Entry):
    """Why a request is made again, and when: the same line for all its tries, until `settle` or `fail` ends it."""

    joins: ClassVar[bool] = True
    _WAITING = Look("warning", first="! ", edge="  ")
    _SETTLED = Look("muted", first="· ", edge="  ")
    _FAILED = Look("error", first="✗ ", edge="  ")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._why = ""
        self._until = 0.0
        self._try = ""
        self._attempt = 0
        self._shown = ""
        self._hint = ""
        self._look = self._WAITING

    @property
    def source(self) -> str:
        """The line as it is shown now."""
        return f"{self._shown}\n{self._hint}" if self._hint else self._shown

    def wait(self, why: str, seconds: float, attempt: int, attempts: int) -> None:
        """Wait for another try, the ``attempt``-th of ``attempts``, and count down to it."""
        self._why = " ".join(why.split())
        self._until = self._clock() + seconds
        self._attempt, self._try = attempt, f"try {attempt} of {attempts}"
        self._show(self._waiting())

    def tick(self) -> None:
        """Time has passed."""
        self._show(self._waiting())

    def settle(self, how: str) -> None:
        """Nothing is waited for any more: a dim line stays, with how it ended before the try's number."""
        self._look = self._SETTLED
        self._show(f"{self._reason()} · {how} {self._try}")

    def fail(self, error: str, hint: str) -> None:
        """The last try has failed: the line is the error now."""
        self._look, self._hint = self._FAILED, hint.strip()
        self._show(f"{error.strip()} · tried {self._attempt} times")

    def build(self) -> Sequence[Block]:
        """The line, and what to do below it."""
        hint = text_blocks(self._hint, Look("muted", edge="  ")) if self._hint else []
        return [*text_blocks(self._shown, self._look), *hint]

    def _show(self, text: str) -> None:
        if text != self._shown:
            self._shown = text
            self.rebuild(news=False)

    def _waiting(self) -> str:
        left = math.ceil(self._until - self._clock())
        when = f" in {duration(left)}" if left > 0 else ""
        return f"{self._reason()} · {self._try}{when} · Esc stops"

    def _reason(self) -> str:
        cut = len(self._why) > _LONGEST_REASON
        return f"{self._why[: _LONGEST_REASON - 1].rstrip()}…" if cut else self._why
