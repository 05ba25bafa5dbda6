"""Encrypted reasoning and the ids of items: what this server gave out it knows again, in this process or the next.

The ids of one answer's items have a stem in common with the reasoning before them, so that it can be seen which
belongs to which.
"""

import base64
import hashlib


def seal(text: str, identifier: str, model: str) -> str:
    """The encrypted content of a reasoning item with this id, by this model; the text tells items apart."""
    return base64.b64encode(_digest(text, identifier, model) + text.encode()).decode()


def is_sealed(data: str, identifier: str, model: str) -> bool:
    """Whether encrypted content is untouched, and belongs to this item of this model."""
    try:
        decoded = base64.b64decode(data, validate=True)
    except ValueError:
        return False
    size = hashlib.sha256().digest_size
    return decoded[:size] == _digest(decoded[size:].decode(errors="replace"), identifier, model)


def stem(identifier: str) -> str:
    """What the ids of reasoning and of the items behind it have in common; empty for an id that has none."""
    parts = identifier.split("_")
    return parts[1] if len(parts) == 3 else ""


def _digest(text: str, identifier: str, model: str) -> bytes:
    return hashlib.sha256("\0".join((identifier, model, text)).encode()).digest()
