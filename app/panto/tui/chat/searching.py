"""Looking for something while all else goes on: a little at a time, and again where an entry changes."""

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.worker import Worker

from panto.tui.chat.finding import Count, Finding
from panto.tui.chat.places import Stretch
from panto.tui.transcript import Entry

if TYPE_CHECKING:
    from panto.tui.chat.widget import Chat

_SLICE_SECONDS = 0.008
"""How long it looks before it lets others work."""


class Searching:
    """What the user looks for in a transcript, and how far that is."""

    def __init__(self, chat: "Chat") -> None:
        self._chat = chat
        self.finding: Finding | None = None
        """What is looked for; None for nothing."""
        self._walking: Worker[None] | None = None
        self._counting: Worker[None] | None = None
        self._is_stale = False

    @property
    def count(self) -> Count:
        """How many matches are known, and at which the user is."""
        return self.finding.count() if self.finding else Count(0, 0, complete=True)

    @property
    def match(self) -> Stretch | None:
        """The match that the user is at, if it is still there."""
        match = self.finding.match if self.finding else None
        if self.finding is None or match is None:
            return None
        return match if match in self.finding.in_block(match.start.entry, match.start.block) else None

    def look_for(self, text: str) -> None:
        """Look for another text, and go to the nearest match, upwards from the end of the view; "" for nothing."""
        self.finding = Finding(text, self._chat.viewport) if text else None
        for work in (self._walking, self._counting):
            if work is not None:
                work.cancel()
        self.step(-1)
        self.look_on()

    def step(self, by: int) -> None:
        """To the next match, or to the one before, round about."""
        if self.finding is None:
            return
        shown = self._chat.viewport.shown
        steps = _for_a_while(self.finding.walk(shown[-1].place.entry if shown else 0, by))
        if next(steps, True):
            self._chat.show_match()
        else:
            self._walking = self._chat.run_worker(self._walk_on(steps), group="walk", exclusive=True)

    def entry_changed(self, entry: Entry) -> None:
        """An entry is not what it was: with the next picture it is looked into again."""
        if self.finding is not None:
            self.finding.forget(entry)
            self._is_stale = True

    def width_changed(self) -> None:
        """Everything is laid out anew: look for all of it again."""
        if self.finding is not None:
            self.finding.forget_all()
            self._is_stale = True

    def painted(self) -> None:
        """There is another picture: look into what has changed."""
        if self._is_stale:
            self.look_on()

    def look_on(self) -> None:
        """Tell how many matches are known, and look for more."""
        self._is_stale = False
        self._chat.post_message(self._chat.Found())
        if self.finding is not None and not self.finding.count().complete:
            steps = _for_a_while(self.finding.look_through())
            self._counting = self._chat.run_worker(self._count_on(steps), group="count", exclusive=True)

    async def _walk_on(self, steps: Iterator[bool]) -> None:
        for is_over in steps:
            if is_over:
                self._chat.show_match()
            await asyncio.sleep(0)

    async def _count_on(self, steps: Iterator[bool]) -> None:
        for _ in steps:
            await asyncio.sleep(0)
        self._chat.post_message(self._chat.Found())


def _for_a_while(steps: Iterator[object]) -> Iterator[bool]:
    """Steps, so many at a time as there is time for before others should work: False while there may be more."""
    until = time.monotonic() + _SLICE_SECONDS
    for _ in steps:
        if time.monotonic() > until:
            yield False
            until = time.monotonic() + _SLICE_SECONDS
    yield True
