"""The kinds of entries that hold text: what the user said, answers, thinking, notices, errors, ends of turns."""

import time
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width, safe_line
from panto.tui.transcript.block import Block, Look, TextBlock, estimated_rows, pieces, text_blocks
from panto.tui.transcript.code import code_blocks
from panto.tui.transcript.duration import duration
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.markdown import MarkdownStream
from panto.tui.transcript.rows import LINE_END, Row, wrap

Severity: TypeAlias = Literal["info", "warning", "error"]


class UserEntry(Entry):
    """What the user said, as typed, behind a bar, and below it notes on what goes along."""

    def __init__(self, text: str, notes: Sequence[str] = ()) -> None:
        super().__init__()
        self._text = text
        self._notes = notes

    @property
    def source(self) -> str:
        """The text as it was typed."""
        return self._text

    def code(self) -> list[str]:
        """The blocks of code in it."""
        return code_blocks(self._text)

    def build(self) -> Sequence[Block]:
        """The text in pieces, and the notes below."""
        notes = [block for note in self._notes for block in text_blocks(note, Look("note", edge="  "))]
        return [*text_blocks(self._text, Look(bold=True, edge="┃ ", edge_role="user")), *notes]


class AnswerEntry(Entry):
    """An answer in Markdown, whole or still streaming."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._markdown = MarkdownStream(text)

    @property
    def source(self) -> str:
        """The Markdown as the model wrote it."""
        return self._markdown.source

    def code(self) -> list[str]:
        """The blocks of code in it."""
        return code_blocks(self.source)

    def append(self, text: str) -> None:
        """More of it has come."""
        self._markdown.append(text)
        self.changed()

    def finish(self) -> None:
        """No more will come."""
        self._markdown.finish()
        self.changed()

    def build(self) -> Sequence[Block]:
        """The Markdown's blocks, which grow with it."""
        return self._markdown.blocks

    def blocks(self, width: int) -> Sequence[Block]:
        """The blocks, with what has come since they were last looked at."""
        self._markdown.absorb()
        return super().blocks(width)


class TextEntry(Entry):
    """What a command has to say: a finished text in Markdown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    @property
    def source(self) -> str:
        """The text as it was given."""
        return self._text

    def code(self) -> list[str]:
        """The blocks of code in it."""
        return code_blocks(self._text)

    def build(self) -> Sequence[Block]:
        """The Markdown's blocks."""
        markdown = MarkdownStream(self._text)
        markdown.finish()
        markdown.absorb()
        return markdown.blocks


class ThinkingEntry(Entry):
    """A model's reasoning: to be read while it comes, one line when it is done.

    ``seconds`` is how long it took; None for unknown.
    """

    _LOOK = Look("thought", italic=True, edge="  ")

    def __init__(self, text: str = "", *, done: bool = False, seconds: float | None = None) -> None:
        super().__init__()
        self._texts = [text]
        self._done = self._folded = done
        self._seconds = seconds
        self._began: float | None = None
        self._growing: list[Block] = []
        self._last = ("", LINE_END)

    @property
    def source(self) -> str:
        """The reasoning as it came."""
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return self._texts[0]

    @property
    def foldable(self) -> bool:
        """It can be folded if there is anything in it."""
        return bool(self.source.strip())

    @property
    def folded(self) -> bool:
        """Whether it shows one line."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Show one line, or all."""
        if folded != self._folded:
            self._folded = folded
            self.rebuild(news=False)

    def append(self, text: str) -> None:
        """More of it has come."""
        if self._began is None:
            self._began = time.monotonic()
        self._texts.append(text)
        if self._growing:
            self._growing.pop()
            self._grow(self._last[0] + text, self._last[1])
        self.changed()

    def finish(self, seconds: float | None = None) -> None:
        """No more will come: it folds. How long it took is taken from its first text on, if it is not told."""
        self._seconds = seconds if seconds is not None or self._began is None else time.monotonic() - self._began
        self._done = self._folded = True
        self._growing = []
        self.rebuild()

    def build(self) -> Sequence[Block]:
        """One dim line, and below it the text in pieces unless it is folded."""
        head = TextBlock(self._head(), Look("thought", italic=True))
        text = self.source.strip()
        if self._folded or (self._done and not text):
            return [head]
        if self._done:
            return [head, *text_blocks(text, self._LOOK)]
        self._growing = [head]
        self._grow(self.source.lstrip(), LINE_END)
        return self._growing

    def estimate(self, width: int) -> int:
        """One row if it is folded."""
        return 1 if self._folded else 1 + estimated_rows(self.source, width)

    def _grow(self, text: str, joint: str) -> None:
        for self._last in pieces(text, joint):
            self._growing.append(TextBlock(self._last[0], self._LOOK, joint=self._last[1]))

    def _head(self) -> str:
        if not self._done:
            return "▾ thinking"
        took = "" if self._seconds is None else f" for {duration(self._seconds)}"
        text = self.source.strip()
        count = text.count("\n") + 1
        size = f", {count} {'line' if count == 1 else 'lines'}" if text else ""
        return f"{'▸' if self._folded else '▾'} thought{took}{size}"


class NoticeEntry(Entry):
    """Something the user should know, and what to do about it."""

    joins: ClassVar[bool] = True
    _LOOKS: ClassVar[dict[Severity, Look]] = {
        "info": Look("note", first="· ", edge="  "),
        "warning": Look("warning", first="! ", edge="  "),
        "error": Look("error", first="✗ ", edge="  "),
    }

    def __init__(self, text: str, severity: Severity = "info", hint: str = "") -> None:
        super().__init__()
        self._text = text
        self._severity: Severity = severity
        self._hint = hint

    @property
    def source(self) -> str:
        """The notice and its hint."""
        return f"{self._text}\n{self._hint}" if self._hint else self._text

    def build(self) -> Sequence[Block]:
        """A mark and the text, and below it the hint."""
        look = self._LOOKS[self._severity]
        hint = text_blocks(self._hint.strip(), Look("muted", edge="  ")) if self._hint.strip() else []
        return [*text_blocks(self._text.strip(), look), *hint]


class ErrorEntry(NoticeEntry):
    """Something went wrong: what happened, and what to do."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text, "error", hint)


class TurnEndEntry(Entry):
    """The end of a turn: what it took, and a thin line up to the edge."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    @property
    def source(self) -> str:
        """What the turn took."""
        return self._text

    def build(self) -> Sequence[Block]:
        """One row, or more where it does not fit."""
        return [_RuleBlock(self._text)]


class _RuleBlock(Block):
    """A text with a line behind it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def render(self, width: int, palette: Palette) -> list[Row]:
        """The text, and the line if there is room for it."""
        text = safe_line(self._text)
        rows = wrap([Segment(text, palette.style("muted"))], width)
        room = width - cell_width(text) - 1
        if room > 0 and len(rows) == 1:
            rows = [Row([*rows[0].spans, Segment(f" {'─' * room}", palette.style("border"))])]
        return rows

    def estimate(self, width: int) -> int:
        """One row."""
        return estimated_rows(self._text, width)
