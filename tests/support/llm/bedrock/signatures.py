"""Whether a request is signed with the right keys: botocore signs it anew, at the same moment, to the same result."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from unittest.mock import patch

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.support.llm.checks import RefusedError
from tests.support.llm.request import Request

_SCOPE = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<day>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, "
    r"SignedHeaders=(?P<headers>[a-z0-9;-]+), Signature=(?P<signature>[0-9a-f]{64})"
)
_ALWAYS = {"host", "x-amz-date"}


@dataclass(frozen=True)
class Keys:
    """A set of AWS keys, and the region where they are good."""

    access: str
    secret: str
    token: str = ""
    region: str = "us-east-1"


def check_signature(request: Request, keys: Keys) -> None:
    """Raise `RefusedError`, in AWS's words, unless these keys signed the request as it is."""
    found = _SCOPE.fullmatch(request.headers.get("authorization", ""))
    if found is None:
        raise _refused("MissingAuthenticationTokenException", "Missing Authentication Token")
    if found["key"] != keys.access:
        raise _refused("UnrecognizedClientException", "The security token included in the request is invalid.")
    signed = set(found["headers"].split(";"))
    scope = (found["region"], found["service"])
    token = request.headers.get("x-amz-security-token", "")
    if not signed >= _ALWAYS or scope != (keys.region, "bedrock") or token != keys.token:
        raise _refused("InvalidSignatureException", f"Credential should be scoped to {keys.region}/bedrock.")
    if found["signature"] != _signature(request, keys, signed):
        raise _refused(
            "InvalidSignatureException",
            "The request signature we calculated does not match the signature you provided. "
            f"The Canonical String for this request should have been 'POST x-amz-security-token:{token}'",
        )


def _signature(request: Request, keys: Keys, signed: set[str]) -> str:
    moment = datetime.strptime(request.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    headers = {name: request.headers[name] for name in sorted(signed - {"x-amz-date", "x-amz-security-token"})}
    again = AWSRequest("POST", f"http://{request.headers['host']}{request.path}", headers=headers, data=request.raw)
    credentials = Credentials(keys.access, keys.secret, keys.token or None)
    with patch("botocore.auth.get_current_datetime", return_value=moment):
        SigV4Auth(credentials, "bedrock", keys.region).add_auth(again)
    return str(again.headers["Authorization"]).rpartition("Signature=")[2]


def _refused(kind: str, message: str) -> RefusedError:
    return RefusedError(message, status=403, kind=kind)
