"""How the answer of ``ollama`` is read: lines of JSON, each a piece of one message, the last with the counts."""

from panto.json_values import JSONObject, array_at, count_at, is_object, object_at, text_at
from panto.llm.answer import Answer, as_json_text
from panto.llm.failures import error_in
from panto.llm.framing import ServerEvent
from panto.llm.json_text import from_json
from panto.llm.names import ToolNames
from panto.llm.types import StreamEvent
from panto.llm.wire import END_WAIT, ServerError
from panto.messages import Assistant, StopReason, Usage

_STOPS: dict[str, StopReason] = {
    "": "end",  # of servers that give no reason
    "stop": "end",
    "length": "length",
    "load": "unknown",  # the model was loaded, or let go, and not asked
    "unload": "unknown",
}
THINKING: JSONObject = {"field": "thinking"}
"""What is kept with thinking: where it goes back."""


class ChatDecoder:
    """Reads one chat answer."""

    def __init__(self, names: ToolNames, model: str) -> None:
        self._answer = Answer(names, model)
        self._stop: StopReason | None = None
        self._usage = Usage()

    @property
    def patience(self) -> float | None:
        """Seconds for which more is worth waiting for: None until the answer is whole."""
        return None if self._stop is None else END_WAIT

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        """Take a line."""
        if not event.data or event.data.isspace():
            return []
        line = from_json(event.data)
        if not is_object(line):
            raise ValueError("a line is no JSON object")
        error = error_in(line)
        if error is not None:
            status = count_at(line, "StatusCode")  # of an error that ollama passes on
            raise ServerError(error if status is None else {**error, "code": status})
        deltas = self._message(object_at(line, "message"))
        if line.get("done") is True:
            self._stop = _STOPS.get(text_at(line, "done_reason"), "unknown")
            self._usage = Usage(
                input=count_at(line, "prompt_eval_count") or None, output=count_at(line, "eval_count") or None
            )
        return deltas

    def message(self, broken: str = "") -> Assistant:
        """The answer so far."""
        return self._answer.message(self._stop or "end", self._usage, broken)

    def _message(self, message: JSONObject) -> list[StreamEvent]:
        deltas: list[StreamEvent] = []
        thought = text_at(message, "thinking")
        if thought:
            deltas += self._answer.thinking(thought, THINKING)
        content = text_at(message, "content")
        if content:
            deltas += self._answer.text(content)
        for call in array_at(message, "tool_calls"):
            deltas += self._call(call)
        return deltas

    def _call(self, call: object) -> list[StreamEvent]:
        """A call, which comes whole. Its arguments are an object, or the text of one from servers that err."""
        name = text_at(call, "function", "name")
        arguments = object_at(call, "function").get("arguments")
        if not name and arguments is None:
            return []
        piece = arguments if isinstance(arguments, str) else "" if arguments is None else as_json_text(arguments)
        return self._answer.arguments(self._answer.call(text_at(call, "id"), name), piece)
