"""A passage of Markdown, such as a paragraph, a heading, a quote or a list item: what the parser is given at a time."""

import re
from collections.abc import Sequence

from panto.tui.palette import Palette
from panto.tui.transcript.block import GrowingBlock, estimated_rows
from panto.tui.transcript.code import CodeBlock, Fence
from panto.tui.transcript.lines import (
    Marker,
    dedented,
    ends_item,
    guarded,
    indent_of,
    interrupts,
    is_code,
    is_heading,
    is_rule,
    marker_of,
    mended,
    opening_fence,
)
from panto.tui.transcript.nodes import Setting, node_rows
from panto.tui.transcript.parser import References, parse
from panto.tui.transcript.rows import LINE_END, Row

PASSAGE_CHARACTERS = 4_000
ITEM_CHARACTERS = 8_000
"""A passage, or a list item, that has become so long goes on as another."""
_MOST_QUESTIONS = 10
"""So often the parser is asked about a passage before its end."""
_LABEL = re.compile(r"\[([^\[\]]+)\]")


class Passage(GrowingBlock):
    """Lines up to the next place at which another block certainly begins; the parser may find several in them.

    ``indent`` is the number of columns by which the lines it takes are indented and should not be.
    """

    limit = PASSAGE_CHARACTERS

    def __init__(
        self, lines: Sequence[str], references: References, gap: int, *, joint: str = LINE_END, indent: int = 0
    ) -> None:
        super().__init__(gap)
        self.lines = list(lines)
        self._references = references
        self._joint = joint
        self._indent = indent
        self._size = sum(map(len, lines))
        self._tail: str | None = None
        self._questions = 0
        self._is_single = len(lines) == 1 and (is_heading(lines[0]) or is_rule(lines[0]))

    @classmethod
    def rest_of_line(cls, text: str, references: References, joint: str) -> "Passage":
        """A passage that goes on in the middle of a line."""
        return cls([guarded(text)], references, 0, joint=joint)

    @property
    def source(self) -> str:
        """The Markdown of it."""
        return LINE_END.join(self.lines)

    @property
    def labels(self) -> set[str]:
        """What stands in square brackets, and so may be a link: in lower case."""
        return {label.lower() for label in _LABEL.findall(self.source)}

    @property
    def ends_blank(self) -> bool:
        """Whether its last line is blank."""
        return bool(self.lines) and not self.lines[-1]

    @property
    def is_full(self) -> bool:
        """Whether it is longer than a passage should be."""
        return self._size > self.limit

    def accepts(self, line: str) -> bool:
        """Whether a line does not certainly begin another block."""
        if self._is_single:
            return False
        if not line.strip():
            return True
        if self.ends_blank:
            return is_code(line)
        return not interrupts(line) and not (marker_of(line) and self.parser_begins("list", line))

    def parser_begins(self, kind: str, line: str, lines: int = 1) -> bool:
        """Whether the parser finds a block of a kind at the end that has just so many lines, this one included."""
        if self._questions == _MOST_QUESTIONS:
            return False
        self._questions += 1
        last = parse(f"{self.source}\n{line}", {}).children[-1]
        return kind in last.type and last.map is not None and last.map[0] == len(self.lines) + 1 - lines

    def take(self, line: str) -> None:
        """One more line."""
        self._tail = None
        self.lines.append(dedented(line, self._indent) if line.strip() else "")
        self._size += len(line)
        if line.strip() or self._has_code:
            self.stale()

    def show_tail(self, text: str | None) -> None:
        """Show a line that has not ended; an empty one only says that the last line may go on."""
        if text != self._tail:
            self._tail = text
            self.stale()

    @property
    def _has_code(self) -> bool:
        """Whether there may be code in it, in which blank lines count."""
        return any("```" in line or "~~~" in line for line in self.lines)

    def following(self) -> GrowingBlock:
        """Another passage, or, if this one ends within a fence, a block of code."""
        fence = _open_fence(self.lines, self._indent)
        if fence is not None:
            return CodeBlock(fence, 0, labelled=False)
        return Passage((), self._references, 0, indent=self._indent)

    def render(self, width: int, palette: Palette) -> list[Row]:
        """The rows of what the parser finds."""
        lines = self.lines if not self._tail else [*self.lines, dedented(self._tail, self._indent)]
        source = LINE_END.join(lines)
        if self._tail is not None and not self._has_code:
            source = mended(source)
        setting = Setting(lines, width, palette, plain=self._tail is not None, number=self.number)
        rows = node_rows(parse(source, self._references).children, setting)
        if rows:
            rows[0].joint = self._joint
        return rows

    def estimate(self, width: int) -> int:
        """By the number of characters."""
        return estimated_rows(self.source, width)

    @property
    def number(self) -> int | None:
        """The number of the list item it is, if it is one."""
        return None


class Item(Passage):
    """An item of a list, with all that belongs to it. ``number`` is None for a bullet."""

    limit = ITEM_CHARACTERS

    def __init__(self, line: str, marker: Marker, references: References, gap: int, number: int | None) -> None:
        super().__init__([line], references, gap)
        self._marker = marker
        self._number = number
        self._is_lazy = False

    @property
    def number(self) -> int | None:
        """Its place in the list."""
        return self._number

    @property
    def next_number(self) -> int | None:
        """The next one's place in the list."""
        return None if self._number is None else self._number + 1

    def is_sibling(self, marker: Marker) -> bool:
        """Whether the next item is one of the same list."""
        return marker.kind == self._marker.kind

    def accepts(self, line: str) -> bool:
        """Whether a line is indented like the item's content, or goes on with a paragraph in it."""
        if not line.strip():
            return True
        if indent_of(line) >= self._marker.content:
            return not (self.ends_blank and self._marker.is_empty and len(self.lines) == 2)
        return not self.ends_blank and not ends_item(line) and self._goes_on(line)

    def take(self, line: str) -> None:
        """One more line."""
        self._is_lazy = bool(line.strip()) and indent_of(line) < self._marker.content
        super().take(line)

    def _goes_on(self, line: str) -> bool:
        """Whether a line that is not indented goes on with a paragraph: behind code, say, there is none."""
        return self._is_lazy or not self.parser_begins("", line)

    def following(self) -> GrowingBlock:
        """Another passage, or, if this one ends within a fence, a block of code. Its lines are indented like these."""
        content = self._marker.content
        fence = _open_fence([" " * content + self.lines[0][content:], *self.lines[1:]], content)
        if fence is not None:
            return CodeBlock(fence, 0, labelled=False)
        return Passage((), self._references, 0, indent=content)


def _open_fence(lines: Sequence[str], indent: int) -> Fence | None:
    """The fence that is open at the end of some lines, which are indented by so many columns."""
    fence: Fence | None = None
    for line in lines:
        if fence is not None:
            fence = None if fence.is_end(line) else fence
        else:
            opening = opening_fence(dedented(line, indent))
            fence = Fence(opening, indent) if opening else None
    return fence
