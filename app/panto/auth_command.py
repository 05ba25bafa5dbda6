"""`panto-py auth`: which keys there are, and storing them. No key is ever shown, logged or taken from the arguments."""

import getpass
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from panto.auth import MAX_KEY, AuthError, StoredKeys, keys_directory, read_stored, remove_key, store_key
from panto.config import Config, Provider, load
from panto.config.diagnostics import visible
from panto.llm.known_providers import KNOWN
from panto.llm.provider_keys import key_source
from panto.paths import Paths

USAGE = """\
usage: panto-py auth                    list the providers, and where the key of each comes from
       panto-py auth set PROVIDER       store a key: it is asked for, or read from standard input
       panto-py auth remove PROVIDER    take a stored key away"""


def run_auth(project: Path, arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Do what the arguments say, and give the lines to print. Raises `AuthError`.

    What is not understood is not repeated: it may be a key that was put in the wrong place.
    """
    command, *rest = arguments or ("list",)
    if command in ("-h", "--help"):
        return [USAGE]
    paths = Paths.discover(project, environ)
    config = load(paths)
    directory = keys_directory(paths)
    if command == "list" and not rest:
        return _listed(config, environ, read_stored(directory))
    if command == "set" and rest:
        return _set(directory, _provider(config, rest), environ)
    if command == "remove" and rest:
        return _removed(directory, _provider(config, rest))
    raise AuthError("auth takes list, set PROVIDER or remove PROVIDER", USAGE)


def _provider(config: Config, rest: Sequence[str]) -> str:
    """The provider that is named, which must be the only argument."""
    if len(rest) > 1:
        name = rest[0] if rest[0] in KNOWN else "PROVIDER"
        raise AuthError(
            "a key is not taken from the command line: there the shell's history and other programs see it",
            f"run panto-py auth set {name} and type the key when it is asked for, or pipe it in;"
            " a key that has been typed here is better replaced",
        )
    names = sorted({*KNOWN, *config.providers})
    if rest[0] not in names:
        raise AuthError("there is no provider of that name", f"there are {', '.join(map(visible, names))}")
    return rest[0]


def _listed(config: Config, environ: Mapping[str, str], stored: StoredKeys) -> list[str]:
    names = [*config.providers, *(name for name in KNOWN if name not in config.providers)]
    return [line for name in names for line in _lines(name, config, environ, stored)]


def _lines(name: str, config: Config, environ: Mapping[str, str], stored: StoredKeys) -> list[str]:
    known, settings = KNOWN.get(name), config.providers.get(name, Provider())
    source = key_source(name, known, settings, environ, stored)
    lines = [visible(f"{name:<14} {source or _without(name)}")]
    key = stored.keys.get(name)
    if key is not None and source != key.source:
        lines.append(visible(f"{'':<14}   the one in {key.source} is not used"))
    if key is not None and key.exposed:
        lines.append(visible(f"{'':<14}   others can read {key.source}: panto-py auth set {name} mends that"))
    return lines


def _without(name: str) -> str:
    known = KNOWN.get(name)
    if known is not None and known.api == "bedrock":
        return "the keys of AWS's own configuration"
    if known is None or not known.needs_key:
        return "needs no key"
    variable = f"set {known.key_variables[0]}, or " if known.key_variables else ""
    return f"no key: {variable}panto-py auth set {name}"


def _set(directory: Path, provider: str, environ: Mapping[str, str]) -> list[str]:
    place = store_key(directory, provider, _asked_for(provider))
    lines = [f"the key for {visible(provider)} is stored in {place}"]
    known = KNOWN.get(provider)
    variable = next((name for name in known.key_variables if environ.get(name, "").strip()), "") if known else ""
    return [*lines, f"{variable} is set as well, and is used before it"] if variable else lines


def _asked_for(provider: str) -> str:
    """The key, typed without being shown, or piped in. Raises `AuthError`."""
    try:
        if sys.stdin.isatty():
            return getpass.getpass(f"key for {visible(provider)} (not shown): ")
        return sys.stdin.read(MAX_KEY + 2)
    except (EOFError, KeyboardInterrupt):
        raise AuthError("no key was given; nothing is changed") from None
    except UnicodeDecodeError:
        raise AuthError("this is no key: it holds characters that no key has") from None


def _removed(directory: Path, provider: str) -> list[str]:
    if remove_key(directory, provider):
        return [f"the stored key for {visible(provider)} is gone"]
    return [f"there is no stored key for {visible(provider)}"]
