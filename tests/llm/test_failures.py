"""Bodies and codes of errors, as the many servers send them, are told apart by tables."""

import json

import pytest

from panto.json_values import JSONObject
from panto.llm.failures import MAX_MESSAGE, error_in, failure, refusal, reported
from panto.llm.types import Endpoint, FailureKind

WHERE = Endpoint("local", "openai-chat", "http://127.0.0.1:1/v1")


def refused(status: int, body: object, **headers: str) -> tuple[FailureKind, str]:
    found = refusal(WHERE, status, headers, json.dumps(body).encode())
    return found.kind, found.message


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"message": "quota", "code": "insufficient_quota"}, "quota"),
        (429, {"message": "tokens per minute", "type": "tokens", "code": "rate_limit_exceeded"}, "rate_limit"),
        (429, {"message": "prompt is too long, they say"}, "rate_limit"),
        (500, {"message": "does not fit", "type": "exceed_context_size_error", "code": 500}, "context_too_long"),
        (
            400,
            {"message": "prompt is too long: 9 tokens > 8 maximum", "type": "invalid_request_error"},
            "context_too_long",
        ),
        (400, {"message": "This model's maximum context length is 8 tokens."}, "context_too_long"),
        (400, {"message": "I think the prompt is too long"}, "bad_request"),
        (400, {"message": "litellm.ContextWindowExceededError: no room", "code": "400"}, "context_too_long"),
        (400, {"message": "No connected db.", "type": "no_db_connection", "code": "400"}, "auth"),
        (400, {"message": "Your credit balance is too low to access it.", "type": "invalid_request_error"}, "quota"),
        (400, {"message": "It says: Your credit balance is too low"}, "bad_request"),
        (401, {"message": "no", "type": "invalid_request_error"}, "auth"),
        (402, {"message": "pay"}, "quota"),
        (403, {"message": "no", "type": "permission_error"}, "auth"),
        (404, {"message": "none", "code": "model_not_found"}, "not_found"),
        (408, {"message": "slow"}, "server"),
        (409, {"message": "conflict"}, "bad_request"),
        (413, {"message": "large", "type": "request_too_large"}, "context_too_long"),
        (422, {"message": "unprocessable"}, "bad_request"),
        (500, {"message": "oops"}, "server"),
        (502, {"message": "oops"}, "server"),
        (503, {"message": "busy"}, "overloaded"),
        (529, {"message": "busy", "type": "overloaded_error"}, "overloaded"),
        (500, {"message": "busy", "type": "overloaded_error"}, "overloaded"),
    ],
)
def test_refusals(status: int, error: JSONObject, kind: FailureKind) -> None:
    assert refused(status, {"error": error}) == (kind, f"local: {error['message']} (HTTP {status})")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "m", "type": "overloaded_error"}, "overloaded"),
        ({"message": "m", "type": "rate_limit_error"}, "rate_limit"),
        ({"message": "m", "type": "api_error"}, "server"),
        ({"message": "m", "type": "authentication_error"}, "auth"),
        ({"message": "m", "type": "invalid_request_error"}, "bad_request"),
        ({"message": "m", "code": 429}, "rate_limit"),
        ({"message": "m", "code": 502}, "server"),
        ({"message": "m", "code": 7}, "server"),
        ({"message": "m", "type": "never heard of"}, "server"),
        ({"message": "m"}, "server"),
        ({}, "server"),
    ],
)
def test_errors_inside_of_a_stream(error: JSONObject, kind: FailureKind) -> None:
    assert reported(WHERE, error).kind == kind


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "in an object"}}, "in an object"),
        ({"error": "in a string"}, "in a string"),
        ({"error": "kind", "message": "beside it"}, "beside it"),
        ({"object": "error", "message": "flat", "type": "x"}, "flat"),
        ({"message": "flat", "code": "3230"}, "flat"),
        ({"detail": "as a detail"}, "as a detail"),
        ({"detail": [{"loc": ["body", "messages", 0], "msg": "bad"}, {"msg": "worse"}]}, "messages.0: bad; worse"),
        ([{"error": {"message": "in a list"}}], "in a list"),
        ({"error": {"message": "two\n  lines\there"}}, "two lines here"),
        ({"error": {"message": {"odd": 1}}}, "an error without a message"),
        ({"error": {}}, "an error without a message"),
    ],
)
def test_the_words_are_found_wherever_they_are(body: object, words: str) -> None:
    assert refused(400, body) == ("bad_request", f"local: {words} (HTTP 400)")


@pytest.mark.parametrize(
    "body", [{}, [], None, "x", {"choices": []}, {"error": None}, {"error": ""}, {"message": "hi"}]
)
def test_what_is_no_error_is_none(body: object) -> None:
    assert error_in(body) is None


def test_what_a_router_passes_on_counts() -> None:
    raw = json.dumps({"error": {"message": "too many tokens", "code": "context_length_exceeded"}})
    error = {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw, "provider_name": "X"}}
    assert refused(400, {"error": error}) == ("context_too_long", "local: too many tokens (HTTP 400)")
    odd = {"message": "Provider returned error", "metadata": {"raw": "<html>"}}
    assert refused(502, {"error": odd}) == ("server", "local: Provider returned error (HTTP 502)")


@pytest.mark.parametrize(
    ("error", "item"),
    [
        ({"message": "m", "param": "messages[3].tool_calls[0].id"}, "messages.3.tool_calls.0.id"),
        ({"message": "tools.2.custom.input_schema: JSON schema is invalid."}, "tools.2.custom.input_schema"),
        (
            {"message": "messages.3.content.1.image.source.base64: image exceeds 5 MB"},
            "messages.3.content.1.image.source.base64",
        ),
        ({"message": "m", "param": "messages.[1].content.[0].image_url"}, "messages.1.content.0.image_url"),
        ({"message": "Invalid 'tools[3].function.name': string does not match."}, "tools.3.function.name"),
        (
            {"message": "* GenerateContentRequest.tools[0].function_declarations[1].name: Invalid."},
            "tools.0.function_declarations.1.name",
        ),
        (
            {"message": "The model returned the following errors: messages.2.content.0.image.source: bad image"},
            "messages.2.content.0.image.source",
        ),
        (
            {"message": "m", "details": [{"fieldViolations": [{"field": "contents[2].parts[0].inline_data"}]}]},
            "contents.2.parts.0.inline_data",
        ),
        ({"message": "this is about messages.3: it is bad"}, ""),
        ({"message": "m", "param": None}, ""),
    ],
)
def test_what_the_server_objects_to(error: JSONObject, item: str) -> None:
    found = refusal(WHERE, 400, {}, json.dumps({"error": error}).encode())
    assert found.item == item


def test_long_words_are_cut() -> None:
    _, message = refused(400, {"error": {"message": "x" * 100_000}})
    assert len(message) < MAX_MESSAGE + 100


@pytest.mark.parametrize("body", [b"", b"  ", b"<html>", b"\xff\xfe", b"[" * 9999, b"null"])
def test_bodies_without_words(body: bytes) -> None:
    found = refusal(WHERE, 500, {"retry-after": "3"}, body)
    assert (found.kind, found.message) == ("server", "local: the server answered HTTP 500")
    assert (found.status, found.retry_after) == (500, 3.0)


def test_a_refused_key_is_named_by_its_source() -> None:
    named = Endpoint("local", "openai-chat", "http://127.0.0.1:1/v1", key_source="LOCAL_KEY")
    assert failure(named, "auth", "no").hint == "check the key (LOCAL_KEY)"
    assert "[providers.local]" in failure(WHERE, "auth", "no").hint
