"""How ``openai-chat`` is told how much to think, and how thinking that must go back is kept."""

from collections.abc import Iterable

from panto.json_values import JSONObject, is_object, text_at
from panto.llm.effort import NONE, least_effort
from panto.llm.types import Quirks, Request

_STYLES = frozenset({"effort", "budget", "adaptive"})
"""Servers that have words for effort turn them into what the model knows."""
_GROWING = ("text", "summary", "data", "signature")


def thinking_parameters(request: Request, quirks: Quirks) -> JSONObject:
    """What the body says of thinking; empty if nothing is asked for, or the server has no way to be told.

    "off" is said with the server's switch, unless the model can't be switched off: then with the least effort there is.
    """
    if request.thinking is None:
        return {}
    asked: tuple[str, str | bool] | None = None
    if request.thinking_style == "switch":
        asked = quirks.thinking_off if request.thinking == "off" else quirks.thinking_on
    elif request.thinking_style in _STYLES:
        word = least_effort(request.model) if request.thinking == "off" else request.thinking
        asked = (quirks.effort_field, word) if quirks.effort_field else None
        if word == NONE and quirks.thinking_off is not None:
            asked = quirks.thinking_off
    return _nested(*asked) if asked else {}


def _nested(path: str, value: object) -> JSONObject:
    head, _, rest = path.partition(".")
    return {head: _nested(rest, value) if rest else value}


class ReasoningDetails:
    """``reasoning_details``, in which routers send signed and encrypted reasoning, put together from its pieces.

    A block comes in several deltas with the same place. They must go back as one, or the signature does not fit.
    """

    def __init__(self) -> None:
        self._blocks: list[JSONObject] = []

    @property
    def blocks(self) -> list[JSONObject]:
        """The blocks, as they go back."""
        return [dict(block) for block in self._blocks]

    def add(self, pieces: Iterable[object]) -> str:
        """Take what one delta holds; what comes back is the text of it that can be shown."""
        shown: list[str] = []
        for piece in pieces:
            if is_object(piece) and piece:
                shown.append(text_at(piece, "text") or text_at(piece, "summary"))
                self._add(piece)
        return "".join(shown)

    def _add(self, piece: JSONObject) -> None:
        block = next((block for block in self._blocks if _same(block, piece)), None)
        if block is None:
            self._blocks.append(dict(piece))
            return
        for key, value in piece.items():
            before = block.get(key)
            if key in _GROWING and isinstance(before, str) and isinstance(value, str):
                block[key] = before + value
            elif value is not None:
                block[key] = value


def _same(block: JSONObject, piece: JSONObject) -> bool:
    """Whether a piece goes on with a block, of the same place and type. Without a place, it is a block itself."""
    keys = ("index", "type")
    return piece.get("index") is not None and all(block.get(key) == piece.get(key) for key in keys)
