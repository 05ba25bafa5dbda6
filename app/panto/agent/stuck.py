"""When a model is stuck: it makes the same calls over and over, or writes calls into its text, where nothing runs them.

It is told so once; if that does not help, the turn ends before it has cost more.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from panto.json_values import JSONObject
from panto.messages import Assistant, Image, ToolOutput

TOLD_AT = 3
"""The same calls with the same results, so many times in a row, are pointed out to the model."""
ENDED_AT = 6

_CODE = re.compile(r"^ *(```|~~~).*?(^ *\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_MARKS = (
    "<tool_call>",
    "<|tool_call|>",
    "<|tool_call_begin|>",
    "<|tool_calls_section_begin|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁calls▁begin｜>",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<function_calls>",
    "<function=",
    "<invoke name=",
)
"""How calls begin in the templates of models, for their servers to find."""
_WRITTEN = re.compile(rf"^\s*(?:{'|'.join(map(re.escape, _MARKS))})", re.MULTILINE)

_Step = tuple[tuple[str, JSONObject, str, tuple[Image, ...]], ...]


@dataclass(frozen=True)
class Word:
    """What the model is told, and the user. Where there is nothing for the model, the turn ends."""

    to_model: str
    to_user: str
    hint: str = ""


class Stuck:
    """Looks at the steps of one turn."""

    def __init__(self) -> None:
        self._last: _Step = ()
        self._times = 0
        self._has_written = False

    def after(self, answer: Assistant, results: Iterable[ToolOutput]) -> Word | None:
        """What is to be said of a step, of an answer and what its calls gave; None if it is well."""
        if not answer.calls:
            return self._written_call(answer.text)
        by_id = {result.call_id: result for result in results}
        step = tuple(
            (call.name, call.arguments, by_id[call.id].text, by_id[call.id].images)
            for call in answer.calls
            if call.id in by_id
        )
        self._times = self._times + 1 if step == self._last else 1
        self._last = step
        if self._times == TOLD_AT:
            return Word(
                f"You have made the same tool call {TOLD_AT} times in a row, and its result was the same each time."
                " Do something else, or tell the user what keeps you.",
                f"the model has made the same call {TOLD_AT} times, with the same result; it was told so",
            )
        if self._times >= ENDED_AT:
            told = f"the model made the same call {ENDED_AT} times, with the same result"
            return Word("", told, "say what it should do instead")
        return None

    def _written_call(self, text: str) -> Word | None:
        if not _WRITTEN.search(_CODE.sub("", text)):
            return None
        told = "the model wrote a tool call as text, which runs nothing"
        if self._has_written:
            return Word("", told, "its server may have no parser for this model's calls; try another model")
        self._has_written = True
        return Word(
            "Your last answer has a tool call in its text. Nothing was run: tools are called through the API alone.",
            f"{told}; it was told so",
        )
