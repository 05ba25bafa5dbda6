"""Slash commands as a source of choices."""

from collections.abc import Sequence

from panto.offers import Command, Registry
from panto.tui.completion.choice import Choice, Word
from panto.tui.completion.search import Candidate, Match, candidates, search, word_at
from panto.tui.fit import Fit


class Commands:
    """Completes the name of a command at the beginning of a text."""

    mark = "/"

    def __init__(self) -> None:
        self.registry: Registry[Command] | None = None
        """The commands there are; None for none yet."""
        self._known: list[Command] = []
        self._candidates: list[Candidate] = []
        self._found: tuple[str, Sequence[Choice]] | None = None

    def begun(self, row: int, line: str, column: int) -> int | None:
        """A text that begins with a slash is one command, wherever the caret is."""
        del column
        return 0 if row == 0 and line.startswith("/") else None

    def word(self, row: int, line: str, column: int) -> Word | None:
        """The name, if the caret is in it."""
        word = word_at(line, column) if row == 0 and self.registry is not None else None
        return None if word is None else Word(word, 0, 0, 1 + len(word))

    def find(self, word: Word) -> Sequence[Choice]:
        """The commands that the word may stand for."""
        commands = self.registry.all() if self.registry is not None else []
        if self.registry is not None and commands != self._known:
            self._known, self._candidates, self._found = commands, candidates(self.registry), None
        if self._found is None or self._found[0] != word.text:
            self._found = (word.text, [_choice(match, word.text) for match in search(word.text, self._candidates)])
        return self._found[1]

    def close(self) -> None:
        """There is nothing to end."""
        self._found = None


def _choice(match: Match, word: str) -> Choice:
    return Choice(
        label=f"/{match.name}",
        written=f"/{match.name}",
        then="blank" if match.command.hint else "send",
        places=tuple(1 + place for place in match.places),
        hint=match.command.hint,
        description=match.command.description,
        whole=match.fit is Fit.EXACT and match.name == word,
    )
