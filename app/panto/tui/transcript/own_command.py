"""A command of the user's own: what it puts out while it runs, and how it ended."""

from panto.tui.transcript.tool_entry import ToolEntry

_TAIL_CHARACTERS = 20_000
"""So much of its output is kept while it runs: only its end is shown."""


class OwnCommandEntry(ToolEntry):
    """A command line that the user runs. ``told``: what comes of it is told to the model."""

    def __init__(self, line: str, *, told: bool) -> None:
        super().__init__("!" if told else "!!", line)
        self._whole = ""
        self._state = "running"

    @property
    def output(self) -> str:
        """What is kept of its output."""
        return self._output

    def show(self, output: str, line: str) -> None:
        """More whole lines have come, and the line that is being written is this."""
        self._whole = (self._whole + output)[-_TAIL_CHARACTERS:]
        self._output = self._whole + line
        self.rebuild()
