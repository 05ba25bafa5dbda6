"""What Google's APIs say of an error beyond its code: a list of details, each of a type of its own."""

from collections.abc import Iterator

from panto.json_values import JSONObject, array_at, text_at

_LONGEST = 366 * 86_400.0
_NOTHING_LEFT = "insufficient_quota"


def detail_codes(error: JSONObject) -> Iterator[str]:
    """The reasons that the details give, and ``insufficient_quota`` if it is a day's quota that is used up.

    Such a server does name a wait then, too, but only of seconds, after which it refuses again.
    """
    for detail in array_at(error, "details"):
        reason = text_at(detail, "reason")
        if reason:
            yield reason
        if any("PerDay" in text_at(violation, "quotaId") for violation in array_at(detail, "violations")):
            yield _NOTHING_LEFT


def detail_field(error: JSONObject) -> str:
    """The first field of the request that the details object to (``contents[2].parts[0]``); empty if they name none."""
    violations = (array_at(detail, "fieldViolations") for detail in array_at(error, "details"))
    return next((text_at(violation, "field") for of_detail in violations for violation in of_detail), "")


def detail_wait(error: JSONObject) -> float | None:
    """The seconds to wait that the details ask for; None if they don't."""
    for detail in array_at(error, "details"):
        delay = text_at(detail, "retryDelay")
        if delay.endswith("s"):
            try:
                seconds = float(delay.removesuffix("s"))
            except ValueError:
                continue
            if seconds >= 0:
                return min(seconds, _LONGEST)
    return None
