"""Change one key in a settings file's text, and leave all comments and the layout as they are."""

import re
import tomllib
from collections.abc import MutableMapping, Sequence
from typing import TypeAlias, cast

import tomlkit
from tomlkit.container import Container
from tomlkit.items import AbstractTable, Array, Comment, Item, Table

from panto.config.arrays import with_elements
from panto.config.diagnostics import key_text
from panto.config.source import TomlScalar, TomlValue

Setting: TypeAlias = TomlScalar | Sequence[TomlScalar]
_Table: TypeAlias = MutableMapping[str, object]


class RewriteError(Exception):
    """The key cannot be changed in this text. The message says why."""


def with_value(text: str, key: Sequence[str], value: Setting) -> str:
    """TOML text with one key set, which is made if it is not there. Line ends stay what they are.

    Raises `RewriteError`, also where the result would not be the same settings but for that key.
    """
    wanted: dict[str, TomlValue] = tomllib.loads(text)
    _set(wanted, key, value)
    if _comparable(tomllib.loads(text)) == _comparable(wanted):
        return text
    for dotted in (False, True):  # tomlkit cannot put a table everywhere, but where it fails a dotted key may do
        try:
            changed = _changed(text, key, value, dotted=dotted)
            if _comparable(tomllib.loads(changed)) == _comparable(wanted):
                return changed
        except RewriteError:
            raise
        except Exception:  # noqa: BLE001, S112  on odd layouts tomlkit fails in many ways; the text is left as it is
            continue
    raise RewriteError("this layout cannot be edited")


def _set(table: dict[str, TomlValue], key: Sequence[str], value: Setting) -> None:
    """Set a key in plain tables. Raises `RewriteError` if something else is in the way."""
    for at, name in enumerate(key[:-1], start=1):
        below = table.setdefault(name, {})
        if not isinstance(below, dict):
            raise RewriteError(f"{key_text(key[:at])} is not a table")
        table = below
    existing = table.get(key[-1])
    if isinstance(existing, dict):
        raise RewriteError(f"{key_text(key)} is a table")
    if isinstance(existing, list) and any(isinstance(element, dict) for element in existing):
        raise RewriteError(f"{key_text(key)} is an array of tables")
    table[key[-1]] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _changed(text: str, key: Sequence[str], value: Setting, *, dotted: bool) -> str:
    document = tomlkit.parse(text)
    table: _Table = document
    missing = list(key)
    anchor, below_anchor = document, missing  # the last table on the way that a dotted key can be put into
    while len(missing) > 1 and missing[0] in table:
        table = cast("_Table", table[missing[0]])
        missing = missing[1:]
        if isinstance(table, Container | Table):
            anchor, below_anchor = table, missing
    name = missing[0]
    is_new = name not in table
    item = _item(value, None if is_new else table[name])
    if dotted and is_new:
        anchor.append(tomlkit.key(below_anchor), tomlkit.item(item))
    else:
        for outer in reversed(missing[1:]):
            item = {outer: item}
        table[name] = item
    if is_new:
        _settle(table, name)
    result = tomlkit.dumps(document)
    has_crlf = "\r\n" in text and not re.search(r"(?<!\r)\n", text)
    return re.sub(r"(?<!\r)\n", "\r\n", result) if has_crlf else result


def _item(value: Setting, existing: object) -> object:
    """The value as tomlkit takes it; an array with the comments of the one that it replaces."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        if isinstance(existing, Array) and "#" in existing.as_string():
            raise RewriteError("an array with comments stands there")
        return value
    elements = [tomlkit.item(element).as_string() for element in value]
    old = existing.as_string() if isinstance(existing, Array) else "[]"
    return tomlkit.parse(f"k = {with_elements(old, elements)}\n")["k"]


def _settle(table: _Table, name: str) -> None:
    """Move a new key above the comments on the table that comes next: tomlkit puts it between the two."""
    if not isinstance(table, Container | Table):
        return  # in one line, or in several places: nothing to move, or nothing that can be
    body = table.body if isinstance(table, Container) else table.value.body
    at = next(at for at, (key, _) in enumerate(body) if key is not None and key.key == name)
    following = body[at + 1][1] if at + 1 < len(body) else None
    if isinstance(body[at][1], AbstractTable) or not (following is None or isinstance(following, AbstractTable)):
        return
    start = _behind_key(body, at)
    if start < at:
        body.insert(start, body.pop(at))
        if isinstance(body[start + 1][1], Comment):
            body[start][1].trivia.trail = "\n\n"
        if following is not None:
            following.trivia.indent = following.trivia.indent.lstrip("\n")


def _behind_key(body: Sequence[tuple[object, Item]], at: int) -> int:
    """Where comments and blank lines above this place begin; where there is no key above, the last comments do."""
    start = at
    while start and body[start - 1][0] is None:
        start -= 1
    if start == 0:
        start = at
        while start and isinstance(body[start - 1][1], Comment):
            start -= 1
    return start


def _comparable(value: TomlValue) -> object:
    """A value that equals another if and only if they are the same in TOML; order in tables does not count."""
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    return [_comparable(item) for item in value] if isinstance(value, list) else repr(value)
