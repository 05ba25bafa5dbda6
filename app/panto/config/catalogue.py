"""Every single setting that there is, with what it is for, what it may be, what it is now, and who says so."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from msgspec import Struct, structs

from panto.config import kinds
from panto.config.diagnostics import key_text
from panto.config.load import OWN, Config
from panto.config.rewrite import Setting
from panto.config.schema import Secret, Settings
from panto.config.show import value_text
from panto.config.source import Origin, TomlValue


@dataclass(frozen=True)
class Item:
    """One setting. ``kind`` is what may stand in the annotation of a Struct's field."""

    path: tuple[str, ...]
    kind: object
    value: object
    origin: Origin
    description: str

    @property
    def name(self) -> str:
        """The key as TOML spells it."""
        return key_text(self.path)

    @property
    def text(self) -> str:
        """The value as TOML, secrets masked; empty if it is not set."""
        return value_text(self.path[-1], self.value)

    @property
    def is_secret(self) -> bool:
        """Whether it is not for showing."""
        return kinds.bare(self.kind, None) is Secret

    @property
    def choices(self) -> list[str]:
        """What it may be, if that is one of a few; as it would be typed."""
        return ["true", "false"] if kinds.bare(self.kind, None) is bool else kinds.choices(self.kind)

    @property
    def typed(self) -> str:
        """The value as one would type it: a text without quotes."""
        return self.value if isinstance(self.value, str) else self.text


def items(config: Config) -> list[Item]:
    """All settings: the program's own in the order of the schema, then those of extensions that have asked for them."""
    own = {name: getattr(config, name) for name in OWN}
    found = list(_below(config, (), kinds.keys(Settings), own))
    for name, claim in sorted(config.tables.claims.items()):
        found += _table(config, (name,), claim.kind, claim.value)
    return found


def _table(config: Config, path: tuple[str, ...], kind: type[Struct], value: Struct) -> Iterator[Item]:
    names = {field.encode_name: field.name for field in structs.fields(kind)}
    return _below(config, path, kinds.keys(kind), {key: getattr(value, name) for key, name in names.items()})


def _below(
    config: Config, path: tuple[str, ...], keys: Mapping[str, object], values: dict[str, object]
) -> Iterator[Item]:
    for key, kind in keys.items():
        yield from _items(config, (*path, key), kind, values[key], kinds.description(kind))


def _items(config: Config, path: tuple[str, ...], kind: object, value: object, description: str) -> Iterator[Item]:
    bare = kinds.bare(kind, {} if isinstance(value, dict | Struct) else value)
    entries = kinds.entry_kinds(bare)
    if kinds.is_table(bare) and isinstance(value, Struct):
        yield from _table(config, path, bare, value)
    elif entries and isinstance(value, dict):
        for name, entry in cast("dict[str, object]", value).items():
            yield from _items(config, (*path, name), entries[1], entry, description)
    elif not kinds.is_table(bare):
        yield Item(path, kind, cast("object", value), config.origin(path[0], *path[1:]), description)


def read_typed(item: Item, text: str) -> tuple[Setting, str]:
    """What was typed for a setting as the value it stands for, and why that does not fit; empty if it does."""
    value = text if _takes_text(item.kind) else _from_toml(text)
    plain: TomlValue = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    refusal = kinds.refusal(plain, item.kind)
    return value, f"{refusal}; allowed: {kinds.allowed(item.kind)}" if refusal else ""


def _takes_text(kind: object) -> bool:
    """Whether a text that is typed stands for itself."""
    bare = kinds.bare(kind, "")
    return bare is str or bare is Secret or bool(kinds.choices(kind))


def _from_toml(text: str) -> Setting:
    """The value that a text is in TOML; the text itself if it is none that a single setting can have."""
    try:
        value: TomlValue = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text
    if not isinstance(value, dict | list):
        return value
    elements = [element for element in value if not isinstance(element, dict | list)]
    return text if isinstance(value, dict) or len(elements) != len(value) else tuple(elements)
