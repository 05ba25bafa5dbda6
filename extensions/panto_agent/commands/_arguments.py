"""What the user typed behind a command's name."""

import shlex
from dataclasses import dataclass
from functools import cached_property

from panto_agent.commands._template import ALL, Argument


@dataclass(frozen=True)
class Arguments:
    """The arguments, as typed."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words, as a shell parts them; with a quote that is not closed, what blanks part."""
        try:
            return tuple(shlex.split(self.text))
        except ValueError:
            return tuple(self.text.split())

    def of(self, argument: Argument) -> tuple[str, ...]:
        """The words that a placeholder stands for; none if there is no such argument."""
        return self.words if argument.number == ALL else self.words[argument.number - 1 : argument.number]

    def text_of(self, argument: Argument) -> str:
        """The text that a placeholder stands for."""
        return self.text if argument.number == ALL else "".join(self.of(argument))
