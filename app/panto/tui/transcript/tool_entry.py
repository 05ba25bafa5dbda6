"""A tool call: its name, what it is about, how it went, and a look at its output."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width, safe_line, safe_text, truncate
from panto.tui.transcript.block import Block, Look, text_blocks
from panto.tui.transcript.diff import diff_blocks
from panto.tui.transcript.duration import duration
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.excerpt import Excerpt, FoldedBlocks
from panto.tui.transcript.rows import Row, indented, wrap

State: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped"]

_NAME_WIDTH = 7
_TAIL_CHARACTERS = 20_000
"""So much of a running call's output is kept: only its end is shown."""
_SHOWN_FROM = 1.0
"""Seconds from which on a call's duration is worth a place."""
_NARROWEST_SUMMARY = 8
_FOLDED_DIFF_ROWS = 12

_MARKS: dict[State, tuple[str, str]] = {
    "waiting": ("◌", "warning"),
    "running": ("◌", "accent"),
    "done": ("●", "success"),
    "failed": ("✗", "error"),
    "stopped": ("○", "muted"),
}


class ToolEntry(Entry):
    """A tool call, from the moment the model wants it. ``quiet`` tools show no output unless it is unfolded."""

    joins: ClassVar[bool] = True

    def __init__(self, name: str, summary: str = "", *, quiet: bool = False) -> None:
        super().__init__()
        self.name = name
        self._summary = summary
        self._quiet = quiet
        self._state: State = "waiting"
        self._result = ""
        self._output = ""
        self._diff = ""
        self._notes: Sequence[str] = ()
        self._seconds = 0.0
        self._folded = True

    @property
    def source(self) -> str:
        """Name, summary, and what it changed or put out."""
        return "\n".join((f"{self.name} {self._summary}".strip(), *self.code()))

    def code(self) -> list[str]:
        """The diff, or else the output."""
        return [text for text in (self._diff or self._output,) if text]

    @property
    def state(self) -> State:
        """How far it is."""
        return self._state

    @property
    def foldable(self) -> bool:
        """Whether there is more to it than its head."""
        return bool(self._output or self._diff or "\n" in self._summary)

    @property
    def folded(self) -> bool:
        """Whether only a few rows of the output are shown."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Show a few rows of the output, or all of it, and all of the summary."""
        if folded != self._folded:
            self._folded = folded
            self.rebuild(news=False)

    def update(self, state: State, summary: str = "") -> None:
        """It waits, or it runs."""
        self._state = state
        self._summary = summary or self._summary
        self.rebuild()

    def progress(self, text: str) -> None:
        """Output of a running call has come: its end is shown."""
        self._output = (self._output + text)[-_TAIL_CHARACTERS:]
        self.rebuild()

    def elapsed(self, seconds: float) -> None:
        """It has been running for so long."""
        if duration(seconds) != duration(self._seconds):
            self._seconds = seconds
            self.rebuild(news=False)

    def finish(
        self,
        state: State,
        output: str,
        *,
        result: str = "",
        diff: str = "",
        notes: Sequence[str] = (),
        seconds: float = 0.0,
    ) -> None:
        """It is over: how it went, in full and in a few words (``result``)."""
        self._state, self._output, self._result = state, output, result
        self._diff, self._notes, self._seconds = diff, notes, seconds
        self.rebuild()

    def build(self) -> Sequence[Block]:
        """The head, the output or the diff, and the notes below."""
        notes = [block for note in self._notes for block in text_blocks(note, Look("note", edge="  "))]
        return [self._head(), *self._body(), *notes]

    def estimate(self, width: int) -> int:
        """Folded, it takes few rows whatever it holds."""
        body = self._diff or self._output
        rows = body.count("\n") + 1 if body and not (self._quiet and self._folded) else 0
        return 1 + len(self._notes) + (min(rows, 5) if self._folded else rows)

    def _head(self) -> Block:
        mark, role = _MARKS[self._state]
        words = {"waiting": "waiting for approval", "stopped": "stopped"}.get(self._state, "")
        took = duration(self._seconds) if self._seconds >= _SHOWN_FROM else ""
        return _HeadBlock(
            mark=(mark, role),
            name=self.name.rpartition(".")[2],
            summary=self._summary,
            result=words or self._result,
            took=took,
            whole=not self._folded,
        )

    def _body(self) -> Sequence[Block]:
        if self._diff:
            blocks = diff_blocks(self._diff)
            return [FoldedBlocks(blocks, _FOLDED_DIFF_ROWS)] if self._folded else blocks
        text = self._output.strip("\r\n")
        failed = self._state == "failed"
        if not text or (self._quiet and self._folded and not failed):
            return []
        role = "error" if failed and self._quiet else "muted"
        if self._folded or self._state == "running":
            return [Excerpt(text, role, end_only=self._state == "running")]
        return text_blocks(text, Look(role, edge="  ", flow="chop"))


class _HeadBlock(Block):
    """The first row of a call: mark, name, summary, result, and at the right how long it took."""

    def __init__(self, *, mark: tuple[str, str], name: str, summary: str, result: str, took: str, whole: bool) -> None:
        super().__init__()
        self._mark, self._role = mark
        self._name = safe_line(name)
        self._summary = summary
        self._result = safe_line(result)
        self._took = took
        self._whole = whole

    def render(self, width: int, palette: Palette) -> list[Row]:
        """One row with as much as has room, or more rows if all is wanted: how it went stands on the last."""
        edge = [
            Segment(f"{self._mark} ", palette.style(self._role)),
            Segment(f"{self._name:<{_NAME_WIDTH}} ", palette.style("tool")),
        ]
        indent = sum(cell_width(span.text) for span in edge)
        result, took = self._fitting(width - indent)
        room = width - indent - cell_width(result) - cell_width(took)
        if room < _NARROWEST_SUMMARY:
            return self._narrow(width, palette)
        muted, foreground = palette.style("muted"), palette.style("foreground")
        if self._whole:
            rows = wrap([Segment(safe_text(self._summary), foreground)], width - indent)
        else:
            rows = [Row([Segment(truncate(safe_line(self._summary), room), foreground)])]
        last = rows[-1]
        if cell_width(last.text) > room:
            result, last = result.lstrip(), Row(())
            room = width - indent - cell_width(result) - cell_width(took)
            rows.append(last)
        gap = " " * (room - cell_width(last.text)) if took else ""
        last.instead = {len(last.spans) + 1: ""}
        last.spans = [*last.spans, Segment(result, muted), Segment(gap, palette.base), Segment(took, muted)]
        return indented(rows, edge, [Segment(" " * indent, palette.base)])

    def estimate(self, width: int) -> int:
        """One row, mostly."""
        return 1

    def _fitting(self, room: int) -> tuple[str, str]:
        """Result and duration, as far as they leave room for the summary, or for enough of it."""
        result, took = (f"  {text}" if text else "" for text in (self._result, self._took))
        left = room - min(_NARROWEST_SUMMARY, cell_width(safe_line(self._summary)))
        if cell_width(result) + cell_width(took) > left:
            took = ""
        return (result if cell_width(result) <= left else ""), took

    def _narrow(self, width: int, palette: Palette) -> list[Row]:
        text = f"{self._name} {safe_line(self._summary)}".rstrip()
        mark = Segment(f"{self._mark} ", palette.style(self._role))
        return [Row([Segment(truncate(text, width - 2), palette.style("foreground"))], edge=[mark])]
