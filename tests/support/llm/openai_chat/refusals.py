"""How the chat completions API says no."""

import re
from collections.abc import Collection

from tests.support.llm.checks import JSONObject, RefusedError, name_of_type

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_name(name: object, path: str) -> None:
    """Refuse what is no legal name of a tool or function."""
    if not isinstance(name, str):
        raise missing(path)
    if not NAME.fullmatch(name):
        raise refused(path, "string does not match pattern. Expected a string that matches '^[a-zA-Z0-9_-]{1,64}$'")


def check_not_blank(text: str, path: str) -> None:
    """Refuse blank text: OpenAI takes it, stricter servers do not."""
    if not text.strip():
        raise refused(path, "text must not be blank")


def missing(path: str) -> RefusedError:
    """Something required is not there."""
    return RefusedError(f"Missing required parameter: '{path}'.", param=path, code="missing_required_parameter")


def check_known(given: JSONObject, known: Collection[str], path: str) -> None:
    """Refuse an object with a name in it that the API does not know."""
    for name in given:
        if name not in known:
            raise RefusedError(f"Unknown parameter: '{path}.{name}'.", param=f"{path}.{name}", code="unknown_parameter")


def wrong_type(path: str, wanted: str, value: object) -> RefusedError:
    """A value of the wrong JSON type."""
    message = f"Invalid type for '{path}': expected {wanted}, but got {name_of_type(value)} instead."
    return RefusedError(message, param=path, code="invalid_type")


def refused(path: str, why: str, code: str = "invalid_value") -> RefusedError:
    """Any other fault of a value."""
    return RefusedError(f"Invalid '{path}': {why}.", param=path, code=code)
