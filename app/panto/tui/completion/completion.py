"""What is offered for the text in the prompt, and what keys do while it is: the list itself only shows it."""

from collections.abc import Callable, Sequence

from panto.offers import Command, Registry
from panto.tui.commands import parse_command
from panto.tui.completion.command_list import CommandList, label_of, room_for
from panto.tui.completion.search import Candidate, Match, candidates, search, word_at
from panto.tui.fit import Fit
from panto.tui.prompt import Prompt
from panto.tui.safe_text import cell_width, safe_line


class Completion:
    """Completes the name of a slash command in a prompt, which tells of every change and offers it its keys.

    ``held`` says whether something else needs the keys now; the list is closed then. It opens by typing alone: text
    that came otherwise leaves it closed, and so does Esc, for as long as the text begins with a slash.
    """

    def __init__(self, prompt: Prompt, shown: CommandList, held: Callable[[], bool]) -> None:
        self._prompt = prompt
        self._shown = shown
        self._held = held
        self._registry: Registry[Command] | None = None
        self._known: list[Command] = []
        self._candidates: list[Candidate] = []
        self._label_width = 0
        self._word: str | None = None
        self._matches: Sequence[Match] = ()
        self._chosen = 0
        self._moved = False
        self._dismissed = False
        shown.on_choose = self._take
        shown.on_move = self._move
        prompt.completer = self

    @property
    def is_open(self) -> bool:
        """Whether there is a list."""
        return bool(self._matches)

    def offer(self, registry: Registry[Command]) -> None:
        """Complete the names of these commands from now on."""
        self._registry = registry
        self.look()

    def look(self) -> None:
        """The text, the caret, the focus or the screen has changed: show what fits now."""
        line = self._prompt.document.get_line(0)
        if not line.startswith("/"):
            self._dismissed = False
            self._close()
            return
        row, column = self._prompt.cursor_location
        rows = room_for(self._prompt.screen.size.height)
        word = word_at(line, column) if row == 0 and rows and not self._dismissed else None
        if word is None or self._registry is None or not self._prompt.has_focus or self._held():
            self._close()
            return
        self._find(word, self._registry)
        if self._matches:
            self._shown.show(self._matches, self._chosen, rows, self._label_width)
        else:
            self._shown.hide()

    def dismiss(self) -> None:
        """Close the list until another text is begun."""
        self._dismissed = True
        self.look()

    def press(self, key: str) -> bool:
        """Take a key, if the list is open and has a use for it."""
        if not self._matches:
            return False
        match key:
            case "up":
                self._move(-1)
            case "down":
                self._move(1)
            case "tab":
                self._complete(self._matches[self._chosen])
            case "escape":
                self.dismiss()
            case "enter" if self._moved or not self._is_name(self._word or ""):
                self._take(self._chosen)
            case _:
                return False
        return True

    def hint(self) -> str:
        """What may stand behind the name in the prompt, while nothing stands there but a blank."""
        line = self._prompt.document.get_line(0)
        if self._registry is None or not line.startswith("/") or self._prompt.document.line_count > 1:
            return ""
        called = parse_command(line, self._registry) if line[-1].isspace() else None
        return safe_line(called[0].hint) if isinstance(called, tuple) and not called[1] else ""

    def _close(self) -> None:
        self._word, self._matches = None, ()
        self._shown.hide()

    def _find(self, word: str, registry: Registry[Command]) -> None:
        commands = registry.all()
        if commands == self._known and word == self._word:
            return
        if commands != self._known:
            self._known, self._candidates = commands, candidates(registry)
            labels = (label_of(each.names[0], each.command.hint) for each in self._candidates)
            self._label_width = max(map(cell_width, labels), default=0)
        self._word, self._matches = word, search(word, self._candidates)
        self._chosen, self._moved = 0, False

    def _is_name(self, word: str) -> bool:
        return self._matches[0].fit is Fit.EXACT and self._matches[0].name == word

    def _move(self, steps: int) -> None:
        if self._matches:
            self._chosen = (self._chosen + steps) % len(self._matches)
            self._moved = True
            self.look()

    def _take(self, index: int) -> None:
        """Run a match at once; one that wants more behind its name is written out."""
        match = self._matches[index]
        if match.command.hint or self._rest().strip():
            self._complete(match)
        else:
            self._prompt.replace_text(f"/{match.name}")
            self._prompt.action_submit()

    def _complete(self, match: Match) -> None:
        """Write a name out, in place of the word that is there."""
        end = 1 + len(self._word or "")
        written = f"/{match.name}"
        if match.command.hint:
            written += " "
            end += self._rest().startswith(" ")
        self._prompt.replace(written, (0, 0), (0, end), maintain_selection_offset=False)

    def _rest(self) -> str:
        """What stands behind the word."""
        return self._prompt.text[1 + len(self._word or "") :]
