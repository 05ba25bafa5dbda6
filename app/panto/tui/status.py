"""The line at the bottom: how full the model's window is, and what the session has used. Unknown is shown as ``?``."""

from dataclasses import dataclass, replace

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from panto.messages import Usage
from panto.tui.safe_text import safe_line

_GAUGE_CELLS = 10
_FULL, _EMPTY = "▰", "▱"


@dataclass(frozen=True)
class Totals:
    """What a session has used so far: tokens sent, of those cached, and received; and how full the window is now.

    None stands for unknown: a provider that does not count can't be added up.
    """

    sent: int | None = None
    cached: int | None = None
    received: int | None = None
    in_window: int | None = None

    def plus(self, usage: Usage) -> "Totals":
        """With one more answer. An answer without counts leaves the sums as they are."""
        window = None if usage.input is None else usage.input + (usage.output or 0)
        return replace(
            self,
            sent=_sum(self.sent, usage.input),
            cached=_sum(self.cached, usage.cached),
            received=_sum(self.received, usage.output),
            in_window=window if window is not None else self.in_window,
        )


def _sum(first: int | None, second: int | None) -> int | None:
    known = [number for number in (first, second) if number is not None]
    return sum(known) if known else None


def short_count(tokens: int | None) -> str:
    """A count in few characters: ``812``, ``12.4k``, ``1.3M``, and ``?`` for an unknown one."""
    if tokens is None:
        return "?"
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000_000:.1f}M"


class StatusLine(Widget):
    """Window gauge, tokens, cached share, queue. What does not fit is dropped from the right."""

    totals: reactive[Totals] = reactive(Totals())
    window: reactive[int | None] = reactive[int | None](None)
    queued: reactive[int] = reactive(0)
    doing: reactive[str] = reactive("")
    command: reactive[str] = reactive("")
    """The command that is running, as it was called."""

    def render(self) -> Text:
        """The line, cut to the width."""
        width = self.content_size.width
        line = Text(no_wrap=True)
        for part in self._parts():
            gap = "   " if line else ""
            if line.cell_len + len(gap) + part.cell_len > width:
                break
            line.append(gap)
            line.append_text(part)
        return line

    def _parts(self) -> list[Text]:
        """In the order of importance."""
        totals = self.totals
        parts = [Text(safe_line(what), "bold") for what in (self.doing, self.command) if what]
        if self.queued:
            parts.append(Text(f"{self.queued} queued", "bold"))
        parts += [self._gauge(), Text(f"{short_count(totals.sent)} in"), Text(f"{short_count(totals.received)} out")]
        if totals.sent and totals.cached is not None:
            parts.append(Text(f"{100 * totals.cached // totals.sent}% cached"))
        return parts

    def _gauge(self) -> Text:
        used = self.totals.in_window
        if used is None or not self.window:
            return Text(f"context {_EMPTY * _GAUGE_CELLS} ?")
        share = min(1.0, used / self.window)
        full = round(share * _GAUGE_CELLS)
        return Text.assemble("context ", (_FULL * full, "bold"), _EMPTY * (_GAUGE_CELLS - full), f" {share:.0%}")
