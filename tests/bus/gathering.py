"""What the tests of the bus share: owners, events and what was told of faults."""

from panto.bus import Bus, Rank
from panto.events import Event, ExtensionError, ToolCallEvent, ToolResult
from panto.messages import ToolCall

SOMEBODY = Rank(2, "user.somebody")
CALL = ToolCall("1", "std.read", {"path": "a"})


def tool_result() -> ToolResult:
    """A result that handlers may change."""
    return ToolResult("s", CALL, (), shown="out", output="out", notes=[], is_error=False)


def tool_call() -> ToolCallEvent:
    """A call that handlers may judge."""
    return ToolCallEvent("s", CALL, (), {"path": "a"})


class Faults(list[ExtensionError]):
    """The faults that a bus tells of, from now on."""

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._bus = bus
        bus.watch((ExtensionError,), self._note, rank=Rank(0, "test.faults"))

    def _note(self, event: Event) -> None:
        assert isinstance(event, ExtensionError)
        self.append(event)

    async def only(self) -> ExtensionError:
        """The one fault there was."""
        await self._bus.settle()
        (fault,) = self
        return fault
