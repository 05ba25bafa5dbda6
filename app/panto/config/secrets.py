"""Turn what the settings say about a provider's key into the key, and see that it goes to nobody else.

A key is spelled ``env:NAME``, ``keyring:NAME``, ``!command``, or is written out. A cloned repository can bring settings
of its own, so two things are refused: to fetch a key the way an untrusted project says, and to send a key or header
of the user's to an address that the project gave.
"""

import asyncio
import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from panto.config.command import CommandError, output_of
from panto.config.diagnostics import key_text, visible
from panto.config.load import Config
from panto.config.schema import Provider, Secret
from panto.config.source import DEFAULTS, Origin

KEYRING_SERVICE = "panto"


class SecretError(Exception):
    """A key cannot be had, or must not be used. Its text never holds a key.

    `what` says what is the matter, `action` what to do about it; `key` names the setting and `origin` where it stands.
    """

    def __init__(self, what: str, action: str, key: str, origin: Origin) -> None:
        super().__init__(f"{key} ({origin}): {what}. {action}.")
        self.what = what
        self.action = action
        self.key = key
        self.origin = origin


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a provider is to be sent, in clear text: not for logs, and not shown by `repr`."""

    api_key: str | None = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Request:
    """One key to resolve: how it is spelled and where that stands."""

    secret: Secret
    key: str
    origin: Origin
    environ: Mapping[str, str]
    seconds: float

    def error(self, what: str, action: str) -> SecretError:
        return SecretError(what, action, self.key, self.origin)


async def credentials(
    config: Config,
    provider: str,
    *,
    default: str | None = None,
    project_trusted: bool = False,
    environ: Mapping[str, str] = os.environ,
    seconds: float = 30,
) -> Credentials:
    """The key and headers for a provider.

    `default` is how the key is spelled if no layer gives one, such as ``env:ANTHROPIC_API_KEY``; without either there
    is no key. `project_trusted` says whether the user has trusted this project to run commands; even then nothing of
    the user's goes to an address of the project's. Nothing is kept: call it once for a client, and again if the
    server no longer takes the key. A command or the keyring may take `seconds`.

    Raises `SecretError`.
    """
    settings = config.providers.get(provider, Provider())
    _keep_from_strangers(config, provider, settings, has_default=default is not None)
    headers = {name: secret.reveal() for name, secret in settings.headers.items()}
    path = ("providers", provider, "api_key")
    secret = settings.api_key or (Secret(default) if default is not None else None)
    if secret is None:
        return Credentials(None, headers)
    origin = config.origin(*path) if settings.api_key else Origin(DEFAULTS)
    request = _Request(secret, key_text(path), origin, environ, seconds)
    if origin.layer == "project" and not project_trusted:
        _refuse_fetching(request)
    return Credentials(await _resolved(request), headers)


def _keep_from_strangers(config: Config, provider: str, settings: Provider, *, has_default: bool) -> None:
    """Raise if a key or header of the user's would go to an address that the project gave."""
    own = ("providers", provider)
    headers = [(*own, "headers", name) for name in settings.headers]
    # A Host header leads to another server behind the same address.
    addresses = [(*own, "base_url"), *(path for path in headers if path[-1].lower() == "host")]
    strange = next((path for path in addresses if config.origin(*path).layer == "project"), None)
    if strange is None:
        return
    has_key = settings.api_key is not None or has_default
    for path in [*([(*own, "api_key")] if has_key else []), *headers]:
        origin = config.origin(*path)
        if origin.layer != "project":
            raise SecretError(
                "it is your own, and is not sent to an address that comes from the project: "
                f"{key_text(strange)} ({config.origin(*strange)})",
                "To send it there, set the address in your own settings; otherwise the project needs a provider "
                "of its own, with a key of its own",
                key_text(path),
                origin,
            )


def _refuse_fetching(request: _Request) -> None:
    """Raise unless the key is written out: a project that is not trusted may not say where to get one."""
    spelling = request.secret.reveal()
    if spelling.startswith("!"):
        raise request.error(
            "a command from a project that is not trusted is not run",
            "Trust the project, or set api_key in your own settings",
        )
    if spelling.startswith(("env:", "keyring:")):
        raise request.error(
            "a project that is not trusted cannot name one of your keys",
            "Trust the project, or set api_key in your own settings",
        )


async def _resolved(request: _Request) -> str:
    spelling = request.secret.reveal()
    kind, _, name = spelling.partition(":")
    if spelling.startswith("!"):
        found = await _from_command(request, spelling[1:])
    elif kind == "env":
        found = _from_environment(request, name)
    elif kind == "keyring":
        found = await _from_keyring(request, name)
    else:
        found = spelling
    found = found.strip()
    if not found.isascii() or not found.isprintable():
        raise request.error(
            "the key holds line breaks or characters that no key has", "See that it is the key and nothing else"
        )
    return found


def _from_environment(request: _Request, name: str) -> str:
    value = request.environ.get(name, "")
    if not value.strip():
        raise request.error(
            f"the environment variable is not set or empty: {request.secret}",
            f"Set it before you start panto-py, or set {request.key} in your settings",
        )
    return value


async def _from_command(request: _Request, command: str) -> str:
    directory = request.origin.file.parent if request.origin.file else None
    try:
        return await output_of(command, directory, request.environ, request.seconds)
    except CommandError as error:
        raise request.error(
            f"the command {error}", "Run it in a terminal: it must print the key, on one line, and nothing else"
        ) from None


class _Keyring(Protocol):
    def get_password(self, service_name: str, username: str) -> str | None: ...


def _ask_keyring(name: str) -> str | None:
    keyring = cast("_Keyring", importlib.import_module("keyring"))
    return keyring.get_password(KEYRING_SERVICE, name)


async def _from_keyring(request: _Request, name: str) -> str:
    try:
        async with asyncio.timeout(request.seconds):
            value = await asyncio.to_thread(_ask_keyring, name)
    except ModuleNotFoundError:
        raise request.error(
            "the system's keyring needs the Python package keyring, which is not installed",
            "Install it beside panto-py: uv tool install panto-py --with keyring",
        ) from None
    except TimeoutError:
        raise request.error(
            f"the keyring did not answer within {request.seconds:g} seconds", "Unlock it and try again"
        ) from None
    except Exception as error:  # noqa: BLE001  a keyring's backend raises whatever its system library does
        raise request.error(
            f"the keyring failed: {type(error).__name__}: {visible(str(error))[:200]}",
            "See that it works and is unlocked",
        ) from None
    if not value or not value.strip():
        raise request.error(
            f"the keyring has no entry for {request.secret}", f"Add it: keyring set {KEYRING_SERVICE} NAME"
        )
    return value
