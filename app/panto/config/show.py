"""The settings that hold, as text for people: TOML with the origin of each value behind it, and no secret in it."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import TypeAlias, cast

import msgspec

from panto.config.diagnostics import key_text, one_key, quoted
from panto.config.lines import KeyPath
from panto.config.load import OWN, Config
from panto.config.schema import Secret

Shown: TypeAlias = "str | int | float | bool | datetime | date | time | Sequence[Shown] | dict[str, Shown] | None"

_SECRET_NAME = re.compile(r"(?:^|[_-])(?:key|token|secret|password|passwd|authorization|credentials?)$", re.IGNORECASE)
_USER_IN_URL = re.compile(r"(?<=://)[^/@\s]*(?=@)")
_KEY_IN_URL = re.compile(r"([?&][^=&\s]*(?:key|token|secret|password)[^=&\s]*=)[^&\s#]*", re.IGNORECASE)


def effective(config: Config) -> list[str]:
    """Lines of TOML with every setting that holds and, as a comment, where it comes from.

    Comments above say what is wrong. A setting that is not set is a comment as well, and a secret is a mask. The
    tables of extensions are there once these have asked for them; what other tables hold is not shown.
    """
    own = {name: _shown(getattr(config, name)) for name in config.__struct_fields__ if name in OWN}
    claimed = {name: _shown(claim.value) for name, claim in sorted(config.tables.claims.items())}
    faults = [f"# {fault.severity}: {fault}" for fault in (*config.diagnostics, *config.unclaimed())]
    return [*faults, *([""] if faults else []), *_table(config, (), {**own, **claimed})]


def value_text(name: str, value: object) -> str:
    """A value of a setting of that name as TOML on one line, secrets masked; empty if it is not set."""
    shown = _shown(value)
    return "" if shown is None else _toml(name, shown)


def _shown(value: object) -> Shown:
    """A setting as TOML could hold it, secrets masked."""
    return cast("Shown", msgspec.to_builtins(value, builtin_types=(datetime, date, time), enc_hook=_masked))


def _masked(value: object) -> str:
    if not isinstance(value, Secret):
        raise NotImplementedError(f"a setting of type {type(value).__name__}")
    return str(value)


def _table(config: Config, path: KeyPath, table: dict[str, Shown]) -> Iterator[str]:
    """A table's own keys, under its header, and then the tables in it."""
    below = {key: value for key, value in table.items() if isinstance(value, dict) and value}
    own = {key: value for key, value in table.items() if key not in below}
    if path and own:
        yield ""
        yield f"[{key_text(path)}]"
    for key, value in own.items():
        yield from _setting(config, (*path, key), value)
    for key, value in below.items():
        yield from _table(config, (*path, key), value)


def _setting(config: Config, path: KeyPath, value: Shown) -> Iterator[str]:
    name = str(path[-1])
    origin = config.origin(str(path[0]), *path[1:])
    if value is None:
        yield f"# {one_key(name)} is not set  # {origin}"
        return
    elements = value if isinstance(value, list | tuple) else ()
    origins = [config.origin(str(path[0]), *path[1:], at) for at in range(len(elements))]
    if len({each.layer for each in origins}) > 1:
        yield f"{one_key(name)} = ["
        for item, each in zip(elements, origins, strict=True):
            yield f"    {_toml(name, item)},  # {each}"
        yield "]"
        return
    yield f"{one_key(name)} = {_toml(name, value)}  # {origin}"


def _toml(name: str, value: Shown) -> str:
    """A value as TOML on one line. What is named like a secret is treated as one."""
    match value:
        case str():
            text = str(Secret(value)) if value and _SECRET_NAME.search(name) else value
            written = quoted(_KEY_IN_URL.sub(r"\1********", _USER_IN_URL.sub("********", text)))
        case bool():
            written = str(value).lower()
        case datetime() | date() | time():
            written = value.isoformat()
        case list() | tuple():
            written = "[" + ", ".join(_toml(name, item) for item in value) + "]"
        case dict():
            pairs = (f"{one_key(key)} = {_toml(key, item)}" for key, item in value.items() if item is not None)
            written = "{" + ", ".join(pairs) + "}"
        case _:
            written = str(value)
    return written
