"""Sections of the side panel: a title, and Markdown below it that their owner keeps up to date."""

from collections.abc import Callable

from panto.bus import Handle


class Panel(Handle):
    """One section of the side panel. It is there until it is closed, and seen while it has something to show."""

    def __init__(self, title: str, panels: "Panels") -> None:
        super().__init__("panel", title, lambda: panels.remove(self))
        self._panels = panels
        self._text = ""

    @property
    def title(self) -> str:
        """What stands above it."""
        return self.name

    @property
    def text(self) -> str:
        """The Markdown that it shows now."""
        return self._text

    def show(self, markdown: str) -> None:
        """Show something else; an empty text hides the section. Once it is closed this does nothing."""
        if not self.closed and markdown != self._text:
            self._text = markdown
            self._panels.changed()


class Panels:
    """The sections that there are now, in the order in which they came. ``on_change`` is called after each change."""

    def __init__(self) -> None:
        self.on_change: Callable[[], None] | None = None
        self._panels: list[Panel] = []

    def add(self, title: str) -> Panel:
        """Add a section."""
        panel = Panel(title, self)
        self._panels.append(panel)
        return panel

    def remove(self, panel: Panel) -> None:
        """Take a section away."""
        self._panels.remove(panel)
        self.changed()

    def all(self) -> tuple[Panel, ...]:
        """Every section."""
        return tuple(self._panels)

    def changed(self) -> None:
        """Tell whoever shows them."""
        if self.on_change is not None:
            self.on_change()
