"""The bus that every ability lives on: ordered handlers that take part, watchers that only look."""

from panto.bus.bus import HANDLER_SECONDS, Bus, BusError, Handle
from panto.bus.foreign import GRACE_SECONDS, contained, words
from panto.bus.order import Rank
from panto.bus.record import Record, Timing

__all__ = [
    "GRACE_SECONDS",
    "HANDLER_SECONDS",
    "Bus",
    "BusError",
    "Handle",
    "Rank",
    "Record",
    "Timing",
    "contained",
    "words",
]
