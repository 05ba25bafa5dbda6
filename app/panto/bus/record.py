"""What is known of each owner: its faults, and what its handlers cost."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Timing:
    """What an owner's handlers of one event have cost so far, in seconds."""

    calls: int = 0
    seconds: float = 0.0


@dataclass
class Record:
    """What is known of one owner: faults so far, the last of them, and time by event name."""

    errors: int = 0
    last_error: str = ""
    timings: dict[str, Timing] = field(default_factory=dict[str, Timing])

    def add_fault(self, doing: str, message: str) -> None:
        """Count a fault."""
        self.errors += 1
        self.last_error = f"{doing}: {message}"

    @contextmanager
    def timed(self, event: str) -> Generator[None]:
        """Count the time that a handler of that event takes in here."""
        started = time.perf_counter()
        try:
            yield
        finally:
            timing = self.timings.setdefault(event, Timing())
            timing.calls += 1
            timing.seconds += time.perf_counter() - started
