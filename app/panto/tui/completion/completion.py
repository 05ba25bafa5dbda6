"""What is offered for the text in the prompt, and what keys do while it is: the list itself only shows it."""

from collections.abc import Callable, Sequence

from panto.offers import Command, Registry
from panto.tui.commands import parse_command
from panto.tui.completion.choice import Choice, Source, Word
from panto.tui.completion.command_list import CommandList, label_width, room_for
from panto.tui.completion.commands import Commands
from panto.tui.prompt import Prompt
from panto.tui.safe_text import safe_line


class Completion:
    """Completes words in a prompt, which tells of every change and offers it its keys.

    ``held`` says whether something else needs the keys now; the list is closed then. It opens by typing alone: text
    that came otherwise leaves it closed, and so does Esc, until another word is begun.
    """

    def __init__(self, prompt: Prompt, shown: CommandList, held: Callable[[], bool]) -> None:
        self._prompt = prompt
        self._shown = shown
        self._held = held
        self._commands = Commands()
        self._sources: list[Source] = [self._commands]
        self._dismissed: set[tuple[str, int, int]] = set()
        self._source: Source | None = None
        self._word: Word | None = None
        self._choices: Sequence[Choice] = ()
        self._label_width = 0
        self._chosen = 0
        self._moved = False
        shown.on_choose = self._take
        shown.on_move = self._move
        prompt.completer = self

    @property
    def is_open(self) -> bool:
        """Whether there is a list."""
        return bool(self._choices)

    def offer(self, registry: Registry[Command]) -> None:
        """Complete the names of these commands from now on."""
        self._commands.registry = registry
        self.look()

    def add(self, source: Source) -> None:
        """Complete another kind of words too, in place of any with the same mark."""
        for each in self._sources:
            each.close()
        self._sources = [each for each in self._sources if each.mark != source.mark] + [source]
        self.look()

    def look(self) -> None:
        """The text, the caret, the focus, the screen or what a source knows has changed: show what fits now."""
        self._forget_dismissed()
        rows = room_for(self._prompt.screen.size.height)
        source, word = self._word_here() if rows else (None, None)
        if source is None or word is None or not self._prompt.has_focus or self._held():
            self._close()
            return
        if source is not self._source and self._source is not None:
            self._source.close()
        self._find(source, word)
        if self._choices:
            self._shown.show(self._choices, self._chosen, rows, self._label_width)
        else:
            self._shown.hide()

    def dismiss(self) -> None:
        """Close the list until another word is begun."""
        row, column = self._prompt.cursor_location
        document = self._prompt.document
        for source in self._sources:
            for at in {0, row}:
                begun = source.begun(at, document.get_line(at), column if at == row else 0)
                if begun is not None:
                    self._dismissed.add((source.mark, at, begun))
        self.look()

    def press(self, key: str) -> bool:
        """Take a key, if the list is open and has a use for it."""
        if not self._choices:
            return False
        match key:
            case "up":
                self._move(-1)
            case "down":
                self._move(1)
            case "tab":
                self._complete(self._choices[self._chosen])
            case "escape":
                self.dismiss()
            case "enter" if self._moved or not self._choices[0].whole:
                self._take(self._chosen)
            case _:
                return False
        return True

    def hint(self) -> str:
        """What may stand behind the name in the prompt, while nothing stands there but a blank."""
        line = self._prompt.document.get_line(0)
        registry = self._commands.registry
        if registry is None or not line.startswith("/") or self._prompt.document.line_count > 1:
            return ""
        called = parse_command(line, registry) if line[-1].isspace() else None
        return safe_line(called[0].hint) if isinstance(called, tuple) and not called[1] else ""

    def _word_here(self) -> tuple[Source | None, Word | None]:
        row, column = self._prompt.cursor_location
        line = self._prompt.document.get_line(row)
        for source in self._sources:
            word = source.word(row, line, column) if source.mark in line else None
            if word is not None and (source.mark, row, word.start) not in self._dismissed:
                return source, word
        return None, None

    def _forget_dismissed(self) -> None:
        """What was dismissed is over once its mark is gone."""
        if self._dismissed:
            lines = self._prompt.document.lines
            self._dismissed = {
                each for each in self._dismissed if each[1] < len(lines) and lines[each[1]][each[2] :][:1] == each[0]
            }

    def _close(self) -> None:
        for source in self._sources:
            source.close()
        self._source, self._word, self._choices = None, None, ()
        self._shown.hide()

    def _find(self, source: Source, word: Word) -> None:
        choices = source.find(word)
        before = self._choices[self._chosen].written if self._choices and self._moved else None
        if self._source is not source or self._word is None or self._word.text != word.text:
            before = None
        elif choices is self._choices:
            self._word = word
            return
        known = self._label_width if self._source is source else 0
        self._source, self._word, self._choices = source, word, choices
        self._label_width = max(known, label_width(choices))  # columns don't move while one types
        written = [choice.written for choice in choices] if before is not None else []
        self._chosen = written.index(before) if before is not None and before in written else 0
        self._moved = self._chosen > 0

    def _move(self, steps: int) -> None:
        if self._choices:
            self._chosen = (self._chosen + steps) % len(self._choices)
            self._moved = True
            self.look()

    def _take(self, index: int) -> None:
        """Send a choice at once, if it is one to be sent; else it is written out."""
        choice = self._choices[index]
        if choice.then != "send" or self._rest().strip():
            self._complete(choice)
        else:
            self._prompt.replace_text(choice.written)
            self._prompt.action_submit()

    def _complete(self, choice: Choice) -> None:
        """Write a choice out, in place of the word that is there."""
        word = self._word
        if word is None:
            return
        written, end = choice.written, word.end
        if choice.then == "blank":
            written += " "
            end += self._prompt.document.get_line(word.row)[end:].startswith(" ")
        self._prompt.replace(written, (word.row, word.start), (word.row, end), maintain_selection_offset=False)

    def _rest(self) -> str:
        """What stands behind the word, which begins the text."""
        return "" if self._word is None else self._prompt.text[self._word.end :]
