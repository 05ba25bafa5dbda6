"""How long a server asks to be left alone."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_LONGEST = 366 * 86_400.0


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds from ``retry-after-ms`` or ``retry-after`` (a number, or a date of HTTP); None without a sensible one.

    ``headers`` are looked up by lower-case name. ``now`` is the time of day in seconds since 1970.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    return seconds if seconds is not None else _until(text, time.time() if now is None else now)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return min(number, _LONGEST) if number >= 0 else None


def _until(date: str, now: float) -> float | None:
    try:
        seconds = parsedate_to_datetime(date).timestamp() - now
    except (ValueError, OverflowError, TypeError):
        return None
    return min(max(seconds, 0.0), _LONGEST)
