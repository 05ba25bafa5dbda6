"""Signed thinking: what this server signs it knows again, in this process or the next.

A signature holds digests of the thinking it goes with and of all that stood before it, so that any change to either is
seen, and a session may go on with another server than the one it began with. It also says whether the request had asked
for thinking: the API's rules about thinking cannot hold for a script that thinks unasked.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator

from tests.support.llm.checks import JSONObject, is_array, is_object

_SIZE = hashlib.sha256().digest_size


def sign(thinking: str, prefix: bytes, *, asked: bool = True) -> str:
    """The signature of a thinking block behind this prefix."""
    return base64.b64encode(_digest("thinking", thinking, asked=asked) + prefix).decode()


def seal(label: str, *, asked: bool = True) -> str:
    """The data of a redacted thinking block; the label tells blocks apart."""
    return base64.b64encode(_digest("redacted", label, asked=asked) + label.encode()).decode()


def is_signed(thinking: str, signature: str) -> bool:
    """Whether the signature belongs to exactly this thinking."""
    head = _decoded(signature)[:_SIZE]
    return head in [_digest("thinking", thinking, asked=asked) for asked in (True, False)]


def is_sealed(data: str) -> bool:
    """Whether the data of a redacted thinking block is untouched."""
    decoded = _decoded(data)
    label = decoded[_SIZE:].decode(errors="replace")
    return decoded[:_SIZE] in [_digest("redacted", label, asked=asked) for asked in (True, False)]


def was_asked_for(block: JSONObject) -> bool:
    """Whether this is thinking of ours, in answer to a request that had thinking on."""
    if block.get("type") == "thinking":
        digest = _digest("thinking", str(block.get("thinking")), asked=True)
        return _decoded(str(block.get("signature")))[:_SIZE] == digest
    if block.get("type") == "redacted_thinking":
        decoded = _decoded(str(block.get("data")))
        return decoded[:_SIZE] == _digest("redacted", decoded[_SIZE:].decode(errors="replace"), asked=True)
    return False


def is_bound_to(signature: str, prefix: bytes) -> bool:
    """Whether the thinking was made behind this prefix."""
    return _decoded(signature)[_SIZE:] == prefix


def prefixes(body: JSONObject, blocks: Iterable[tuple[str, JSONObject]]) -> Iterator[bytes]:
    """A digest of all that stands before each block (role and block), and one of all that stands before the next.

    What stands before is system, tools and all earlier blocks. Two ways to write the same thing are the same: text as a
    string or as a block, with cache marks or without.
    """
    system = _plain({"content": body.get("system")})
    so_far = hashlib.sha256(json.dumps([system, _plain(body.get("tools"))], sort_keys=True).encode())
    for role, block in blocks:
        yield so_far.digest()
        so_far.update(json.dumps([role, _plain(block)], sort_keys=True).encode())
    yield so_far.digest()


def _plain(value: object) -> object:
    if is_array(value):
        return [_plain(item) for item in value]
    if is_object(value):
        return {
            name: [{"type": "text", "text": item}] if name == "content" and isinstance(item, str) else _plain(item)
            for name, item in value.items()
            if name != "cache_control"
        }
    return value


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        return b""


def _digest(use: str, text: str, *, asked: bool) -> bytes:
    return hashlib.sha256(f"{use} {asked} {text}".encode()).digest()
