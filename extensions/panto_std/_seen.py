"""What each session has seen of which file, so that nobody's work is overwritten unseen.

A session has seen a file when it read it, or wrote it itself. A file that has other content now is stale.
"""

import asyncio
import hashlib
from pathlib import Path
from weakref import WeakValueDictionary

from panto import Host, SessionEnd, ToolError

_seen: dict[str, dict[Path, bytes]] = {}
_locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()


def fingerprint(data: bytes) -> bytes:
    """What tells one content from another."""
    return hashlib.blake2b(data, digest_size=16).digest()


def remember(session: str, real: Path, content: bytes) -> None:
    """A session has seen a file with that fingerprint. ``real`` is free of links."""
    _seen.setdefault(session, {})[real] = content


def check(session: str, real: Path, data: bytes, shown: str) -> None:
    """Raises `ToolError` if the session has not seen a file, or not as it is now."""
    content = _seen.get(session, {}).get(real)
    if content is None:
        raise ToolError(f"{shown} exists and was not read in this session; read it first (std.read)")
    if content != fingerprint(data):
        raise ToolError(f"{shown} has changed since it was read, so it was left as it is; read it again (std.read)")


def lock(real: Path) -> asyncio.Lock:
    """Held while a file is changed, so that changes made at once come one after another."""
    return _locks.setdefault(real, asyncio.Lock())


def forget_with_sessions(host: Host) -> None:
    """A session that has ended has seen nothing any more."""
    host.on(SessionEnd, lambda event: _forget(event.session))


def _forget(session: str) -> None:
    _seen.pop(session, None)
