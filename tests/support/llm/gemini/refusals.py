"""How the Gemini API says no."""

import re
from collections.abc import Collection

from tests.support.llm.checks import JSONObject, RefusedError

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")


def refused(message: str) -> RefusedError:
    """A fault of the request."""
    return RefusedError(message, kind="INVALID_ARGUMENT")


def check_known(given: JSONObject, known: Collection[str], path: str) -> None:
    """Refuse an object with a name in it that the API does not know."""
    for name in given:
        if name not in known:
            where = f" at '{path}'" if path else ""
            raise refused(f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.')


def check_name(name: object, path: str) -> None:
    """Refuse what is no legal name of a function."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise refused(
            f"Invalid value at '{path}': Invalid function name. Must start with a letter or an underscore. Must be "
            "alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length "
            "of 128."
        )
