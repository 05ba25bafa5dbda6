"""Models that the user marked, and those chosen last: a small file in the state directory, beside the sessions.

It is a convenience: what can't be read is ignored, and what can't be written is logged. All of it blocks on the disk.
"""

import logging
import os
import tempfile
from pathlib import Path

import msgspec
from msgspec import Struct

log = logging.getLogger(__name__)

MOST_RECENT = 6
MOST_FAVOURITES = 100
_LONGEST_NAME = 300
_MOST_BYTES = 256 * 1024


class Favourites(Struct, frozen=True):
    """Names of models as ``provider/model``: the marked ones as they were marked, the recent ones latest first."""

    favourites: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


def read_favourites(file: Path) -> Favourites:
    """What the file says; nothing if there is none, or if it is broken."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError(f"it is longer than {_MOST_BYTES} bytes")
        found = msgspec.json.decode(content, type=Favourites)
    except FileNotFoundError:
        return Favourites()
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s is ignored: %s", file, error)
        return Favourites()
    return _bounded(found.favourites, found.recent)


def toggle_favourite(file: Path, name: str) -> Favourites:
    """Mark a model, or take its mark away. Gives all there is now."""
    now = read_favourites(file)
    marked = now.favourites
    others = tuple(other for other in marked if other != name)
    return _kept(file, _bounded(others if name in marked else (name, *marked), now.recent))


def add_recent(file: Path, name: str) -> Favourites:
    """Remember that a model was chosen just now. Gives all there is now."""
    now = read_favourites(file)
    return _kept(file, _bounded(now.favourites, (name, *now.recent)))


def _bounded(favourites: tuple[str, ...], recent: tuple[str, ...]) -> Favourites:
    """Each name once, and no more of them than are of use."""
    return Favourites(_names(favourites)[:MOST_FAVOURITES], _names(recent)[:MOST_RECENT])


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if 0 < len(name) <= _LONGEST_NAME)


def _kept(file: Path, favourites: Favourites) -> Favourites:
    """Write it in one step, so that no other program ever reads half of it."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(msgspec.json.format(msgspec.json.encode(favourites)) + b"\n")
            temporary.replace(file)
        except BaseException:  # nothing half-made stays behind, whatever ended this; it goes on being raised
            temporary.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        log.warning("%s is not written: %s", file, error)
    return favourites
