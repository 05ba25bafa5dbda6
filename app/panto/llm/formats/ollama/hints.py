"""What to do about the failures that users of ``ollama`` meet, which no other server has."""

import shlex
from collections.abc import Callable

from panto.llm.types import Endpoint, Failure, FailureKind, Request

_WORDS: tuple[tuple[FailureKind, str, str], ...] = (
    (
        "bad_request",
        "does not support tools",
        "use a model that can call tools; ollama show {model} tells what one can",
    ),
    ("bad_request", "does not support thinking", "set its thinking to off, or use a model that can think"),
    (
        "bad_request",
        "does not support vision",
        "use a model that can see images; ollama show {model} tells what one can",
    ),
    ("not_found", "not found", "get the model with: ollama pull {model}"),
    ("auth", "unauthorized", "sign in with: ollama signin"),
)
"""By the kind of failure and words in its message; the first that fits."""


def hint_for(request: Request, endpoint: Endpoint) -> Callable[[Failure], str]:
    """What gives the hints for a request."""

    def hint(failure: Failure) -> str:
        if failure.kind == "context_too_long":
            return _more_room(request, endpoint)
        if failure.kind == "auth" and endpoint.key_source:
            return ""
        for kind, words, what in _WORDS:
            if failure.kind == kind and words in failure.message:
                return what.format(model=shlex.quote(request.model))
        if failure.kind == "not_found":
            return f"set base_url of [providers.{endpoint.provider}] to the server's address alone, without /v1"
        return ""

    return hint


def _more_room(request: Request, endpoint: Endpoint) -> str:
    known = f", which is {endpoint.num_ctx} now" if endpoint.num_ctx else ""
    return (
        f'raise num_ctx of [providers.{endpoint.provider}.models."{request.model}"]{known}, if there is memory for it, '
        "or start a new session"
    )
