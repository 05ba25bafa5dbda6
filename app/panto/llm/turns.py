"""Conversations as turns of user and model, made of blocks: as ``anthropic`` has them, and ``bedrock``.

Newer models refuse thinking that stands behind anything else than it was made behind: system, tools and all turns so
far. So thinking is kept with a digest of all that, and left out where it no longer is the same.
"""

import copy
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import msgspec

from panto.json_values import JSONObject
from panto.llm.json_text import to_json
from panto.messages import Assistant, Message, Thinking

Blocks: TypeAlias = Callable[[Message], Sequence[JSONObject]]
"""What a message is in a format's own blocks."""
_DIGEST = 12
"""Bytes: enough to tell the prefixes of one conversation apart."""


@dataclass(frozen=True)
class Turn:
    """What one side said: ``role`` is ``user`` or ``assistant``."""

    role: str
    blocks: list[JSONObject]

    def json(self) -> JSONObject:
        """It as it is sent."""
        return {"role": self.role, "content": self.blocks}


class Turns:
    """Puts messages into turns. Results of tools, and what the user says after them, are one turn.

    ``head`` is what comes before the turns.
    """

    def __init__(self, blocks: Blocks, head: JSONObject) -> None:
        self._blocks = blocks
        self._digest = hashlib.blake2b(to_json(head), digest_size=_DIGEST)

    @property
    def digest(self) -> str:
        """The digest of all that an answer to what was fed so far stands behind."""
        return self._digest.hexdigest()

    def feed(self, messages: Sequence[Message]) -> list[Turn]:
        """The turns of these messages, of which no turn began before."""
        turns: list[Turn] = []
        for of_model, group in groupby(messages, lambda message: isinstance(message, Assistant)):
            prefix = self.digest
            blocks = [block for message in group for block in self._blocks(_without_strange_thinking(message, prefix))]
            turns.append(Turn("assistant" if of_model else "user", blocks))
            self._digest.update(to_json(blocks))
        return turns

    def json(self, messages: Sequence[Message]) -> list[JSONObject]:
        """The same, as JSON."""
        return [turn.json() for turn in self.feed(messages)]

    def fork(self) -> "Turns":
        """Another with the same turns behind it."""
        other = copy.copy(self)
        other._digest = self._digest.copy()
        return other


def latest_answer(turns: Sequence[Turn]) -> Turn | None:
    """What the model said last, if it has said anything."""
    return next((turn for turn in reversed(turns) if turn.role == "assistant"), None)


def latest_two_of_the_user(turns: Sequence[Turn]) -> list[int]:
    """Where a cache is marked: behind what the last request wrote, and behind what this one adds."""
    return [place for place, turn in enumerate(turns) if turn.role == "user"][-2:]


def _without_strange_thinking(message: Message, prefix: str) -> Message:
    if not isinstance(message, Assistant):
        return message
    thoughts = [part for part in message.parts if isinstance(part, Thinking)]
    if all(thought.opaque.get("prefix", prefix) == prefix for thought in thoughts):
        return message
    kept = tuple(part for part in message.parts if not isinstance(part, Thinking))
    return msgspec.structs.replace(message, parts=kept)
