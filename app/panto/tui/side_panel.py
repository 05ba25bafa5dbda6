"""The side panel: sections that extensions keep up to date, one below another, seen when the user wants to."""

import time
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive
from textual.timer import Timer

from panto.offers import Panel, Panels
from panto.tui.safe_text import safe_line
from panto.tui.steady import SteadyTranscript
from panto.tui.transcript import Entry, TextEntry
from panto.tui.transcript.block import Block, Look, TextBlock

REFRESH_SECONDS = 0.1
"""The shortest time between two looks at the sections."""
_NOTHING = "Extensions may show something here."


class SidePanel(Container):
    """Shows the sections that have a text. It opens by `toggle` alone; while it is closed it does no work."""

    DEFAULT_CSS = """
    SidePanel {
        display: none;
    }
    """
    has_sections: reactive[bool] = reactive(False, repaint=False)
    """Whether there is anything to show."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.text = _FromTop()
        self._panels: Panels | None = None
        self._entries: dict[Panel, _SectionEntry] = {}
        self._last = 0.0
        self._next: Timer | None = None
        self._is_due = False

    def compose(self) -> ComposeResult:
        """The sections."""
        yield self.text

    def on_mount(self) -> None:
        """Say that there is nothing yet."""
        self._show()

    def show_panels(self, panels: Panels) -> None:
        """Show these from now on."""
        self._panels = panels
        panels.on_change = self._changed
        self._changed()

    def toggle(self) -> None:
        """Open or close it."""
        self.display = not self.display
        if self.display:
            self._show()

    def _changed(self) -> None:
        """Something about the sections has changed: look at once, or a little later if the last look was just now."""
        self.has_sections = bool(self._filled())
        if not self.display or self._next is not None or self._is_due:
            return
        wait = self._last + REFRESH_SECONDS - time.monotonic()
        if wait > 0:
            self._next = self.set_timer(wait, self._show)
        else:
            self._is_due = True
            self.call_next(self._show)

    def _filled(self) -> Sequence[Panel]:
        return [] if self._panels is None else [panel for panel in self._panels.all() if panel.text.strip()]

    def _show(self) -> None:
        if self._next is not None:
            self._next.stop()
        self._next, self._is_due, self._last = None, False, time.monotonic()
        filled = self._filled()
        if filled != list(self._entries) or not self.text.entries:
            self._entries = {panel: _SectionEntry(panel.title, panel.text) for panel in filled}
            self.text.clear()
            for entry in self._entries.values() or (_NothingEntry(_NOTHING),):
                self.text.add(entry)
            return
        for panel, entry in self._entries.items():
            entry.show(panel.text)


class _SectionEntry(Entry):
    """A title, and Markdown below it."""

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    @property
    def source(self) -> str:
        """Both of them."""
        return f"{self._title}\n{self._text}"

    def show(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            self._text = text
            self.rebuild(news=False)

    def build(self) -> Sequence[Block]:
        """The title, and the Markdown's blocks."""
        return [TextBlock(safe_line(self._title), Look(bold=True)), *TextEntry(self._text).build()]


class _NothingEntry(Entry):
    """One dim line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    @property
    def source(self) -> str:
        """The line."""
        return self._text

    def build(self) -> Sequence[Block]:
        """The line."""
        return [TextBlock(self._text, Look("muted"))]


class _FromTop(SteadyTranscript):
    """A transcript that one reads from its top: it follows its end only if the user goes there."""

    _is_at_top = True

    def clear(self) -> None:
        """Take all entries away; others are read from their top again."""
        self._is_at_top = True
        super().clear()

    def follow(self) -> None:
        """Go to the end."""
        self._viewport.scroll_to(self._viewport.total)
        self._show()

    def _show(self) -> None:
        if self._is_at_top:
            self._viewport.following = False
        super()._show()
        if all(self._size_in_cells):
            self._is_at_top = self._viewport.top == 0
