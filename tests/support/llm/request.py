"""One request as the server got it, and what became of its answer."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from tests.support.llm.checks import JSONObject, value_at

Outcome: TypeAlias = Literal["pending", "answered", "disconnected", "cut"]
"""disconnected: the client went before the end of the answer; cut: the script broke the answer off."""


class ToolResult(NamedTuple):
    """What a request says a tool call gave. `is_error` is False where the wire format has no word for it."""

    id: str
    text: str
    is_error: bool


@dataclass
class Reading:
    """What a model call says, put the same way for every wire format."""

    system: str = ""
    user_texts: list[str] = field(default_factory=list[str])
    assistant_texts: list[str] = field(default_factory=list[str])
    tool_names: list[str] = field(default_factory=list[str])
    tool_results: list[ToolResult] = field(default_factory=list[ToolResult])
    model: str = ""
    """The model, where the path names it."""


@dataclass
class Request:
    """A recorded request. Header names are in lower case; times are `time.monotonic()` seconds.

    `number` counts the requests of its list from 0, `connection` the sockets. `body` is empty if it was no JSON object.
    """

    number: int
    connection: int
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    received_at: float
    body: JSONObject = field(default_factory=dict[str, object])
    wire: str = ""
    reading: Reading = field(default_factory=Reading)
    status: int = 0
    outcome: Outcome = "pending"
    ended_at: float | None = None
    problem: str | None = None

    def at(self, *path: str | int) -> object:
        """What is in the body at a path of keys and positions; None if there is nothing."""
        return value_at(self.body, *path)

    @property
    def model(self) -> str:
        """The model asked for."""
        return self.reading.model or str(self.body.get("model", ""))

    @property
    def system(self) -> str:
        """All system text, in order, parts joined by a newline."""
        return self.reading.system

    @property
    def user_texts(self) -> list[str]:
        """The text of each user message that has any, tool results aside."""
        return self.reading.user_texts

    @property
    def assistant_texts(self) -> list[str]:
        """The text of each assistant message that has any."""
        return self.reading.assistant_texts

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools on offer, as they are on the wire."""
        return self.reading.tool_names

    @property
    def tool_results(self) -> list[ToolResult]:
        """All tool results, in order."""
        return self.reading.tool_results
