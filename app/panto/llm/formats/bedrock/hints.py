"""What to do about the failures that users of ``bedrock`` meet, which no other server has."""

from collections.abc import Callable

from panto.llm.types import Endpoint, Failure, FailureKind, Request

_WORDS: tuple[tuple[FailureKind, str, str], ...] = (
    ("auth", "access to the model", "ask for access to the model in the console of Bedrock, in the region {region}"),
    (
        "auth",
        "not authorized to perform",
        "allow bedrock:InvokeModelWithResponseStream to the user or role of these keys",
    ),
    ("auth", "expired", "sign in again (aws sso login), or renew the keys"),
    ("bad_request", "on-demand throughput", "name an inference profile, as us.{model} or global.{model}"),
    (
        "bad_request",
        "model identifier is invalid",
        "check the model's name, and whether there is such a model in {region}",
    ),
    ("not_found", "", "check the model's name, and whether there is such a model in {region}"),
)
"""By the kind of failure and words in its message; the first that fits."""


def hint_for(request: Request, endpoint: Endpoint) -> Callable[[Failure], str]:
    """What gives the hints for a request."""
    region = endpoint.region or "your region"

    def hint(failure: Failure) -> str:
        for kind, words, what in _WORDS:
            if failure.kind == kind and words in failure.message:
                return what.replace("{model}", request.model).replace("{region}", region)
        if failure.kind == "auth" and endpoint.signer is not None:
            return f"check the AWS keys ({endpoint.signer.source}), and that they are good in {region}"
        return ""

    return hint
