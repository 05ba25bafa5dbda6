"""A screen in memory: pyte's, with what pyte leaves out: an alternate screen, grapheme clusters, private modes."""

from collections.abc import Iterable
from copy import copy
from typing import NamedTuple

import pyte
from pyte import modes
from pyte.screens import Char, Cursor as PyteCursor, Margins, StaticDefaultDict
from wcwidth import iter_graphemes, wcswidth

ALTERNATE_SCREEN = {47, 1047, 1049}
SYNCHRONISED = 2026
NOT_FOR_PYTE = {3, 6, SYNCHRONISED}
"""Modes only noted: 132 columns, which terminals refuse; origin mode, which pyte can't do without margins."""


class Cell(NamedTuple):
    """One cell. `text` is empty in the second half of a wide character. Colours: `default`, a name, six hex digits."""

    text: str
    foreground: str
    background: str
    bold: bool
    italic: bool
    underline: bool
    strike: bool
    reverse: bool


class Cursor(NamedTuple):
    """Where the cursor is, from 0, and whether it shows."""

    x: int
    y: int
    visible: bool


class _Kept(NamedTuple):
    """The main screen while the alternate one is on."""

    buffer: dict[int, StaticDefaultDict[int, Char]]
    cursor: PyteCursor
    margins: Margins | None


class Screen(pyte.Screen):
    """`clusters`: whether a grapheme cluster (an emoji of several code points) is one character."""

    def __init__(self, columns: int, rows: int, *, clusters: bool) -> None:
        self.private_modes = set[int]()
        self.clusters = clusters
        self.bells = 0
        self._main: _Kept | None = None
        self._last = ("", 0, 0, 0)
        super().__init__(columns, rows)

    # What it shows

    def row(self, y: int) -> str:
        """The text of a row, blanks at its end left out."""
        return "".join(self.cell_text(x, y) for x in range(self.columns)).rstrip()

    def cell_text(self, x: int, y: int) -> str:
        """The text in a cell; the second half of a wide character has none."""
        line = self.buffer[y]
        if line[x].data:
            return line[x].data
        return "" if x and wcswidth(line[x - 1].data) > 1 else " "  # a half without its other half is blank

    def cell(self, x: int, y: int) -> Cell:
        """A cell with its colours and attributes."""
        char = self.buffer[y][x]
        style = (char.bold, char.italics, char.underscore, char.strikethrough, char.reverse)
        return Cell(self.cell_text(x, y), char.fg, char.bg, *style)

    def find(self, text: str) -> tuple[int, int] | None:
        """The cell where a text begins that stands in one row; None if it is not there."""
        for y in range(self.lines):
            cells = [self.cell_text(x, y) for x in range(self.columns)]
            at = "".join(cells).find(text)
            if at >= 0:
                return next(x for x in range(len(cells)) if len("".join(cells[: x + 1])) > at), y
        return None

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is on."""
        return self._main is not None

    @property
    def synchronising(self) -> bool:
        """Whether a synchronised update is under way, so that the picture is not yet meant to be seen."""
        return SYNCHRONISED in self.private_modes

    # What is done to it

    def draw(self, data: str) -> None:
        """Show text at the cursor."""
        data = data.translate(self.g1_charset if self.charset else self.g0_charset)
        for cluster in self._joined(data):
            width = max(0, wcswidth(cluster))
            if width:
                self._put(cluster, width)
            elif self.cursor.x:
                line = self.buffer[self.cursor.y]
                x = self.cursor.x - (1 if line[self.cursor.x - 1].data or self.cursor.x == 1 else 2)
                line[x] = line[x]._replace(data=line[x].data + cluster)

    def _joined(self, data: str) -> Iterable[str]:
        """The characters of the text; the first may belong to what was drawn last, and then takes its place."""
        if not self.clusters:
            return data
        last, x, y, after = self._last
        if last and (self.cursor.x, self.cursor.y) == (after, y):
            first = next(iter(iter_graphemes(last + data)))
            if len(first) > len(last):
                self.cursor.x = x
                return iter_graphemes(last + data)
        return iter_graphemes(data)

    def _put(self, cluster: str, width: int) -> None:
        cursor = self.cursor
        if cursor.x + width > self.columns:
            if modes.DECAWM in self.mode:
                self.carriage_return()
                self.linefeed()
            else:
                cursor.x = max(0, self.columns - width)
        if modes.IRM in self.mode:
            self.insert_characters(width)
        x, line = cursor.x, self.buffer[cursor.y]
        if not line[x].data and x:
            line[x - 1] = line[x - 1]._replace(data=" ")
        end = x + width
        if end < self.columns and not line[end].data:
            line[end] = line[end]._replace(data=" ")
        line[x] = cursor.attrs._replace(data=cluster)
        for stub in range(x + 1, min(end, self.columns)):
            line[stub] = cursor.attrs._replace(data="")
        cursor.x = min(end, self.columns)
        self._last = (cluster, x, cursor.y, cursor.x)

    def reset(self) -> None:
        """As the terminal was when it was switched on."""
        super().reset()
        self.private_modes = {7, 25}
        self._main = None

    def bell(self, *args: object) -> None:
        """Count it."""
        self.bells += 1

    def set_private(self, numbers: Iterable[int]) -> None:
        """Turn private modes on."""
        for number in numbers:
            self.private_modes.add(number)
            if number in ALTERNATE_SCREEN:
                self._enter_alternate()
            elif number not in NOT_FOR_PYTE:
                self.set_mode(number, private=True)

    def reset_private(self, numbers: Iterable[int]) -> None:
        """Turn private modes off."""
        for number in numbers:
            self.private_modes.discard(number)
            if number in ALTERNATE_SCREEN:
                self._leave_alternate()
            elif number not in NOT_FOR_PYTE:
                self.reset_mode(number, private=True)

    def scroll(self, lines: int) -> None:
        """Move the region's lines up, or down if negative; blank lines come in."""
        top, bottom = self.margins or (0, self.lines - 1)
        kept = copy(self.cursor)
        self.cursor.y = top
        if lines > 0:
            self.delete_lines(min(lines, bottom - top + 1))
        else:
            self.insert_lines(min(-lines, bottom - top + 1))
        self.cursor = kept

    def repeat(self, count: int) -> None:
        """Show what was drawn last again."""
        if self._last[0]:
            self.draw(self._last[0] * count)

    def set_size(self, columns: int, rows: int) -> None:
        """A new size; what no longer fits is gone, and the cursor stays inside."""
        self.resize(rows, columns)
        self.cursor.x = min(self.cursor.x, columns - 1)
        self.cursor.y = min(self.cursor.y, rows - 1)

    def _enter_alternate(self) -> None:
        if self._main is None:
            self._main = _Kept(dict(self.buffer), copy(self.cursor), self.margins)
            self.buffer.clear()
            self.margins = None

    def _leave_alternate(self) -> None:
        if self._main is not None:
            kept, self._main = self._main, None
            self.buffer.clear()
            self.buffer.update(kept.buffer)
            self.cursor, self.margins = kept.cursor, kept.margins
            self.set_size(self.columns, self.lines)
