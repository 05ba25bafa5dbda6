"""What there is to know about an extension: for the screen, the command line, and machines."""

from pathlib import Path

from msgspec import Struct

from panto.bus import Record
from panto.loader.loader import Extension, State
from panto.loader.rulings import Ruling


class Registered(Struct, frozen=True):
    """Something that an extension has registered, such as the tool ``std.read`` or a handler of ``tool_result``."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Cost(Struct, frozen=True):
    """What an extension's handlers of one event have cost so far. ``load`` is its activation, import included."""

    calls: int
    seconds: float

    @property
    def total_ms(self) -> float:
        """Milliseconds of all calls."""
        return self.seconds * 1_000

    @property
    def mean_ms(self) -> float:
        """Milliseconds of one call."""
        return self.total_ms / self.calls if self.calls else 0.0


class Facts(Struct, frozen=True, kw_only=True):
    """One extension as it is now. All texts may come from outside: they are not safe to print.

    ``policy`` says what the config files say about it, and ``policy_origin`` where.
    """

    id: str
    layer: str
    state: State
    trusted: bool
    file: Path
    why: str
    registered: tuple[Registered, ...]
    timings: dict[str, Cost]
    errors: int
    last_error: str
    policy: str
    policy_origin: str


def facts(extension: Extension, record: Record, ruling: Ruling) -> Facts:
    """What there is to know about an extension now."""
    handles = extension.host.handles if extension.host else ()
    return Facts(
        id=extension.id,
        layer=extension.candidate.layer,
        state=extension.state,
        trusted=extension.candidate.trusted,
        file=extension.candidate.file,
        why=extension.why,
        registered=tuple(Registered(handle.kind, handle.name) for handle in handles),
        timings={event: Cost(timing.calls, timing.seconds) for event, timing in record.timings.items()},
        errors=record.errors,
        last_error=record.last_error,
        policy=str(ruling),
        policy_origin=str(ruling.origin),
    )
