"""From a command's body and the arguments to what is said to the model."""

from dataclasses import dataclass

from panto_agent.commands._arguments import Arguments
from panto_agent.commands._mentions import Mentions
from panto_agent.commands._outputs import Outputs
from panto_agent.commands._template import Argument, CommandLine, Mention, Part, Piece, Template

MOST_CHARACTERS = 1_000_000
"""A longer prompt is a mistake: it fits into no model."""


class TooLongError(Exception):
    """What would be said is longer than `MOST_CHARACTERS`."""


@dataclass(frozen=True)
class Expansion:
    """Puts in what a body asks for: arguments, the output of commands, and files, which go along at the end."""

    arguments: Arguments
    outputs: Outputs
    mentions: Mentions

    async def of(self, template: Template) -> str:
        """What a command says: its text, then arguments that have no place in it, then the files it mentions.

        Commands run one after another, in the order of the text. Raises `TooLongError`.
        """
        pieces: list[str] = []
        left = MOST_CHARACTERS
        for piece in template.pieces:
            pieces.append(await self._piece(piece))
            left -= len(pieces[-1])
            if left < 0:
                raise TooLongError(f"it would say more than {MOST_CHARACTERS} characters")
        rest = "" if template.takes_arguments else self.arguments.text
        paragraphs = ("".join(pieces), rest, *self.mentions.sections)
        return "\n\n".join(paragraph for paragraph in paragraphs if paragraph.strip())

    async def _piece(self, piece: Piece) -> str:
        match piece:
            case CommandLine():
                return await self.outputs.of(piece, self.arguments)
            case Mention():
                path = "".join(map(self._part, piece.parts))
                await self.mentions.add(path)
                return f"@{path}"
            case _:
                return self._part(piece)

    def _part(self, part: Part) -> str:
        return self.arguments.text_of(part) if isinstance(part, Argument) else part
