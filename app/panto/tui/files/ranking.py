"""Which paths fit a word best: ranked as they come, with no more kept than a list can show."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from panto.tui.files.listing import Chunk
from panto.tui.fit import folded

MOST = 100
"""So many paths are kept."""
_PARTS = "/:-._ "
_EXACT, _PREFIX, _WORD_START, _IN_NAME, _IN_PATH, _SCATTERED_IN_NAME, _SCATTERED = range(7)

_Key: TypeAlias = tuple[int, int, int, str]


class Ranked(NamedTuple):
    """A path and how well it fits; the best are the least."""

    key: _Key
    path: str


class Ranking:
    """The best paths for a word among all that it was shown.

    Without a word these are what lies directly in the directory. `take` may run in a thread; nothing else meanwhile.
    """

    def __init__(self, word: str) -> None:
        self.word = word
        self._wanted = folded(word)
        self._fits = _pattern(self._wanted)
        self._best: dict[str, Ranked] = {}
        self._worst: _Key | None = None

    @property
    def best(self) -> Sequence[str]:
        """The paths, the best first, also while a thread goes on."""
        return [ranked.path for ranked in sorted(self._best.values())[:MOST]]

    def take(self, chunks: Iterable[Chunk]) -> None:
        """Look at more paths."""
        for paths, low in chunks:
            for found in self._fits.finditer(low):
                key = _key(self._wanted, found[0])
                if self._worst is None or key < self._worst:
                    path = paths[found.start() : found.end()]
                    self._best[path] = Ranked(key, path)
            self._trim()

    def _trim(self) -> None:
        if len(self._best) > 2 * MOST:
            kept = sorted(self._best.values())[:MOST]
            self._worst = kept[-1].key
            self._best = {ranked.path: ranked for ranked in kept}


def chunk_of(paths: Sequence[str]) -> Chunk:
    """Paths from elsewhere, to be ranked with the others."""
    text = "".join(f"{path}\n" for path in paths)
    return Chunk(text, folded(text))


def places_in(word: str, path: str) -> tuple[int, ...]:
    """Where the letters of a word stand in a path that fits it."""
    wanted, low = folded(word), folded(path)
    name = _name_start(low)
    for start in (name, 0):
        at = low.find(wanted, start)
        if at >= 0:
            return tuple(range(at, at + len(wanted)))
    for start in (name, 0):
        places: list[int] = []
        at = start - 1
        for letter in wanted:
            at = low.find(letter, at + 1)
            places.append(at)
            if at < 0:
                break
        if -1 not in places:
            return tuple(places)
    return ()


def _pattern(wanted: str) -> re.Pattern[str]:
    """Finds whole lines in which all letters stand in their order."""
    if not wanted:
        return re.compile(r"^[^/\n]+/?$", re.MULTILINE)
    letters = (f"[^\\n{re.escape(letter)}]*{re.escape(letter)}" for letter in wanted)
    return re.compile(f"^{''.join(letters)}.*$", re.MULTILINE)


def _key(wanted: str, path: str) -> _Key:
    name = _name_start(path)
    rank = _SCATTERED
    if wanted in path:
        at = path.find(wanted, name)
        bare = path.rstrip("/")
        if wanted in (bare, bare[name:], path):
            rank = _EXACT
        elif at == name or path.startswith(wanted):
            rank = _PREFIX
        elif at > name and path[at - 1] in _PARTS:
            rank = _WORD_START
        else:
            rank = _IN_NAME if at > name else _IN_PATH
    elif _has_all(wanted, path, name):
        rank = _SCATTERED_IN_NAME
    return rank, path.count("/", 0, len(path) - 1), len(path) if wanted else 0, path


def _has_all(wanted: str, path: str, start: int) -> bool:
    at = start - 1
    for letter in wanted:
        at = path.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _name_start(path: str) -> int:
    return path.rfind("/", 0, len(path) - 1) + 1
