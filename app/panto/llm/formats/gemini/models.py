"""What ``gemini`` models differ in, as data: whether they check signatures, and how they are told to think."""

import re
from typing import TypeAlias

from panto.json_values import JSONObject
from panto.llm.types import ThinkingLevel, ThinkingStyle

_GENERATION = re.compile(r"gemini-(\d+)")
_SIGNED_SINCE = 3

_Asked: TypeAlias = dict[ThinkingLevel, JSONObject]

_LEVELS: _Asked = {
    "off": {"thinkingLevel": "low"},  # can't be switched off, and the least that each of them knows
    "low": {"thinkingLevel": "low", "includeThoughts": True},
    "medium": {"thinkingLevel": "medium", "includeThoughts": True},
    "high": {"thinkingLevel": "high", "includeThoughts": True},
}
_ASKED: dict[ThinkingStyle, _Asked] = {
    "effort": _LEVELS,
    "adaptive": _LEVELS,
    "budget": {
        "off": {"thinkingBudget": 0},
        "low": {"thinkingBudget": 1_024, "includeThoughts": True},
        "medium": {"thinkingBudget": 8_192, "includeThoughts": True},
        "high": {"thinkingBudget": 24_576, "includeThoughts": True},
    },
    "switch": {
        "off": {"thinkingBudget": 0},
        "low": {"thinkingBudget": -1, "includeThoughts": True},
        "medium": {"thinkingBudget": -1, "includeThoughts": True},
        "high": {"thinkingBudget": -1, "includeThoughts": True},
    },
}
"""How each level is asked for. A budget counts tokens: 0 is none, -1 as many as the model needs."""

_LEAST_BUDGET: JSONObject = {"thinkingBudget": 128}
_MINIMAL: JSONObject = {"thinkingLevel": "minimal"}
_OWN: tuple[tuple[str, ThinkingStyle, _Asked], ...] = (
    ("gemini-2.5-pro", "budget", {"off": _LEAST_BUDGET}),
    ("gemini-2.5-pro", "switch", {"off": _LEAST_BUDGET}),
    ("gemini-3-flash", "effort", {"off": _MINIMAL}),
    ("gemini-3-flash", "adaptive", {"off": _MINIMAL}),
    ("gemini-3.1-flash-lite", "effort", {"off": _MINIMAL}),
    ("gemini-3.1-flash-lite", "adaptive", {"off": _MINIMAL}),
    ("gemini-3-pro", "effort", {"medium": {"thinkingLevel": "high", "includeThoughts": True}}),
    ("gemini-3-pro", "adaptive", {"medium": {"thinkingLevel": "high", "includeThoughts": True}}),
)
"""Where models, by how their names begin, want something else."""


def thinking_config(model: str, style: ThinkingStyle, level: ThinkingLevel | None) -> JSONObject:
    """What asks this model for so much thinking; empty if nothing can be asked."""
    if level is None or style not in _ASKED:
        return {}
    name = bare_name(model)
    own = (asked[level] for start, of, asked in _OWN if of == style and name.startswith(start) and level in asked)
    return dict(next(own, _ASKED[style][level]))


def wants_signatures(model: str) -> bool:
    """Whether the model refuses calls in its history that nobody signed. Names without a number mean the newest."""
    name = bare_name(model)
    generation = _GENERATION.match(name)
    return name.startswith("gemini-") if generation is None else int(generation[1]) >= _SIGNED_SINCE


def sees_results(model: str) -> bool:
    """Whether results of tools may hold images. It came with the models that check signatures."""
    return wants_signatures(model)


def bare_name(model: str) -> str:
    """The model's name without the collection it is in (``models/``)."""
    return model.rpartition("/")[2]
