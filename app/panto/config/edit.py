"""Change one setting in a settings file on disk: checked before, written whole or not at all, with a backup."""

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from panto.config.check import Report, fitting, unknown_key
from panto.config.diagnostics import Diagnostic, key_text, short_path, visible
from panto.config.load import OWN
from panto.config.merge import at, plain
from panto.config.rewrite import RewriteError, Setting, with_value
from panto.config.schema import Settings
from panto.config.source import DEFAULTS, MAX_BYTES, TomlValue, annotate, decode, parse_layer
from panto.whole_file import write_whole

Change: TypeAlias = "Callable[[TomlValue | None], Setting]"

_BOM = b"\xef\xbb\xbf"
_ATTEMPTS = 5
_NEW_FILE_MODE = 0o600  # it may come to hold keys


class EditError(Exception):
    """A setting cannot be changed, and its file is as it was. The text names file, key and reason."""

    def __init__(self, file: Path, key: Sequence[str], reason: str) -> None:
        super().__init__(f"{short_path(file)}: {key_text(key)} cannot be changed: {reason}")
        self.file = file
        self.key = tuple(key)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """A file as it was found: its bytes and mode; None if there was none."""

    content: bytes | None
    mode: int


def set_key(
    file: Path,
    key: Sequence[str],
    value: Setting,
    *,
    tables: Mapping[str, type[Struct]] | None = None,
    within: Path | None = None,
) -> bool:
    """Set one key, as in ``set_key(layer.config_file, ("mode",), "ask")``; whether that changed the file.

    See `update_key`.
    """
    return update_key(file, key, lambda _: value, tables=tables, within=within)


def update_key(
    file: Path,
    key: Sequence[str],
    change: Change,
    *,
    tables: Mapping[str, type[Struct]] | None = None,
    within: Path | None = None,
) -> bool:
    """Set one key to what `change` makes of its value in this very file (None: there is none); whether that changed it.

    File and directories are made if they are not there. Comments, layout and line ends stay; the file's mode too, and
    if it is a link, what it leads to is changed. ``config.toml.bak`` beside it holds what was there before. `tables`
    names the Structs of extensions' tables; a key in another table is refused. `within`: refuse to write a file that
    lies, links followed, outside this directory. Use it for a project, whose links others may have made.

    `change` may be called again if another program writes the file meanwhile. Raises `EditError`.
    """
    target = Path(os.path.realpath(file))
    if within is not None and not target.is_relative_to(os.path.realpath(within)):
        raise EditError(file, key, f"it leads out of {short_path(within)}, to {short_path(target)}")
    try:
        for _ in range(_ATTEMPTS):
            found = _read(target)
            changed = _changed(file, key, change, found.content or b"", tables or {})
            if changed == found.content:
                return False
            target.parent.mkdir(parents=True, exist_ok=True)
            if _read(target) == found:  # else another program has written it meanwhile: begin again with that
                if found.content is not None:
                    write_whole(file.with_name(file.name + ".bak"), found.content, found.mode)
                write_whole(target, changed, found.mode)
                return True
    except (OSError, ValueError) as error:  # ValueError: a value that is not valid text
        raise EditError(file, key, visible(getattr(error, "strerror", None) or str(error))) from None
    raise EditError(file, key, "other programs keep writing the file")


def _check(file: Path, key: Sequence[str], value: Setting, tables: Mapping[str, type[Struct]]) -> None:
    """Raise unless the setting exists and the value fits it."""
    data: TomlValue = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    for name in reversed(key):
        data = {name: data}
    if not isinstance(data, dict):
        raise EditError(file, key, "no key is named")
    node = annotate(data, DEFAULTS)
    report: Report = []
    top = key[0]
    inner = node.value[top] if isinstance(node.value, dict) else node
    if top in OWN:
        fitting(node, Settings, report)
    elif top in tables:
        fitting(inner, tables[top], report)
    else:
        report.append(unknown_key(inner, {*OWN, *tables}))
    if report:
        raise EditError(file, key, report[0].advice)


def _changed(
    file: Path,
    key: Sequence[str],
    change: Change,
    content: bytes,
    tables: Mapping[str, type[Struct]],
) -> bytes:
    """The file's bytes with the key changed."""
    read = parse_layer("user", file, content)
    if isinstance(read, Diagnostic):
        raise EditError(file, key, f"the file is broken, mend it first ({read.where}: {read.message})")
    present = at(read, tuple(key))
    value = change(plain(present) if present else None)
    _check(file, key, value, tables)
    try:
        text = with_value(decode(content), key, value)
    except RewriteError as error:
        raise EditError(file, key, f"{error}; change it by hand") from None
    changed = (_BOM if content.startswith(_BOM) else b"") + text.encode()
    if len(changed) > MAX_BYTES:
        raise EditError(file, key, f"the file would be larger than {MAX_BYTES} bytes")
    return changed


def _read(file: Path) -> _OnDisk:
    try:
        status = file.stat()
    except FileNotFoundError:
        return _OnDisk(None, _NEW_FILE_MODE)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is not a regular file")
    return _OnDisk(file.read_bytes(), stat.S_IMODE(status.st_mode))
