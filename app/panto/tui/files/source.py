"""``@`` in the prompt: files, directories and what else can be named so, as a source of choices.

The listing is begun with the first ``@`` and forgotten when nobody looks any more, so that it is always of now. What
can be ranked at once is; the rest is ranked in a thread, and the list told of it as it comes.
"""

import asyncio
import os
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from panto.offers import Command
from panto.tui.at_words import at_word_at, written_at
from panto.tui.completion.choice import Choice, Word
from panto.tui.files.listing import Listing, list_files
from panto.tui.files.ranking import Ranking, chunk_of, places_in

_AT_ONCE = 4
"""Chunks that are ranked before the key that was typed is done with."""
_AT_A_TIME = 8
_TELL_SECONDS = 0.05
_MOST_ENTRIES = 5_000
"""Entries of one directory that are looked at, where a path is typed that leads out of the listing."""
_FILES_FIRST = 4
"""Files that stand before commands whose names only hold the word."""
_HIDDEN = re.compile(r"(?:^|/)\.(?!/|\.(?:/|$))")
_LEADS_OUT = re.compile(r"(?:~|\.{0,2})/|~$|\.\.$")


class Running(Protocol):
    """Work that was begun."""

    def cancel(self) -> object:
        """End it."""
        ...


class AtFiles:
    """Completes ``@`` words: files and directories below ``root``, those that a typed path leads to, and commands.

    ``start`` runs work until it is cancelled; ``changed`` is called when more has been found; ``mentionable`` gives the
    commands that can be named so.
    """

    mark = "@"

    def __init__(
        self,
        root: Path,
        start: Callable[[Coroutine[object, object, None]], Running],
        changed: Callable[[], None],
        mentionable: Callable[[], Sequence[Command]],
    ) -> None:
        self._root = root
        self._start = start
        self._changed = changed
        self._mentionable = mentionable
        self._listings: dict[bool, Listing] = {}
        self._listing: list[Running] = []
        self._searching: Running | None = None
        self._ranking: Ranking | None = None
        self._commands: tuple[Sequence[Choice], Sequence[Choice]] = ((), ())
        self._choices: Sequence[Choice] = ()

    def begun(self, row: int, line: str, column: int) -> int | None:
        """The ``@`` of the word that the caret is in."""
        word = self.word(row, line, column)
        return None if word is None else word.start

    def word(self, row: int, line: str, column: int) -> Word | None:
        """The word that the caret is in."""
        found = at_word_at(line, column)
        return None if found is None else Word(found.path, row, found.start, found.end)

    def find(self, word: Word) -> Sequence[Choice]:
        """What is known now; `changed` tells of more."""
        if self._ranking is None or self._ranking.word != word.text:
            self._search(word.text)
        return self._choices

    def close(self) -> None:
        """Forget everything, and end what runs."""
        for running in (*self._listing, self._searching):
            if running is not None:
                running.cancel()
        self._listings, self._listing, self._searching = {}, [], None
        self._ranking, self._commands, self._choices = None, ((), ()), ()

    def _search(self, word: str) -> None:
        if self._searching is not None:
            self._searching.cancel()
        before = self._ranking
        self._ranking = ranking = Ranking(word)
        self._commands = self._named(word)
        listing = self._files(hidden=_HIDDEN.search(word) is not None)
        if before is not None and word.startswith(before.word) and before.word:
            ranking.take([chunk_of(before.best)])
        ranking.take(listing.chunks[:_AT_ONCE])
        self._show(ranking)
        if "/" in word or word.startswith(("~", "..")) or not listing.done or len(listing.chunks) > _AT_ONCE:
            self._searching = self._start(self._rank(ranking, listing))

    def _named(self, word: str) -> tuple[Sequence[Choice], Sequence[Choice]]:
        """The commands that a word begins, and those that only hold it."""
        wanted = word.lower()
        found = [each for each in self._mentionable() if wanted and wanted in each.name.lower()]
        choices = [Choice(f"@{each.name}", f"@{each.name}", "blank", description=each.description) for each in found]
        begun = [choice for choice in choices if choice.label[1:].lower().startswith(wanted)]
        return begun, [choice for choice in choices if choice not in begun]

    def _files(self, *, hidden: bool) -> Listing:
        if hidden not in self._listings:
            self._listings[hidden] = listing = Listing()
            self._listing.append(self._start(list_files(self._root, listing, hidden=hidden)))
        return self._listings[hidden]

    async def _rank(self, ranking: Ranking, listing: Listing) -> None:
        told = time.monotonic()
        typed = ranking.word
        if "/" in typed or typed.startswith(("~", "..")):
            entries = await asyncio.to_thread(_entries, self._root, typed)
            ranking.take([chunk_of(entries)])
            self._tell(ranking)
        at = 0 if _LEADS_OUT.match(typed) else min(_AT_ONCE, len(listing.chunks))
        while not _LEADS_OUT.match(typed):
            await listing.more_than(at)
            chunks = listing.chunks[at : at + _AT_A_TIME]
            if not chunks:
                break
            await asyncio.to_thread(ranking.take, chunks)
            at += len(chunks)
            if time.monotonic() - told >= _TELL_SECONDS or not self._choices:
                told = time.monotonic()
                self._tell(ranking)
        self._tell(ranking)

    def _tell(self, ranking: Ranking) -> None:
        if ranking is self._ranking and self._show(ranking):
            self._changed()

    def _show(self, ranking: Ranking) -> bool:
        """Whether there are other choices now."""
        here = ranking.word if ranking.word.endswith("/") else ""
        found = [_choice(path, ranking.word) for path in ranking.best if path != here]
        begun, others = self._commands
        choices = [*begun, *found[:_FILES_FIRST], *others, *found[_FILES_FIRST:]]
        if list(choices) == list(self._choices):
            return False
        self._choices = choices
        return True


def _choice(path: str, word: str) -> Choice:
    directory = path.endswith("/")
    return Choice(
        label=path,
        written=written_at(path, more=directory),
        then="more" if directory else "blank",
        places=places_in(word, path),
        keep_end=True,
        whole=path == word or word.endswith("/"),
    )


def _entries(root: Path, typed: str) -> list[str]:
    """The entries of the directory that a typed path leads into, written as it is."""
    if typed in ("~", ".."):
        return [f"{typed}/"]
    lead = typed[: typed.rfind("/") + 1]
    hidden = typed[len(lead) :].startswith(".")
    names: list[str] = []
    with suppress(OSError, RuntimeError, ValueError), os.scandir(root / Path(lead).expanduser()) as entries:
        for number, entry in enumerate(entries):
            if number >= _MOST_ENTRIES:
                break
            if entry.name.isprintable() and (hidden or not entry.name.startswith(".")):
                names.append(f"{lead}{entry.name}{'/' if entry.is_dir() else ''}")
    return names
