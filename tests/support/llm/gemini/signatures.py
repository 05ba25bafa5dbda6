"""Signatures of thoughts: what this server signs it knows again, in this process or the next.

A signature holds a digest of the part that it came on, so that it is refused on any other.
"""

import base64
import hashlib
import json

from tests.support.llm.checks import JSONObject, value_at

UNCHECKED = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")


def sign(part: JSONObject) -> str:
    """The signature of a part."""
    return base64.b64encode(hashlib.sha256(_signed(part)).digest()).decode()


def is_signed(part: JSONObject) -> bool:
    """Whether the part's signature is its own, or one that is taken for any."""
    return part.get("thoughtSignature") in (*UNCHECKED, sign(part))


def _signed(part: JSONObject) -> bytes:
    what = [value_at(part, "functionCall", "name"), part.get("text"), part.get("thought", False)]
    return json.dumps(what).encode()
