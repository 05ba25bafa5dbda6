"""The user's favourite models, and those chosen last: a small file that several programs may share."""

import fcntl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from panto.json_values import array_at, is_object
from panto.whole_file import write_whole

MOST_RECENT = 20
MOST_FAVOURITES = 200
_LONGEST = 400
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Shelf:
    """Models as ``provider/model``: favourites in the order they became so, recent ones with the latest first."""

    favourites: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()

    def toggled(self, model: str) -> "Shelf":
        """With the model as a favourite if it was none, else without."""
        others = tuple(name for name in self.favourites if name != model)
        kept = others if model in self.favourites else (*others, model)[-MOST_FAVOURITES:]
        return Shelf(kept, self.recent)

    def chosen(self, model: str) -> "Shelf":
        """With the model as the one that was chosen last."""
        others = tuple(name for name in self.recent if name != model)
        return Shelf(self.favourites, (model, *others)[:MOST_RECENT])


def read_shelf(file: Path) -> Shelf:
    """What the file holds. A file that isn't there, can't be read, or holds something else is as an empty one."""
    try:
        return _shelf_in(_content(file)) or Shelf()
    except OSError:
        return Shelf()


def change_shelf(file: Path, change: Callable[[Shelf], Shelf]) -> Shelf:
    """Change what the file holds, one program at a time. Gives what it holds then. Raises `OSError`.

    A file that holds something else goes to ``.broken`` beside it: its user may want to mend it.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.with_name(f"{file.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = _shelf_in(_content(file))
        if found is None:
            file.replace(file.with_name(f"{file.name}.broken"))
        shelf = change(found or Shelf())
        write_whole(file, msgspec.json.encode(shelf))
    return shelf


def _content(file: Path) -> bytes:
    """The file's bytes, as far as it is read; of a file that isn't there, those of an empty shelf. Raises `OSError`."""
    try:
        with file.open("rb") as opened:
            return opened.read(_MAX_BYTES)
    except FileNotFoundError:
        return b"{}"


def _shelf_in(content: bytes) -> Shelf | None:
    """What is written there, without what can't be a model's name; None if it is something else altogether."""
    try:
        found: object = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not is_object(found):
        return None
    return Shelf(_names(found, "favourites")[-MOST_FAVOURITES:], _names(found, "recent")[:MOST_RECENT])


def _names(value: object, key: str) -> tuple[str, ...]:
    names = (name for name in array_at(value, key) if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in names if "/" in name and len(name) <= _LONGEST and name.isprintable()))
