"""Markdown as it streams: blocks that are closed for good, and one that is still open.

A closed block is rendered once for a width and a palette; only the open one is rendered again. Lines of an open code
fence are rendered as they come, each once.
"""

import re

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import safe_text
from panto.tui.transcript.markdown import markdown_lines
from panto.tui.transcript.spans import Line, chop, indented

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")


class Block:
    """A piece of Markdown that is rendered by itself. ``fence`` is the mark that ends it, for an open code fence."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.fence = ""
        self.info = ""
        self.is_list = False
        self.closed = False
        self._key: tuple[int, str] | None = None
        self._rendered: list[Line] = []
        self._done = 0

    def render(self, tail: str, width: int, palette: Palette) -> list[Line]:
        """The block's lines, with ``tail`` as a last line that has not ended."""
        key = (width, palette.name)
        if self._key != key:
            self._key, self._rendered, self._done = key, [], 0
        if self.fence and not self.closed:
            return self._open_fence(tail, width, palette)
        if not self.closed:
            return markdown_lines("\n".join((*self.lines, tail)), width, palette)
        if self._done != -1:
            self._rendered, self._done = markdown_lines("\n".join(self.lines), width, palette), -1
        return self._rendered

    def _open_fence(self, tail: str, width: int, palette: Palette) -> list[Line]:
        plain, edge = palette.style("foreground"), [Segment("  ")]

        def shown(text: str) -> list[Line]:
            return indented(chop([Segment(safe_text(text), plain)], width - 2), edge, edge)

        if not self._done:
            label = chop([Segment(f"  {safe_text(self.info)}", palette.style("muted"))], width)
            self._rendered, self._done = label if self.info else [], 1
        for line in self.lines[self._done :]:
            self._rendered += shown(line)
        self._done = len(self.lines)
        return [*self._rendered, *shown(tail)] if tail else self._rendered


class MarkdownStream:
    """Markdown that grows. ``source`` is all of it, as it came."""

    def __init__(self, source: str = "") -> None:
        self._source: list[str] = []
        self._blocks: list[Block] = []
        self._tail = ""
        if source:
            self.append(source)

    @property
    def source(self) -> str:
        """The text as it was written."""
        return "".join(self._source)

    def append(self, text: str) -> None:
        """More text."""
        self._source.append(text)
        *whole, self._tail = (self._tail + text).split("\n")
        for line in whole:
            self._line(line.removesuffix("\r"))

    def finish(self) -> None:
        """There is no more."""
        if self._tail:
            tail, self._tail = self._tail, ""
            self._line(tail)
        if self._blocks:
            self._blocks[-1].closed = True

    def render(self, width: int, palette: Palette) -> list[Line]:
        """All lines at a width."""
        lines: list[Line] = []
        for number, block in enumerate(self._blocks):
            tail = self._tail if number == len(self._blocks) - 1 and not block.closed else ""
            rendered = block.render(tail, width, palette)
            if rendered:
                lines += ([[]] if lines else []) + rendered
        if self._tail.strip() and (not self._blocks or self._blocks[-1].closed):
            lines += ([[]] if lines else []) + markdown_lines(self._tail, width, palette)
        return lines

    def _line(self, line: str) -> None:
        block = self._blocks[-1] if self._blocks else None
        if block is None or block.closed or self._begins_another(block, line):
            if block is not None:
                block.closed = True
            if not line.strip():
                return
            self._blocks.append(block := self._begun(line))
            return
        block.lines.append(line)
        if block.fence and _closes(line, block.fence):
            block.closed = True

    def _begins_another(self, block: Block, line: str) -> bool:
        if block.fence:
            return False
        if _FENCE.match(line) and not block.is_list:
            return True
        if not block.is_list:
            return not line.strip()
        after_blank = not block.lines[-1].strip()
        return after_blank and bool(line.strip()) and not line[0].isspace() and not _ITEM.match(line)

    def _begun(self, line: str) -> Block:
        block = Block()
        block.lines.append(line)
        fence = _FENCE.match(line)
        if fence:
            block.fence, block.info = fence["mark"], fence["info"].strip()
        block.is_list = _ITEM.match(line) is not None
        return block


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and set(mark) == {fence[0]} and len(line) - len(line.lstrip(" ")) <= 3
