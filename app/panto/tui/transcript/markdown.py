"""Markdown as it streams: blocks that are closed for good, and one at the end that is still open.

Where a block certainly ends is told line by line; what is in it, the parser tells. A closed block is rendered once, and
when it is seen; only the open one is rendered again. No block is so large that this would take long.
"""

from panto.tui.transcript.block import Block, GrowingBlock, cut_place
from panto.tui.transcript.code import CodeBlock, Fence
from panto.tui.transcript.lines import is_definition, is_footnote, is_unfinished, marker_of, opening_fence
from panto.tui.transcript.parser import References, definitions
from panto.tui.transcript.passage import PASSAGE_CHARACTERS, Item, Passage
from panto.tui.transcript.rows import LINE_END
from panto.tui.transcript.table import DELIMITER
from panto.tui.transcript.table_block import Table, TableBlock


class MarkdownStream:
    """Markdown that grows. ``blocks`` are up to date after `absorb`; only the end of the list ever changes."""

    def __init__(self, source: str = "") -> None:
        self.blocks: list[Block] = []
        self._texts = [source]
        self._new = [source]
        self._tail = ""
        self._held = ""  # a carriage return, for a line feed may follow
        self._taken: str | None = None  # if the tail's beginning is in blocks already: what joins the rest to it
        self._open: GrowingBlock | None = None
        self._provisional = False
        self._finished = self._ended = False
        self._references: References = {}

    @property
    def source(self) -> str:
        """The text as it was written."""
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return self._texts[0]

    def append(self, text: str) -> None:
        """More text."""
        self._texts.append(text)
        self._new.append(text)

    def finish(self) -> None:
        """There is no more."""
        self._finished = True

    def absorb(self) -> None:
        """Bring the blocks up to date."""
        if not self._new and self._ended == self._finished:
            return
        if self._provisional:
            self.blocks.pop()
            self._provisional = False
        text = self._held + "".join(self._new)
        self._new.clear()
        self._held = "\r" if text.endswith("\r") and not self._finished else ""
        text = text.removesuffix(self._held).replace("\r\n", LINE_END).replace("\r", LINE_END)
        *lines, self._tail = (self._tail + text).split(LINE_END)
        for line in lines:
            self._end_line(line)
        if self._finished:
            self._end()
        else:
            self._tail = self._shortened(self._tail)
            self._show_tail()

    def _end(self) -> None:
        self._ended = True
        if self._tail or self._taken is not None:
            self._end_line(self._tail)
            self._tail = ""
        if isinstance(self._open, CodeBlock):
            self._open.end_fence()
        self._close()

    def _end_line(self, line: str) -> None:
        rest = self._shortened(line)
        if self._taken is None:
            self._line(rest)
        else:
            self._begin(Passage.rest_of_line(rest, self._references, self._taken))
            self._taken = None

    def _shortened(self, line: str) -> str:
        """A line without its beginning, if it is too long for one block: that goes into blocks of its own."""
        while len(line) > PASSAGE_CHARACTERS and not isinstance(self._open, CodeBlock):
            end, following = cut_place(line, 0, PASSAGE_CHARACTERS)
            if self._taken is None:
                self._line(line[:end])
            else:
                self._begin(Passage.rest_of_line(line[:end], self._references, self._taken))
            self._taken, line = line[end:following], line[following:]
        return line

    def _line(self, line: str) -> None:
        block = self._open
        if block is not None and self._turns_into_table(line):
            return
        if block is not None and block.accepts(line):
            if block.is_full:
                block = block.following()
                self._begin(block)
            block.take(line)
            if block.closed:
                self._close()
            return
        self._close()
        if line.strip():
            self._begin(self._begun(line))

    def _begin(self, block: GrowingBlock) -> None:
        self._close()
        self.blocks.append(block)
        self._open = block

    def _close(self) -> None:
        block, self._open = self._open, None
        if block is None:
            return
        block.close()
        if isinstance(block, Passage) and is_definition(block.source):
            found = definitions(block.source)
            labels = {label.lower() for label in found if label not in self._references}
            self._references.update({**found, **self._references})
            for other in self.blocks:
                if isinstance(other, Passage) and not labels.isdisjoint(other.labels):
                    other.stale()

    def _begun(self, line: str) -> GrowingBlock:
        """The block that a line begins."""
        last = self.blocks[-1] if self.blocks else None
        gap = 0 if last is None else 1
        fence = opening_fence(line)
        if fence is not None:
            return CodeBlock(Fence(fence), gap, labelled=True)
        marker = marker_of(line)
        if marker is not None:
            if isinstance(last, Item) and last.is_sibling(marker):
                return Item(line, marker, self._references, int(last.ends_blank), last.next_number)
            return Item(line, marker, self._references, gap, marker.number)
        joined = is_footnote(line) and isinstance(last, Passage) and not last.ends_blank
        return Passage([line], self._references, 0 if joined else gap)

    def _turns_into_table(self, line: str) -> bool:
        """Whether a line makes the last one of the open passage the header of a table. If so, it is one now."""
        passage = self._open
        if type(passage) is not Passage or "|" not in passage.lines[-1] or not DELIMITER.match(line):
            return False
        if not passage.parser_begins("table", line, 2):
            return False
        header, gap = passage.lines.pop(), 1
        passage.stale()
        if not passage.lines:
            gap = passage.gap
            self.blocks.pop()
            self._open = None
        self._begin(TableBlock(Table(header, line, self._references), gap=gap))
        return True

    def _show_tail(self) -> None:
        """Show the line that has not ended: in the open block, or in one of its own that is replaced next time."""
        line, block = self._tail, self._open
        shows_nothing = not line.strip() or (is_unfinished(line) and not isinstance(block, CodeBlock))
        belongs = block is not None and self._taken is None and block.accepts(line)
        if block is not None:
            block.show_tail(line if belongs and not shows_nothing else None)
        if shows_nothing or belongs or opening_fence(line):
            return
        if self._taken is None:
            provisional = self._begun(line)
        else:
            provisional = Passage.rest_of_line(line, self._references, self._taken)
        provisional.show_tail("")
        self.blocks.append(provisional)
        self._provisional = True
