"""Errors as Google's APIs tell them: by a status, and by details."""

import json

import pytest

from panto.llm.client import Clients
from panto.llm.failures import refusal, reported
from panto.llm.types import Endpoint, FailureKind
from panto.llm.wire import ServerError
from tests.llm.talking import endpoint, failed, request
from tests.llm.test_gemini_stream import fed, parts, text
from tests.support.llm_server import LLMServer, Raw, Status

WHERE = Endpoint("google", "gemini", "http://127.0.0.1:1/v1beta")


def error(code: int, status: str, message: str = "words", *details: object) -> dict[str, object]:
    return {"code": code, "message": message, "status": status, "details": list(details)}


INVALID = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
WAIT = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}
DAY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
MINUTE = {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}
LONG = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."

ERRORS: list[tuple[dict[str, object], FailureKind, float | None]] = [
    (error(400, "INVALID_ARGUMENT"), "bad_request", None),
    (error(400, "INVALID_ARGUMENT", "API key not valid.", INVALID), "auth", None),
    (error(400, "INVALID_ARGUMENT", LONG), "context_too_long", None),
    (error(400, "FAILED_PRECONDITION"), "bad_request", None),
    (error(401, "UNAUTHENTICATED"), "auth", None),
    (error(403, "PERMISSION_DENIED"), "auth", None),
    (error(403, "PERMISSION_DENIED", "no", {"reason": "BILLING_DISABLED"}), "quota", None),
    (error(404, "NOT_FOUND"), "not_found", None),
    (error(429, "RESOURCE_EXHAUSTED"), "rate_limit", None),
    (error(429, "RESOURCE_EXHAUSTED", "slow", MINUTE, WAIT), "rate_limit", 36.5),
    (error(429, "RESOURCE_EXHAUSTED", "none left", DAY, WAIT), "quota", 36.5),
    (error(500, "INTERNAL"), "server", None),
    (error(503, "UNAVAILABLE"), "overloaded", None),
    (error(504, "DEADLINE_EXCEEDED"), "server", None),
]


@pytest.mark.parametrize(("told", "kind", "wait"), ERRORS)
def test_errors_are_told_apart(told: dict[str, object], kind: FailureKind, wait: float | None) -> None:
    status = told["code"]
    assert isinstance(status, int)
    for body in ({"error": told}, [{"error": told}]):
        found = refusal(WHERE, status, {}, json.dumps(body).encode())
        assert (found.kind, found.retry_after) == (kind, wait)
    with pytest.raises(ServerError) as caught:
        fed(parts(text("a")), {"error": told})
    assert reported(WHERE, caught.value.error).kind == kind
    nameless = {key: value for key, value in told.items() if key != "code"}
    assert reported(WHERE, nameless).kind == kind


@pytest.mark.parametrize("delay", ["", "s", "12", "nans", "-3s", "1e999s", 12, None, {}])
def test_waits_that_are_none(delay: object) -> None:
    told = error(429, "RESOURCE_EXHAUSTED", "slow", {"retryDelay": delay}, "odd", {"violations": [3, {"quotaId": 4}]})
    found = refusal(WHERE, 429, {}, json.dumps({"error": told}).encode())
    assert found.kind == "rate_limit"
    assert found.retry_after is None or 0 <= found.retry_after <= 366 * 86_400


def test_a_header_says_the_wait_before_the_body_does() -> None:
    body = json.dumps({"error": error(429, "RESOURCE_EXHAUSTED", "slow", WAIT)}).encode()
    assert refusal(WHERE, 429, {"retry-after": "7"}, body).retry_after == 7.0


async def test_an_error_in_a_list_in_place_of_the_stream(clients: Clients) -> None:
    body = json.dumps([{"error": error(503, "UNAVAILABLE", "The model is overloaded.")}])
    with LLMServer([Status(503, body), Raw(body.encode(), headers={"content-type": "application/json"})]) as server:
        for _ in range(2):
            end = await failed(request(), endpoint("gemini", server), clients)
            assert (end.failure.kind, "overloaded" in end.failure.message) == ("overloaded", True)
