"""What the families of models on ``bedrock`` take: data, by a part of the model's name."""

from dataclasses import dataclass

from panto.json_values import JSONObject
from panto.llm.types import Request, ThinkingLevel


@dataclass(frozen=True)
class Family:
    """A family of models.

    ``caches``: cache points are taken in system and messages, ``caches_tools``: behind the tools. ``thinks``: it is
    told to think as Anthropic's own API is told. ``images_in_results``: results of tools may hold images. ``status``:
    they may be marked as errors.
    """

    caches: bool = False
    caches_tools: bool = False
    thinks: bool = False
    images_in_results: bool = False
    status: bool = False


_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("anthropic.claude", Family(caches=True, caches_tools=True, thinks=True, images_in_results=True, status=True)),
    ("amazon.nova", Family(caches=True, status=True)),
)
"""By what the name holds; the first that fits. Ahead of it may stand a region (``us.``) or all of an ARN."""

_BUDGETS: dict[ThinkingLevel, int] = {"low": 2_048, "medium": 8_192, "high": 24_576}
_LEAST = 1_024
"""Tokens: the smallest budget there is, and what is left at least for the answer."""


def family_of(model: str) -> Family:
    """What a model takes."""
    return next((family for part, family in _FAMILIES if part in model), Family())


def thinking_of(request: Request, max_tokens: int) -> JSONObject:
    """The fields that ask for thinking, in an answer of at most so many tokens; none if none is asked for."""
    if not request.thinking or not family_of(request.model).thinks:
        return {}
    match request.thinking_style:
        case "budget" | "adaptive" if request.thinking == "off":
            return {"thinking": {"type": "disabled"}}
        case "budget":
            budget = min(_BUDGETS[request.thinking], max_tokens - _LEAST)
            return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= _LEAST else {}
        case "adaptive":
            return {"thinking": {"type": "adaptive"}, "output_config": {"effort": request.thinking}}
        case _:
            return {}
