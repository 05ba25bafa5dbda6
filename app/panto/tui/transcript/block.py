"""The smallest thing that is rendered by itself: a paragraph, a few rows of a table, a piece of a command's output."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import cluster_start, safe_text
from panto.tui.transcript.links import linked
from panto.tui.transcript.rows import LINE_END, Row, chop, indented, wrap

Flow: TypeAlias = Literal["wrap", "chop"]
"""How a line that is too long goes on: at blanks, or wherever the width ends, with every blank kept."""

PIECE_CHARACTERS = 8_000
"""A long text is rendered in pieces of about this size, so that none takes long."""


class Block:
    """A block renders itself to rows for a width and a palette, and keeps them until it changes.

    ``gap`` is the number of empty rows above it.
    """

    gap: int

    def __init__(self, gap: int = 0) -> None:
        self.gap = gap
        self._rows: list[Row] = []
        self._width = 0
        self._palette: Palette | None = None

    def rows(self, width: int, palette: Palette) -> list[Row]:
        """The block's rows, without its gap."""
        if self._width != width or self._palette is not palette:
            self._rows = self.render(width, palette)
            self._width, self._palette = width, palette
        return self._rows

    def stale(self) -> None:
        """Have the rows rendered again when they are wanted."""
        self._rows, self._width, self._palette = [], 0, None

    def render(self, width: int, palette: Palette) -> list[Row]:
        """The rows at a width of at least a few columns."""
        raise NotImplementedError

    def estimate(self, width: int) -> int:
        """About how many rows it takes at a width."""
        raise NotImplementedError


class GrowingBlock(Block):
    """A block that takes a text's lines, one after another, and shows one more that has not ended yet."""

    closed = False
    """Whether the line it took last was its end."""

    @property
    def is_full(self) -> bool:
        """Whether it is so long that what follows had better stand in a block of its own."""
        raise NotImplementedError

    def accepts(self, line: str) -> bool:
        """Whether a line belongs to what this block is, or is a part of."""
        raise NotImplementedError

    def take(self, line: str) -> None:
        """One more line, which it accepts."""
        raise NotImplementedError

    def show_tail(self, text: str | None) -> None:
        """Show a line that has not ended below the others, in place of the one before; None for no line."""
        raise NotImplementedError

    def following(self) -> "GrowingBlock":
        """An empty block for the lines that go on with what this block is a part of."""
        raise NotImplementedError

    def close(self) -> None:
        """It takes no more lines."""
        self.show_tail(None)


@dataclass(frozen=True)
class Look:
    """How plain text is shown: in a role of the palette's, behind edges for its first row and the others."""

    role: str = "foreground"
    bold: bool = False
    italic: bool = False
    first: str = ""
    edge: str = ""
    edge_role: str = ""
    flow: Flow = "wrap"


class TextBlock(Block):
    """Plain text. ``joint`` is what joins it to the block above it, see `Row`."""

    def __init__(self, text: str, look: Look, *, joint: str = LINE_END, gap: int = 0) -> None:
        super().__init__(gap)
        self._text = text
        self._look = look
        self._joint = joint

    def render(self, width: int, palette: Palette) -> list[Row]:
        """The text, wrapped or chopped, behind its edges."""
        look = self._look
        style = palette.style(look.role, bold=look.bold, italic=look.italic)
        spans = linked(safe_text(self._text), style)
        broken = (wrap if look.flow == "wrap" else chop)(spans, width - len(look.edge))
        broken[0].joint = self._joint
        first, edge = (
            [Segment(text, palette.style(look.edge_role or look.role))] for text in (look.first or look.edge, look.edge)
        )
        return indented(broken, first, edge)

    def estimate(self, width: int) -> int:
        """By the number of characters."""
        return estimated_rows(self._text, width - len(self._look.edge))


def estimated_rows(text: str, width: int) -> int:
    """About how many rows a text takes."""
    return 1 + text.count("\n") + len(text) // max(2, width)


def pieces(text: str, joint: str = LINE_END) -> Iterator[tuple[str, str]]:
    """A long text in pieces, each with the text that joins it to the one before: a line end, a blank, or nothing."""
    start, length = 0, len(text)
    while length - start > PIECE_CHARACTERS:
        end, following = cut_place(text, start, start + PIECE_CHARACTERS)
        yield text[start:end], joint
        start, joint = following, text[end:following]
    yield text[start:], joint


def text_blocks(text: str, look: Look) -> list[Block]:
    """A text of any length as blocks."""
    return [TextBlock(piece, look, joint=joint) for piece, joint in pieces(text)]


def cut_place(text: str, start: int, limit: int) -> tuple[int, int]:
    """Where a piece ends, and where the next begins: at the end of a line, or else at a blank, or else at the limit."""
    for mark in (LINE_END, " "):
        end = text.rfind(mark, start + 1, limit)
        if end > start:
            return end, end + 1
    end = cluster_start(text, limit)
    return end, end
