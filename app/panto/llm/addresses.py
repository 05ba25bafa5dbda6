"""Addresses of servers as environment variables have them: whole, or, as ``OLLAMA_HOST``, a host and maybe a port."""

from urllib.parse import urlsplit

DEFAULT_PORT = 11434
"""Where a host without scheme and port is asked: ollama's own."""
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing listens here
"""What a server listens at to be reached from anywhere is no address to ask: this machine is meant."""


def address_of(text: str) -> str:
    """The address that a variable names; empty if it names none."""
    given = text.strip()
    scheme, separator, rest = given.rpartition("://")
    if not rest or (separator and scheme not in ("http", "https")):
        return ""
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"  # a bare IPv6 address
    try:
        parts = urlsplit(f"{scheme or 'http'}://{rest}")
        port = parts.port or (None if separator else DEFAULT_PORT)
    except ValueError:
        return ""
    host = parts.hostname or "127.0.0.1"
    if parts.username is not None:
        return ""
    host = _ANY.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
