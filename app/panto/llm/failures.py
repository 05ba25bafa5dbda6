"""Why a request failed: statuses, and the types and codes of error bodies, made into `Failure`s.

Tables decide. The words of a message count only where servers have no code: for a request that does not fit into the
model's window, and for an account with nothing left. Then how their message begins has to do.
"""

import re
from collections.abc import Mapping

from panto.json_values import JSONObject, array_at, count_at, is_array, is_object, object_at, text_at, value_at
from panto.llm.error_details import detail_codes, detail_field, detail_wait
from panto.llm.json_text import from_json, valid_text
from panto.llm.retry_after import retry_after
from panto.llm.types import Endpoint, Failure, FailureKind


class StreamError(Exception):
    """A failure on its way to the end of the stream. Stays within this package."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


MAX_MESSAGE = 2_000
"""Characters of a server's message that are kept."""

_BY_CODE: dict[str, FailureKind] = {
    "context_length_exceeded": "context_too_long",
    "exceed_context_size_error": "context_too_long",
    "request_too_large": "context_too_long",
    "insufficient_quota": "quota",
    "billing_error": "quota",
    "billing_hard_limit_reached": "quota",
    "overloaded_error": "overloaded",
    "engine_overloaded_error": "overloaded",
    "service_unavailable_error": "overloaded",
    "insufficient_system_resource": "overloaded",
    "model_not_found": "not_found",
    "invalid_api_key": "auth",
    "DeploymentNotFound": "not_found",
    "content_filter": "bad_request",
    "server_is_overloaded": "overloaded",
    "slow_down": "overloaded",
    "API_KEY_INVALID": "auth",
    "ExpiredTokenException": "auth",
    "UnrecognizedClientException": "auth",
    "ModelNotReadyException": "overloaded",
    "ModelTimeoutException": "server",
    "ModelErrorException": "server",
    "ModelStreamErrorException": "server",
    "ServiceQuotaExceededException": "quota",
    "BILLING_DISABLED": "quota",
    "MALFORMED_FUNCTION_CALL": "server",  # another try may go well
    "MALFORMED_RESPONSE": "server",
    "UNEXPECTED_TOOL_CALL": "server",
    "TOO_MANY_TOOL_CALLS": "server",
    "MISSING_THOUGHT_SIGNATURE": "bad_request",
    "no_db_connection": "auth",  # a proxy looks a key up that is not its own, and has nowhere to
}
"""What a code or type means, whatever status it comes with."""

_BY_STATUS: dict[int, FailureKind] = {
    400: "bad_request",
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    405: "not_found",
    408: "server",
    413: "context_too_long",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}

_BY_TYPE: dict[str, FailureKind] = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "not_found_error": "not_found",
    "invalid_request_error": "bad_request",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "api_error": "server",
    "server_error": "server",
    "timeout_error": "server",
    "RateLimitReached": "rate_limit",
    "too_many_requests": "rate_limit",
    "invalid_prompt": "bad_request",
    "invalid_encrypted_content": "bad_request",
    "bio_policy": "bad_request",
    "misalignment_policy_violation": "bad_request",
    "data_residency_mismatch": "bad_request",
    "image_content_policy_violation": "bad_request",
    "invalid_image": "bad_request",
    "invalid_image_format": "bad_request",
    "image_parse_error": "bad_request",
    "image_too_large": "bad_request",
    "AccessDeniedException": "auth",
    "InternalServerException": "server",
    "ResourceNotFoundException": "not_found",
    "ServiceUnavailableException": "overloaded",
    "ThrottlingException": "rate_limit",
    "ValidationException": "bad_request",
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "NOT_FOUND": "not_found",
    "INVALID_ARGUMENT": "bad_request",
    "FAILED_PRECONDITION": "bad_request",
    "OUT_OF_RANGE": "bad_request",
    "RESOURCE_EXHAUSTED": "rate_limit",
    "UNAVAILABLE": "overloaded",
    "INTERNAL": "server",
    "DEADLINE_EXCEEDED": "server",
}
"""What a code or type means where no status says more: in a stream."""

_TOO_LONG = (
    "prompt is too long",
    "input length and `max_tokens` exceed context limit",
    "This model's maximum context length is",
    "This model's maximum prompt length is",
    "This endpoint's maximum context length is",
    "The input token count",
    "The number of tokens to keep from the initial prompt is greater than the context length",
    "the input length exceeds the context length",
    "Input is too long for requested model",
    "The model returned the following errors: Input is too long",
    "The model returned the following errors: prompt is too long",
    "The model returned the following errors: input length and `max_tokens` exceed context limit",
    "the prompt is longer than the context length",
    "the request exceeds the available context size",
    "litellm.ContextWindowExceededError",
)
"""How messages begin that mean `context_too_long`, of servers that have no code for it."""

_NOTHING_LEFT = ("Your credit balance is too low",)
"""How messages begin that mean ``quota``, of servers that have no code for it."""

_TOO_LONG_COUNTED = re.compile(r"request \(\d+ tokens\) exceeds the available context size")

_ITEM = re.compile(
    r"(?:\* \w+\.|Invalid '|The model returned the following errors: )?"
    r"((?:messages|tools|system|input|contents)(?:\.\w+|\.?\[\w+\])*)'?: "
)
"""A place in the body, as the beginning of a message."""

_HINTS: dict[FailureKind, str] = {
    "auth": "check the key",
    "not_found": "check the model's name and the provider's base_url",
    "rate_limit": "wait a little, or use another model",
    "quota": "see to your account at the provider, or use another model",
    "overloaded": "try again in a while, or use another model",
    "context_too_long": "the conversation no longer fits: start a new session, or use a model with more room",
    "server": "try again; if it stays, the server has a fault",
    "network": "check the connection, the proxy settings and the provider's base_url",
    "stalled": "try again; if it stays, check the server, or raise the provider's stall_timeout",
}


def failure(endpoint: Endpoint, kind: FailureKind, what: str, hint: str | None = None) -> Failure:
    """A failure with the provider's name in front and the usual hint, if no other is given."""
    return Failure(kind, f"{endpoint.provider}: {what}", _hint(endpoint, kind) if hint is None else hint)


def refusal(endpoint: Endpoint, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """The failure that an answer other than 200 is."""
    value = _decoded(body)
    error = error_in(value)
    if error is None:
        error = _named_by_header(headers, value)
    if error is None:
        return _without_words(endpoint, status, headers)
    return _read(endpoint, error, status, retry_after(headers))


def reported(endpoint: Endpoint, error: JSONObject) -> Failure:
    """The failure that an error inside of a stream, or in place of one, is."""
    code = count_at(error, "code")
    return _read(endpoint, error, code if code is not None and 400 <= code < 600 else None, None)


def error_in(value: object) -> JSONObject | None:
    """The error object in a body or event, whatever the server wraps it in; None if there is none."""
    if is_array(value) and value:
        value = value[0]
    if not is_object(value):
        return None
    error, detail = value.get("error"), value.get("detail")
    found: JSONObject | None = None
    if is_object(error):
        found = error
    elif isinstance(error, str) and error:
        found = {**value, "message": text_at(value, "message") or error}
    elif isinstance(detail, str) and detail:
        found = {"message": detail}
    elif is_array(detail):
        found = {"message": "; ".join(filter(None, (_complaint(item) for item in detail)))}
    elif value.get("object") == "error" or (_FLAT & value.keys() and "message" in value):
        found = value
    return found


_FLAT = frozenset({"code", "statusCode"})
"""What stands beside the message of an error that is wrapped in nothing."""


def _named_by_header(headers: Mapping[str, str], value: object) -> JSONObject | None:
    """The error of a body that is nothing but words, as AWS sends it: a header says what it is."""
    message = text_at(value, "message") or text_at(value, "Message")
    kind = headers.get("x-amzn-errortype", "").partition(":")[0].strip()
    return {"message": message or kind, "code": kind} if message or kind else None


def _complaint(item: object) -> str:
    """One line of what a validating server did not like, and where."""
    where = ".".join(str(step) for step in array_at(item, "loc") if step != "body")
    return f"{where}: {text_at(item, 'msg')}" if where else text_at(item, "msg")


def _read(endpoint: Endpoint, error: JSONObject, status: int | None, wait: float | None) -> Failure:
    upstream = object_at(error_in(_decoded(text_at(error, "metadata", "raw").encode("utf-8", "replace"))))
    words = _words(upstream) or _words(error) or "an error without a message"
    kind = _kind((*_codes(upstream), *_codes(error)), status, words)
    return Failure(
        kind,
        f"{endpoint.provider}: {words}" + (f" (HTTP {status})" if status else ""),
        _hint(endpoint, kind),
        status,
        detail_wait(error) if wait is None else wait,
        _item(upstream, words) or _item(error, words),
    )


def _item(error: JSONObject, words: str) -> str:
    """The place in the body that an error names, as ``messages.3``."""
    named = _ITEM.match(words)
    place = text_at(error, "param") or detail_field(error) or (named[1] if named else "")
    return place.replace("[", ".").replace("]", "").replace("..", ".")


def _kind(codes: tuple[str, ...], status: int | None, words: str) -> FailureKind:
    for code in codes:
        if code in _BY_CODE:
            return _BY_CODE[code]
    if status in (None, 400, 422) and (words.startswith(_TOO_LONG) or _TOO_LONG_COUNTED.match(words)):
        return "context_too_long"
    if status in (None, 400) and words.startswith(_NOTHING_LEFT):
        return "quota"
    if status is not None:
        return _by_status(status)
    for code in codes:
        if code in _BY_TYPE:
            return _BY_TYPE[code]
    return "server"


def _by_status(status: int) -> FailureKind:
    if 300 <= status < 400:
        return "config"
    otherwise: FailureKind = "server" if status >= 500 else "bad_request" if status >= 400 else "protocol"
    return _BY_STATUS.get(status, otherwise)


def _codes(error: JSONObject) -> tuple[str, ...]:
    named = (text_at(error, key) for key in ("code", "type", "status"))
    return tuple(filter(None, (*detail_codes(error), *named)))


def _words(error: JSONObject) -> str:
    message = value_at(error, "message")
    if not isinstance(message, str):
        return ""
    return valid_text(" ".join(message.split()))[:MAX_MESSAGE]


def _without_words(endpoint: Endpoint, status: int, headers: Mapping[str, str]) -> Failure:
    """A failure whose body says nothing: a proxy's page, or none at all."""
    kind = _by_status(status)
    what = f"the server answered HTTP {status}"
    hint = _hint(endpoint, kind)
    if kind == "config":
        what += f", and names another address: {headers.get('location', 'none')[:200]}"
        hint = f"set base_url of [providers.{endpoint.provider}] to the right address"
    elif kind == "not_found":
        what += f" for {endpoint.base_url}"
        hint = f"check base_url of [providers.{endpoint.provider}]: most end with /v1"
    return Failure(kind, f"{endpoint.provider}: {what}", hint, status, retry_after(headers))


def _hint(endpoint: Endpoint, kind: FailureKind) -> str:
    if kind != "auth":
        return _HINTS.get(kind, "")
    if endpoint.key_source:
        return f"check the key ({endpoint.key_source})"
    return f"check the key, or set one: api_key in [providers.{endpoint.provider}]"


def _decoded(body: bytes) -> object:
    try:
        return from_json(body) if body.strip() else None
    except ValueError:
        return None
