"""The line at the bottom: how full the model's window is, and what the session has used. Unknown is shown as ``?``."""

from dataclasses import dataclass

from rich.text import Text
from textual.binding import ActiveBinding
from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from panto.tui.hints import keys_line
from panto.tui.safe_text import cell_width, safe_line
from panto.tui.usage import Totals, short_count

TOLD_SECONDS = 3.0
_GAUGE_CELLS = 10
_FULL, _EMPTY = "▰", "▱"


@dataclass(frozen=True)
class KeysLine:
    """Keys, and where one is among what they walk through; empty if that is nothing to speak of."""

    bindings: tuple[ActiveBinding, ...]
    where: str = ""

    def fitted(self, width: int) -> Content:
        """As much of it as has room."""
        where = f"{self.where}   " if self.where else ""
        return Content.assemble((where, "bold"), keys_line(self.bindings, width - cell_width(where)))


class StatusLine(Widget):
    """Window gauge, tokens, cached share, cost, queue. What does not fit is dropped from the right."""

    totals: reactive[Totals] = reactive(Totals())
    window: reactive[int | None] = reactive[int | None](None)
    queued: reactive[int] = reactive(0)
    doing: reactive[str] = reactive("")
    command: reactive[str] = reactive("")
    """The command that is running, as it was called."""
    told: reactive[str] = reactive("")
    """What has just come of a key."""
    keys: reactive[KeysLine | None] = reactive[KeysLine | None](None)
    """What the keys do now, where that is worth the line."""
    _forgetting: Timer | None = None

    def tell(self, what: str, seconds: float = TOLD_SECONDS) -> None:
        """Say what has come of a key, for a while."""
        if self._forgetting is not None:
            self._forgetting.stop()
        self.told = what
        self._forgetting = self.set_timer(seconds, self._forget)

    def _forget(self) -> None:
        self.told = ""

    def render(self) -> Text | Content:
        """The line, cut to the width."""
        width = self.content_size.width
        if self.keys is not None and not self.told:
            return self.keys.fitted(width)
        line = Text(no_wrap=True)
        for part in self._parts():
            gap = "   " if line else ""
            if self.told and not line:
                part.truncate(width, overflow="ellipsis")
            if line.cell_len + len(gap) + part.cell_len > width:
                break
            line.append(gap)
            line.append_text(part)
        return line

    def _parts(self) -> list[Text]:
        """In the order of importance."""
        totals = self.totals
        parts = [Text(safe_line(what), "bold") for what in (self.told, self.doing, self.command) if what]
        if self.queued:
            parts.append(Text(f"{self.queued} queued", "bold"))
        parts += [self._gauge(), Text(f"{short_count(totals.sent)} in"), Text(f"{short_count(totals.received)} out")]
        if totals.sent and totals.cached is not None:
            parts.append(Text(f"{100 * totals.cached // totals.sent}% cached"))
        if totals.price:
            parts.append(Text(totals.price))
        return parts

    def _gauge(self) -> Text:
        used = self.totals.in_window
        if used is None or not self.window:
            return Text(f"context {_EMPTY * _GAUGE_CELLS} ?")
        share = min(1.0, used / self.window)
        full = round(share * _GAUGE_CELLS)
        return Text.assemble("context ", (_FULL * full, "bold"), _EMPTY * (_GAUGE_CELLS - full), f" {share:.0%}")
