"""Keys that the user has stored: in the system's keyring if there is one, else in a file that only they can read.

A file of its own for each provider, so that two programs that store keys don't get in each other's way:
``PROVIDER.key`` holds a key; ``PROVIDER.keyring`` is empty, and says that the key is in the keyring.
"""

import contextlib
import importlib
import os
import re
import stat
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar, cast

from panto.config import Secret
from panto.config.diagnostics import short_path
from panto.config.secrets import KEYRING_SERVICE
from panto.paths import Paths
from panto.whole_file import write_whole

T = TypeVar("T")

MAX_KEY = 8192
"""Characters: longer than any key there is."""
KEYRING_SECONDS = 30.0

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
_OTHER_SPELLINGS = ("env:", "keyring:", "!")
_KEY, _IN_KEYRING = ".key", ".keyring"
_UNUSABLE = frozenset({"keyring.backends.fail", "keyring.backends.null"})


class AuthError(Exception):
    """A key can't be stored or taken away. The text never holds one. ``hint`` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A stored key: ``spelling`` as config would have it in ``api_key``, ``source`` where it is, for people.

    ``exposed``: others on this machine can read it.
    """

    spelling: Secret
    source: str
    exposed: bool = False


@dataclass(frozen=True)
class StoredKeys:
    """The stored keys by provider, as they were when they were read."""

    keys: Mapping[str, StoredKey] = field(default_factory=dict[str, StoredKey])

    def spelling(self, provider: str) -> str | None:
        """The provider's key as config would spell it; None if there is none."""
        found = self.keys.get(provider)
        return found.spelling.reveal() if found else None

    def source(self, provider: str) -> str:
        """Where the provider's key is; empty if there is none."""
        found = self.keys.get(provider)
        return found.source if found else ""


def keys_directory(paths: Paths) -> Path:
    """Where the keys are."""
    return paths.base.directory.parent / "keys"


def read_stored(directory: Path) -> StoredKeys:
    """The keys that are stored. What can't be read, or is no key, is not there."""
    found: dict[str, StoredKey] = {}
    with contextlib.suppress(OSError):
        for file in sorted(directory.iterdir()):
            key = _read(file)
            if key is not None and (file.suffix == _KEY or file.stem not in found):
                found[file.stem] = key
    return StoredKeys(found)


def _read(file: Path) -> StoredKey | None:
    if not _NAME.fullmatch(file.stem):
        return None
    if file.suffix == _IN_KEYRING:
        return StoredKey(Secret(f"keyring:{file.stem}"), "the keyring")
    if file.suffix != _KEY:
        return None
    try:
        with file.open(encoding="ascii") as opened:
            text = opened.read(MAX_KEY + 1).strip()
            mode = os.fstat(opened.fileno()).st_mode
    except (OSError, UnicodeDecodeError):
        return None
    exposed = os.name == "posix" and bool(stat.S_IMODE(mode) & 0o077)
    return None if _fault(text) else StoredKey(Secret(text), short_path(file), exposed)


def _fault(key: str) -> str:
    """Why a text is no key; empty if it may be one."""
    if not key:
        return "it is empty"
    if len(key) > MAX_KEY:
        return f"it is longer than {MAX_KEY} characters"
    if not key.isascii() or not key.isprintable() or " " in key:
        return "it holds spaces, line breaks or characters that no key has"
    return ""


def store_key(directory: Path, provider: str, key: str) -> str:
    """Store a provider's key in place of the one there was, and say where it is. Raises `AuthError`."""
    key = key.strip()
    _check_name(provider)
    if key.startswith(_OTHER_SPELLINGS):
        raise AuthError(
            "this says where a key is, and is none itself",
            f"set it as api_key in [providers.{provider}] of config.toml",
        )
    fault = _fault(key)
    if fault:
        raise AuthError(f"this is no key: {fault}", "give the key alone, on one line")
    in_keyring = _into_keyring(provider, key)
    try:
        _write(directory / f"{provider}{_IN_KEYRING if in_keyring else _KEY}", "" if in_keyring else f"{key}\n")
        (directory / f"{provider}{_KEY if in_keyring else _IN_KEYRING}").unlink(missing_ok=True)
    except OSError as error:
        raise AuthError(f"{short_path(directory)} can't be written: {error.strerror}") from None
    return "the system's keyring" if in_keyring else short_path(directory / f"{provider}{_KEY}")


def remove_key(directory: Path, provider: str) -> bool:
    """Take a provider's stored key away, wherever it is; False if there is none. Raises `AuthError`."""
    _check_name(provider)
    marker, file = directory / f"{provider}{_IN_KEYRING}", directory / f"{provider}{_KEY}"
    try:
        there = marker.exists(), file.exists()
        if there[0]:
            _out_of_keyring(provider)
        marker.unlink(missing_ok=True)
        file.unlink(missing_ok=True)
    except OSError as error:
        raise AuthError(f"{short_path(directory)} can't be written: {error.strerror}") from None
    return any(there)


def _check_name(provider: str) -> None:
    if not _NAME.fullmatch(provider):
        raise AuthError("a provider whose key is stored has a name of letters, digits, '.', '_' and '-'")


def _write(file: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.parent.chmod(0o700)
    write_whole(file, text.encode("ascii"))


class _Keyring(Protocol):
    def get_keyring(self) -> object: ...
    def get_password(self, service_name: str, username: str) -> str | None: ...
    def set_password(self, service_name: str, username: str, password: str) -> None: ...
    def delete_password(self, service_name: str, username: str) -> None: ...


def _into_keyring(provider: str, key: str) -> bool:
    """Put a key into the keyring; False if there is none that works."""

    def put() -> bool:
        keyring = cast("_Keyring", importlib.import_module("keyring"))
        if type(keyring.get_keyring()).__module__ in _UNUSABLE:
            return False
        keyring.set_password(KEYRING_SERVICE, provider, key)
        return keyring.get_password(KEYRING_SERVICE, provider) == key

    try:
        return _in_time(put)
    except Exception:  # noqa: BLE001  a keyring's backend raises whatever its system library does; the file is left
        return False


def _out_of_keyring(provider: str) -> None:
    def delete() -> None:
        keyring = cast("_Keyring", importlib.import_module("keyring"))
        if keyring.get_password(KEYRING_SERVICE, provider) is not None:
            keyring.delete_password(KEYRING_SERVICE, provider)

    try:
        _in_time(delete)
    except Exception as error:  # noqa: BLE001  as above
        raise AuthError(
            f"the key could not be taken out of the keyring ({type(error).__name__})",
            "see that the keyring works and is unlocked",
        ) from None


def _in_time(work: Callable[[], T]) -> T:
    """What some work gives. A locked keyring may wait for somebody who is not there; then `TimeoutError` is raised."""
    results: list[T] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  handed over to the thread that waits
            faults.append(error)

    thread = threading.Thread(target=run, name="keyring", daemon=True)
    thread.start()
    thread.join(KEYRING_SECONDS)
    if results:
        return results[0]
    raise faults[0] if faults else TimeoutError("the keyring does not answer")
