"""A tool call: its name, what it is about, how it went, and a look at its output."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment

from panto.tui.palette import Palette
from panto.tui.safe_text import cell_width, safe_line, safe_text, truncate
from panto.tui.transcript.entry import Entry
from panto.tui.transcript.spans import Line, chop, indented

State: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped"]

FOLDED_LINES = 4
"""Lines of output that are seen of a folded entry."""
UNFOLDED_LINES = 2_000
"""Lines of output that are seen at most."""
_NAME_WIDTH = 7
_TAIL_CHARACTERS = 20_000
_SHOWN_FROM = 1.0
"""Seconds from which on a call's duration is worth a place."""

_MARKS: dict[State, tuple[str, str]] = {
    "waiting": ("◌", "warning"),
    "running": ("◌", "accent"),
    "done": ("●", "success"),
    "failed": ("●", "error"),
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
        """Name, summary and output."""
        return "\n".join(filter(None, (f"{self.name} {self._summary}".strip(), self._output)))

    @property
    def foldable(self) -> bool:
        """Whether there is more than the folded entry shows."""
        return bool(self._output or self._diff)

    def set_folded(self, folded: bool) -> None:
        """Show a few lines of the output, or all."""
        if folded != self._folded:
            self._folded = folded
            self.changed()

    def update(self, state: State, summary: str = "") -> None:
        """It waits, or it runs."""
        self._state = state
        self._summary = summary or self._summary
        self.changed()

    def progress(self, text: str) -> None:
        """Output of a running call has come: its end is shown."""
        self._output = (self._output + text)[-_TAIL_CHARACTERS:]
        self.changed()

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
        self.changed()

    def estimate(self, width: int) -> int:
        """Folded, it takes few lines whatever it holds."""
        body = self._diff or self._output
        lines = body.count("\n") + 1 if body and not self._quiet else 0
        return 1 + len(self._notes) + (min(lines, FOLDED_LINES + 1) if self._folded else lines)

    def render(self, width: int, palette: Palette) -> list[Line]:
        """The head, the notes, and the output or the diff."""
        lines = [self._head(width, palette)]
        for note in self._notes:
            lines += indented(chop([Segment(safe_line(note), palette.style("note"))], width - 2), *_INDENT)
        return [*lines, *indented(self._body(width - 2, palette), *_INDENT)]

    def _head(self, width: int, palette: Palette) -> Line:
        mark, role = _MARKS[self._state]
        name = safe_line(self.name.rpartition(".")[2])
        right = self._right()
        left = [Segment(f"{mark} ", palette.style(role)), Segment(f"{name:<{_NAME_WIDTH}} ", palette.style("tool"))]
        room = width - sum(cell_width(segment.text) for segment in left) - (cell_width(right) + 2 if right else 0)
        if room < 8:
            return chop(
                [Segment(truncate(f"{mark} {name} {safe_line(self._summary)}", width), palette.style(role))], width
            )[0]
        shown = truncate(safe_line(self._summary), room)
        left.append(Segment(shown, palette.style("foreground")))
        if right:
            left.append(Segment(f"  {right}", palette.style("muted")))
        return left

    def _right(self) -> str:
        if self._state == "waiting":
            return "waits for you"
        if self._state == "stopped":
            return "stopped"
        took = f"{self._seconds:.0f} s" if self._seconds >= _SHOWN_FROM else ""
        return "  ".join(filter(None, (safe_line(self._result), took)))

    def _body(self, width: int, palette: Palette) -> list[Line]:
        if self._diff:
            return self._limited(_diff_lines(self._diff, width, palette))
        text = self._output.rstrip("\n")
        failed = self._state == "failed"
        if not text or (self._quiet and self._folded and not failed):
            return []
        style = palette.style("error" if failed and self._quiet else "muted")
        if self._folded or self._state == "running":
            text = self._window(text)
        return self._limited(chop([Segment(safe_text(text), style)], width))

    def _window(self, text: str) -> str:
        """As much of a long output as a folded entry can show: its end while it runs, its beginning when it is done."""
        lines = text.split("\n")
        if self._state == "running":
            return "\n".join(lines[-FOLDED_LINES:])
        more = len(lines) - FOLDED_LINES
        return text if more <= 1 else "\n".join((*lines[:FOLDED_LINES], f"… {more} more lines"))

    def _limited(self, lines: list[Line]) -> list[Line]:
        limit = (3 * FOLDED_LINES if self._diff else 2 * FOLDED_LINES) if self._folded else UNFOLDED_LINES
        if len(lines) <= limit + 1:
            return lines
        return [*lines[:limit], [Segment(f"… {len(lines) - limit} more lines")]]


_INDENT = ([Segment("  ")], [Segment("  ")])


def _diff_lines(diff: str, width: int, palette: Palette) -> list[Line]:
    """The changed lines of a unified diff with their numbers; file headers are left out, hunks set apart."""
    lines: list[Line] = []
    old = new = 0
    for line in diff.split("\n"):
        if line.startswith(("--- ", "+++ ", "\\")) or not line:
            continue
        if line.startswith("@@"):
            old, new = _starts(line)
            if lines:
                lines.append([Segment("⋯", palette.style("muted"))])
            continue
        sign, text = line[0], line[1:]
        number = new if sign in "+ " else old
        old += sign in "- "
        new += sign in "+ "
        role = {"+": "added", "-": "removed"}.get(sign, "muted")
        lines += chop([Segment(f"{number:>4} {sign} {safe_text(text)}", palette.style(role))], width)
    return lines


def _starts(hunk: str) -> tuple[int, int]:
    """The first old and new line numbers of ``@@ -3,7 +3,8 @@``."""
    numbers = [part.lstrip("-+").partition(",")[0] for part in hunk.split()[1:3]]
    return tuple(int(number) if number.isdigit() else 0 for number in [*numbers, "0", "0"][:2])  # pyright: ignore[reportReturnType] - two of them
