"""A line to type into that searches as one types, and whose keys act in turn."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Input


class SearchLine(Input):
    """An input whose own keys act at once: never before letters that were typed first. Its caret does not blink."""

    KEYS: ClassVar[list[BindingType]] = []
    """What is added to an input's keys. A class that sets it sets its ``BINDINGS`` to the same, for hints and help."""

    def on_mount(self) -> None:
        """Nothing moves while nothing happens."""
        self.cursor_blink = False

    def _on_paste(self, event: events.Paste) -> None:
        """Take the first line of a paste, without what a terminal would obey."""
        event.stop()
        event.prevent_default()
        first = event.text.lstrip("\r\n").partition("\r")[0].partition("\n")[0]
        self.replace("".join(filter(str.isprintable, first)), *sorted(self.selection))

    async def on_key(self, event: events.Key) -> None:
        """Do at once what a key does. The app would ask for it when other letters may have come already."""
        for binding in self.KEYS:
            if isinstance(binding, Binding) and event.key in binding.key.split(","):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
