"""Code blocks: plain while their fence is open, in the colours of their language when it has closed."""

import re
from collections.abc import Iterable, Sequence

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_line, safe_text, truncate
from panto.tui.transcript.block import GrowingBlock, estimated_rows
from panto.tui.transcript.highlight import Highlighter, language_of
from panto.tui.transcript.lines import dedented, indent_of, opening_fence
from panto.tui.transcript.rows import Row, Span, chop

LINES_IN_BLOCK = 100
_INDENT = "  "


class Fence:
    """The code of a fence, as far as it has come. All its lines may be indented by so many columns more."""

    def __init__(self, opening: re.Match[str], indent: int = 0) -> None:
        self.mark = opening["mark"]
        self.info = opening["info"].strip()
        self.lines: list[str] = []
        self.closed = False
        self._outer = indent
        self._indent = indent + len(opening["indent"])
        self._highlighter: Highlighter | None = None

    def is_end(self, line: str) -> bool:
        """Whether a line ends it."""
        mark = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        return indent <= self._outer + 3 and len(mark) >= len(self.mark) and not mark.strip(self.mark[0])

    def add(self, line: str) -> None:
        """One more line of code, which has its part of the fence's own indentation taken off."""
        self.lines.append(safe_text(dedented(line, self._indent)))

    def spans(self, number: int, palette: Palette) -> list[Span]:
        """A line in its colours; plain while there may come more."""
        if self.closed and self._highlighter is None:
            self._highlighter = Highlighter("\n".join(self.lines), language_of(self.info))
        pieces = self._highlighter.line(number) if self._highlighter is not None else None
        return _coloured(self.lines[number], pieces, palette)


class CodeBlock(GrowingBlock):
    """Some lines of a fence, below the name of its language if they shall have it."""

    def __init__(self, fence: Fence, gap: int, *, labelled: bool) -> None:
        super().__init__(gap)
        self._fence = fence
        self._labelled = labelled and bool(fence.info)
        self._start = self._stop = len(fence.lines)
        self._tail: str | None = None
        self._open_rows: list[Row] = []
        self._open_for: tuple[int, Palette] | None = None
        self._rendered = self._start
        self._is_coloured = False

    @property
    def is_full(self) -> bool:
        """Whether it has its lines."""
        return self._stop - self._start >= LINES_IN_BLOCK

    def accepts(self, line: str) -> bool:
        """Until the fence ends, every line belongs to it."""
        return True

    def take(self, line: str) -> None:
        """One more line of code, or the end of the fence."""
        if self._fence.is_end(line):
            self.end_fence()
        else:
            self._fence.add(line)
            self._stop += 1
            self.stale()

    def show_tail(self, text: str | None) -> None:
        """Show a line that has not ended, unless it looks as if it would end the fence."""
        shown = None if text is None or not text.strip().strip(self._fence.mark[0]) else text
        if shown != self._tail:
            self._tail = shown
            self.stale()

    def rows(self, width: int, palette: Palette) -> list[Row]:
        """The lines, which get their colours when the fence, that other blocks may share, has ended."""
        if self._fence.closed and not self._is_coloured:
            self._is_coloured = True
            self.stale()
        return super().rows(width, palette)

    def following(self) -> "CodeBlock":
        """A block for the next lines."""
        return CodeBlock(self._fence, 0, labelled=False)

    def end_fence(self) -> None:
        """There is no more code."""
        self._fence.closed = self.closed = True
        self.stale()

    def render(self, width: int, palette: Palette) -> list[Row]:
        """The lines; while the fence is open each is rendered once."""
        if self._fence.closed:
            self._open_rows, self._open_for = [], None
            return [*self._label(width, palette), *self._rows_of(self._start, width, palette)]
        if self._open_for != (width, palette):
            self._open_rows, self._open_for, self._rendered = self._label(width, palette), (width, palette), self._start
        self._open_rows += self._rows_of(self._rendered, width, palette)
        self._rendered = self._stop
        if not self._tail:
            return self._open_rows
        tail = [Segment(safe_text(self._tail), palette.style("foreground", on="surface"))]
        return [*self._open_rows, *_code_rows([tail], width, palette)]

    def estimate(self, width: int) -> int:
        """By the number of characters."""
        lines = self._fence.lines[self._start : self._stop]
        return sum(estimated_rows(line, width) for line in lines) + self._labelled

    def _rows_of(self, start: int, width: int, palette: Palette) -> list[Row]:
        return _code_rows((self._fence.spans(number, palette) for number in range(start, self._stop)), width, palette)

    def _label(self, width: int, palette: Palette) -> list[Row]:
        return label_rows(self._fence.info, width, palette) if self._labelled else []


def code_blocks(source: str) -> list[str]:
    """The code in a Markdown text's fences, as it was written."""
    found: list[list[str]] = []
    fence: Fence | None = None
    indent = 0
    for line in source.replace("\r\n", "\n").split("\n"):
        if fence is None:
            opening = opening_fence(line.lstrip(" \t"))
            if opening is not None:
                indent = indent_of(line)
                fence = Fence(opening, indent)
                found.append([])
        elif fence.is_end(line):
            fence = None
        else:
            found[-1].append(dedented(line, indent))
    return ["\n".join(lines) for lines in found]


def label_rows(info: str, width: int, palette: Palette) -> list[Row]:
    """The name of a block's language, if it has one."""
    if not info:
        return []
    label = truncate(safe_line(info), width - len(_INDENT))
    style = palette.style("muted", on="surface")
    return [Row.drawn([Segment(_INDENT + label, style)], style)]


def code_rows(code: str, info: str, width: int, palette: Palette, *, plain: bool) -> list[Row]:
    """The rows of code within something else: below its language, in its colours unless it shall be plain."""
    lines = safe_text(code.removesuffix("\n")).split("\n")
    highlighter = Highlighter("\n".join(lines), "" if plain else language_of(info))
    spans = [_coloured(line, highlighter.line(number), palette) for number, line in enumerate(lines)]
    return [*label_rows(info, width, palette), *_code_rows(spans, width, palette)]


def _coloured(line: str, pieces: Sequence[tuple[str, str]] | None, palette: Palette) -> list[Span]:
    if pieces is None or "".join(text for _, text in pieces) != line:
        return [Segment(line, palette.style("foreground", on="surface"))]
    return [Segment(text, palette.style(role, on="surface")) for role, text in pieces]


def _code_rows(lines: Iterable[Sequence[Span]], width: int, palette: Palette) -> list[Row]:
    fill = palette.style("foreground", on="surface")
    edge = [Segment(_INDENT, fill)]
    rows = [row for line in lines for row in chop(line, width - len(_INDENT))]
    return [Row(row.spans, row.joint, edge, fill) for row in rows]
